import System

/// Event loops without threads.
///
/// A simulation itself runs the turns of the loops, in an order that its seed determines. It pauses some of the loops
/// for a while, as happens on a machine under load.
final class SimulatedLoops: LoopRunner, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  final class Loop: RunningLoop, @unchecked Sendable {
    let name: String
    let loop: EventLoop
    /// The time until which the loop is paused.
    var pausedUntil: Int64 = 0
    /// True if one of the loop's descriptors might have become ready since the loop last polled them.
    fileprivate var mayBeReady = true
    /// The time at which the loop is next due, as reported by its own turns.
    private var wakeup: Int64 = .min
    private var hasWorked = false
    fileprivate(set) var isReleased = false

    init(name: String, _ loop: EventLoop) {
      self.name = name
      self.loop = loop
    }

    /// The time at which the loop is next due.
    ///
    /// A time in the past means now.
    fileprivate var nextWakeup: Int64 { loop.isPending ? .min : wakeup }

    /// Records that other code might have set timers on the loop.
    func timersMayBeSet() {
      // Run an empty turn, which updates the loop's clock to the current time.
      loop.turn(mayBlock: false, polls: false)
      wakeup = .min
    }

    /// Runs a turn if the loop might have something to do; returns true if it did.
    fileprivate func turn(at now: Int64) -> Bool {
      guard mayBeReady || nextWakeup <= now else { return false }
      // Polling descriptors is a system call, so poll only if one of them might be ready.
      mayBeReady = loop.turn(mayBlock: false, polls: mayBeReady)
      if mayBeReady { hasWorked = true }
      wakeup = loop.nextWakeup
      return mayBeReady
    }

    /// Returns true if the loop has done something since the last call.
    func takeWorked() -> Bool { exchange(&hasWorked, with: false) }

    func join() {
      while !loop.isStopping { loop.turn(mayBlock: false) }
      release()
    }

    fileprivate func release() {
      guard !isReleased else { return }
      isReleased = true
      loop.releaseAll()
    }
  }

  private let time: VirtualTime
  /// The clocks of the machine on which the loops run.
  private let clock: any LoopClock
  private(set) var all: [Loop] = []

  init(_ time: VirtualTime, clock: (any LoopClock)? = nil) {
    self.time = time
    self.clock = clock ?? time
  }

  func start(
    name: String, _ body: @escaping @Sendable (EventLoop) -> Void
  ) throws(SystemFailure) -> any RunningLoop {
    let loop = try add(name)
    body(loop.loop)
    return loop
  }

  /// Adds a loop that does not yet run a part of the gateway.
  func add(_ name: String) throws(SystemFailure) -> Loop {
    let loop = Loop(name: name, try EventLoop(clock: clock))
    all.append(loop)
    return loop
  }

  /// Records that the far ends of connections were read, written, or closed.
  func descriptorsMayBeReady() { for loop in all { loop.mayBeReady = true } }

  /// Releases everything after the process has exited.
  func releaseAll() {
    for loop in all { loop.release() }
    all = []
  }

  /// The time at which the first loop is due.
  var nextWakeup: Int64 {
    var next = Int64.max
    for loop in all where !loop.isReleased {
      next = min(next, max(loop.nextWakeup, loop.pausedUntil))
    }
    return next
  }

  /// Runs one turn of each loop, starting with the loop at `first`; returns true if any loop had something to do.
  func turn(startingAt first: Int, ignoringPauses: Bool, after: () -> Bool) -> Bool {
    var hasWorked = false
    let loops = all
    for offset in loops.indices {
      let loop = loops[(first + offset) % loops.count]
      guard !loop.isReleased, ignoringPauses || loop.pausedUntil <= time.now else { continue }
      if loop.turn(at: time.now) {
        hasWorked = true
        guard after() else { return true }
      }
    }
    return hasWorked
  }
}
