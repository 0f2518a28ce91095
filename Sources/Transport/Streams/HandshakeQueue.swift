import System

/// A queue of the TLS handshakes on one loop, which limits the work per turn.
///
/// The queue contains the handshakes in progress, the handshakes whose next step is waiting, and the listeners that are
/// paused while too many steps are waiting. A step creates or verifies a signature. Only a few steps are taken in each
/// turn, which limits the delay for open connections on this loop.
///
/// While many steps are waiting, listeners don't accept connections, and the kernel's backlog holds new connections in
/// order. An accepted connection costs almost nothing until its first bytes are read. Handshakes in progress take
/// precedence over new handshakes, and a handshake that makes progress is never aborted in favor of a new one.
final class HandshakeQueue {
  private struct Turn: Sendable {}

  /// A handshake in progress, as of its last step.
  private struct Progress {
    let stream: ByteStream
    let at: Int64
  }

  /// A queue of streams, in order of arrival.
  private struct Line {
    private var streams: [ByteStream] = []
    private var first = 0

    var count: Int { streams.count - first }

    mutating func append(_ stream: ByteStream) { streams.append(stream) }

    mutating func next() -> ByteStream? {
      guard first < streams.count else { return nil }
      defer {
        first += 1
        if first == streams.count || first >= Limits.handshakesMax {
          streams.removeFirst(first)
          first = 0
        }
      }
      return streams[first]
    }
  }

  /// The maximum number of handshakes in progress.
  ///
  /// At the maximum, no new handshake begins.
  var bound = Limits.handshakesMax {
    didSet { precondition(bound > 0, "at least one handshake may be in progress") }
  }
  /// The number of handshakes in progress on accepted connections.
  ///
  /// Outbound handshakes aren't limited.
  private(set) var count = 0

  private unowned let loop: EventLoop
  /// The handshakes in progress, ordered by the time of their last step, oldest first.
  ///
  /// Outdated entries are skipped.
  private var progress: [Progress] = []
  private var firstProgress = 0
  private var continuing = Line()
  private var beginning = Line()
  private var isTurnAsked = false
  private var pausedListeners: [StreamListener] = []
  private var mail: Mailbox<Turn>?
  private var timer: TimerID?

  init(_ loop: EventLoop) {
    self.loop = loop
    mail = loop.mailbox(of: Turn.self) { [weak self] _ in
      self?.isTurnAsked = false
      self?.makeSteps()
    }
  }

  /// The number of steps that are waiting for a turn.
  var waitingCount: Int { continuing.count + beginning.count }

  /// Counts a handshake that has begun.
  func begin(_ stream: ByteStream) {
    assert(stream.state == .handshaking && stream.tls != nil, "the stream has begun its handshake")
    count += 1
    note(stream)
  }

  /// Records that a handshake has succeeded or failed.
  func end() {
    count -= 1
    assert(count >= 0, "a handshake ends only once")
    if beginning.count > 0 { askForTurn() }
  }

  // MARK: Steps

  /// Queues the stream for its next step, which it takes in this turn or a later turn by reading its input.
  func await(_ stream: ByteStream, isFirst: Bool) {
    if isFirst { beginning.append(stream) } else { continuing.append(stream) }
    askForTurn()
  }

  private func askForTurn() {
    guard !isTurnAsked else { return }
    isTurnAsked = true
    mail?.post(Turn())
  }

  private func makeSteps() {
    var left = Limits.handshakeStepsPerTurn
    while left > 0, let stream = nextStream() {
      guard stream.state == .handshaking else { continue }
      left -= 1
      if stream.tls != nil { note(stream) }
      stream.makeHandshakeStep()
    }
    if continuing.count > 0 || beginning.count > 0 && hasRoom { askForTurn() }
    // At the maximum, a new handshake can begin only after a handshake in progress has ended or stalled, so try again
    // later.
    if beginning.count > 0, !hasRoom, timer == nil {
      timer = loop.schedule(afterNanoseconds: Limits.acceptPauseNanoseconds, self)
    }
    resumeListeners()
  }

  private func nextStream() -> ByteStream? {
    if let stream = continuing.next() { return stream }
    guard beginning.count > 0, hasRoom || makeRoom() else { return nil }
    return beginning.next()
  }

  private var hasRoom: Bool { count < bound }

  /// Aborts the handshake that has been stalled for the longest time, if it has been stalled long enough.
  private func makeRoom() -> Bool {
    guard let idlest, loop.nowNanoseconds - idlest.at >= Limits.handshakeStallNanoseconds else {
      return false
    }
    idlest.stream.abandonHandshake()
    return hasRoom
  }

  // MARK: Listeners

  /// True if listeners may accept connections.
  var isAccepting: Bool { waitingCount < Limits.handshakeStepsWaitingMax }

  /// Arranges for the listener to resume accepting once fewer steps are waiting.
  func pause(_ listener: StreamListener) { pausedListeners.append(listener) }

  private func resumeListeners() {
    guard !pausedListeners.isEmpty, waitingCount <= Limits.handshakeStepsWaitingMax / 2 else {
      return
    }
    let listeners = pausedListeners
    pausedListeners.removeAll(keepingCapacity: true)
    for listener in listeners { listener.resume() }
  }

  // MARK: Progress

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
    // An outdated entry keeps its stream alive, so remove these entries when there are too many of them.
    guard progress.count >= 64, progress.count >= 4 * max(16, count) else { return }
    progress.removeAll { $0.stream.state != .handshaking || $0.stream.handshakeProgress != $0.at }
    firstProgress = 0
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert(
      (0...progress.count).contains(firstProgress),
      "the first index is within the list or at its end")
    assert(
      zip(progress, progress.dropFirst()).allSatisfy { $0.at <= $1.at },
      "the list is in ascending order of time")
    let current = Set(
      progress[firstProgress...].lazy.filter { $0.stream.state == .handshaking }
        .map { Swift.ObjectIdentifier($0.stream) })
    assert(current.count <= count, "every listed stream is counted until its handshake ends")
    assert(continuing.count == 0 || isTurnAsked, "a turn is scheduled while steps wait")
    assert(
      beginning.count == 0 || isTurnAsked || !hasRoom && timer != nil,
      "a turn or a timer is scheduled while handshakes wait")
  }
}

extension HandshakeQueue: TimerTarget {
  func timerFired(tag: UInt64) {
    timer = nil
    makeSteps()
  }
}
