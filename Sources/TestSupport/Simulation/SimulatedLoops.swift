import System

/// Event loops without threads: a simulation turns them by hand, in an order that its seed gives, and lets
/// some of them stand still for a while as a machine that is too busy does.
final class SimulatedLoops: LoopRunner, @unchecked Sendable {
  // Only ever used on the simulation's own thread, which is what the conformance promises.
  final class Loop: RunningLoop, @unchecked Sendable {
    let name: String
    let loop: EventLoop
    /// Until when it stands still.
    var pausedUntil: Int64 = 0
    /// Whether one of its descriptors may have become ready since it last looked at them.
    fileprivate var mayBeReady = true
    /// When it has something to do by itself, as far as its own turns have said.
    private var wakeup: Int64 = .min
    private var hasWorked = false
    fileprivate(set) var isReleased = false

    init(name: String, _ loop: EventLoop) {
      self.name = name
      self.loop = loop
    }

    /// When it has something to do by itself; a time that is past: now.
    fileprivate var nextWakeup: Int64 { loop.isPending ? .min : wakeup }

    /// Somebody else than itself may have set timers on it.
    func timersMayBeSet() {
      // A turn that is given to nothing brings its clock to the present.
      loop.turn(mayBlock: false, polls: false)
      wakeup = .min
    }

    /// One turn, where it may have something to do; whether it had.
    fileprivate func turn(at now: Int64) -> Bool {
      guard mayBeReady || nextWakeup <= now else { return false }
      // A look at descriptors is a system call: only where somebody has touched one of them.
      mayBeReady = loop.turn(mayBlock: false, polls: mayBeReady)
      if mayBeReady { hasWorked = true }
      wakeup = loop.nextWakeup
      return mayBeReady
    }

    /// Whether it did something since this was last asked.
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
  private(set) var all: [Loop] = []

  init(_ time: VirtualTime) { self.time = time }

  func start(
    name: String, _ body: @escaping @Sendable (EventLoop) -> Void
  ) throws(SystemFailure) -> any RunningLoop {
    let loop = try add(name)
    body(loop.loop)
    return loop
  }

  /// A loop without a part of its own yet.
  func add(_ name: String) throws(SystemFailure) -> Loop {
    let loop = Loop(name: name, try EventLoop(clock: time))
    all.append(loop)
    return loop
  }

  /// The far ends of connections were read, written or closed.
  func descriptorsMayBeReady() { for loop in all { loop.mayBeReady = true } }

  /// The process is gone, and everything in it.
  func releaseAll() {
    for loop in all { loop.release() }
    all = []
  }

  /// When the next of the loops has something to do by itself.
  var nextWakeup: Int64 {
    var next = Int64.max
    for loop in all where !loop.isReleased {
      next = min(next, max(loop.nextWakeup, loop.pausedUntil))
    }
    return next
  }

  /// Turns each loop once, beginning with the one at `first`; whether any of them had something to do.
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
