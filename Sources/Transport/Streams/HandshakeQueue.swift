import System

/// The TLS handshakes of one loop: those in progress, those whose next step waits, and the listeners that wait for
/// room.
///
/// A step costs a signature or the check of one. A few are made in each turn, so that what is open on this loop waits
/// no longer than that. While steps wait, listeners accept nothing: the kernel's backlog holds what comes, at less
/// memory and in order, and no handshake that has got far is given up for a new one.
final class HandshakeQueue {
  private struct Step: Sendable {}

  /// A stream as it was when it began or last made a step.
  private struct Progress {
    let stream: ByteStream
    let at: Int64
  }

  /// Handshakes in progress at which listeners wait.
  var bound = Limits.handshakesMax {
    didSet { precondition(bound > 0, "a loop makes one handshake at least") }
  }
  /// Handshakes of accepted connections in progress; outbound ones are as many as this side wants.
  private(set) var count = 0

  private unowned let loop: EventLoop
  /// Of accepted connections, the one without progress for longest first; those that are out of date are passed over.
  private var progress: [Progress] = []
  private var firstProgress = 0
  /// Accepted connections with something to read, in order of arrival.
  private var waiting: [ByteStream] = []
  private var firstWaiting = 0
  private var pausedListeners: [StreamListener] = []
  private var mail: Mailbox<Step>?

  init(_ loop: EventLoop) {
    self.loop = loop
    mail = loop.mailbox(of: Step.self) { [weak self] _ in self?.makeSteps() }
  }

  /// Steps that wait for a turn.
  var waitingCount: Int { waiting.count - firstWaiting }

  /// Counts an accepted stream's handshake.
  func begin(_ stream: ByteStream) {
    assert(stream.state == .handshaking, "the stream has begun its handshake")
    count += 1
    note(stream)
  }

  /// Notes that an accepted stream's handshake has succeeded or failed.
  func end() {
    count -= 1
    assert(count >= 0, "a handshake ends once")
    resumeListeners()
  }

  // MARK: Steps

  /// Lets the stream read, and so make a step, in this turn or a later one.
  func await(_ stream: ByteStream) {
    waiting.append(stream)
    if waitingCount == 1 { mail?.post(Step()) }
  }

  private func makeSteps() {
    var left = Limits.handshakeStepsPerTurn
    while left > 0, firstWaiting < waiting.count {
      let stream = waiting[firstWaiting]
      firstWaiting += 1
      guard stream.state == .handshaking else { continue }
      left -= 1
      note(stream)
      stream.makeHandshakeStep()
    }
    if firstWaiting == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      firstWaiting = 0
    } else {
      if firstWaiting >= Limits.handshakesMax {
        waiting.removeFirst(firstWaiting)
        firstWaiting = 0
      }
      mail?.post(Step())
    }
    resumeListeners()
  }

  // MARK: Room

  /// Whether a listener may accept one more connection; one that has made no progress for long makes room.
  func hasRoom() -> Bool {
    guard waitingCount < Limits.handshakeStepsWaitingMax else { return false }
    guard count >= bound else { return true }
    guard let idlest, loop.nowNanoseconds - idlest.at >= Limits.handshakeStallNanoseconds else {
      return false
    }
    idlest.stream.abandonHandshake()
    return true
  }

  /// Has the listener accept again once there is room.
  func pause(_ listener: StreamListener) { pausedListeners.append(listener) }

  private func resumeListeners() {
    guard !pausedListeners.isEmpty, count < bound,
      waitingCount <= Limits.handshakeStepsWaitingMax / 2
    else { return }
    let listeners = pausedListeners
    pausedListeners.removeAll(keepingCapacity: true)
    for listener in listeners { listener.resume() }
  }

  private var idlest: Progress? {
    while firstProgress < progress.count {
      let first = progress[firstProgress]
      if first.stream.state == .handshaking, first.stream.handshakeProgress == first.at {
        return first
      }
      firstProgress += 1
    }
    return nil
  }

  private func note(_ stream: ByteStream) {
    stream.handshakeProgress = loop.nowNanoseconds
    progress.append(Progress(stream: stream, at: loop.nowNanoseconds))
    // What is out of date keeps its stream: it goes when it is as much as the rest.
    guard progress.count >= 64, progress.count >= 4 * max(16, count) else { return }
    progress.removeAll { $0.stream.state != .handshaking || $0.stream.handshakeProgress != $0.at }
    firstProgress = 0
  }

  /// Traps in debug builds when the fields contradict each other.
  func checkInvariants() {
    assert((0...progress.count).contains(firstProgress), "the first is in the list or behind it")
    assert((0...waiting.count).contains(firstWaiting), "the next is in the list or behind it")
    assert(
      zip(progress, progress.dropFirst()).allSatisfy { $0.at <= $1.at }, "the oldest come first")
    let current = Set(
      progress[firstProgress...].lazy.filter { $0.stream.state == .handshaking }
        .map { Swift.ObjectIdentifier($0.stream) })
    assert(current.count <= count, "each stream of the list is counted until its handshake ends")
    assert(
      waiting[firstWaiting...].allSatisfy { $0.state != .open || !$0.awaitsHandshakeStep },
      "an open stream waits for no step")
  }
}
