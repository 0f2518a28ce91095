import System

/// The timer of a connection whose deadline most received bytes extend.
///
/// The timer is armed again only for an earlier deadline, because rearming costs more than firing early.
struct DeadlineTimer {
  private var id: TimerID?
  private var due: Int64 = .max

  /// Arms the timer for `deadline` in nanoseconds on the loop clock, unless it fires earlier anyway.
  mutating func arm(for deadline: Int64, on loop: EventLoop, _ target: any TimerTarget) {
    guard deadline < due else { return }
    if let id { loop.cancel(id) }
    due = deadline
    id = loop.schedule(afterNanoseconds: max(0, deadline - loop.nowNanoseconds), target, tag: 0)
  }

  /// Records that the timer has fired.
  mutating func fired() {
    id = nil
    due = .max
  }

  mutating func cancel(on loop: EventLoop) {
    if let id { loop.cancel(id) }
    fired()
  }
}
