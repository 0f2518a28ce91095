import System

/// A clock that advances only when scheduled events occur.
///
/// Events that are scheduled for the same time occur in the order in which they were scheduled.
final class VirtualTime: LoopClock {
  private struct Event {
    let at: Int64
    let order: UInt64
    let body: () -> Void

    func comes(before other: Event) -> Bool { (at, order) < (other.at, other.order) }
  }

  /// The virtual time since the simulation began, in nanoseconds.
  private(set) var now: Int64 = 1_000_000_000
  /// The milliseconds since 1970 at virtual nanosecond 0.
  let epoch: Int64 = 1_700_000_000_000
  private(set) var eventsHandled = 0
  private var heap: [Event] = []
  private var order: UInt64 = 0

  /// The sum of all steps of the wall clock, in milliseconds.
  private var wallStep: Int64 = 0
  private var latestBeforeSteps: Int64 = .min

  var monotonicNanoseconds: Int64 { now }
  var unixMilliseconds: Int64 { epoch + wallStep + now / 1_000_000 }
  /// The latest time that the wall clock has ever shown, in milliseconds since 1970.
  var latestUnixMilliseconds: Int64 { max(latestBeforeSteps, unixMilliseconds) }

  /// Sets the wall clock.
  ///
  /// Scheduled events keep their times.
  func stepWallClock(byMilliseconds step: Int64) {
    latestBeforeSteps = max(latestBeforeSteps, unixMilliseconds)
    wallStep += step
  }

  /// Schedules `body` for `nanoseconds` from now.
  func after(_ nanoseconds: Int64, _ body: @escaping () -> Void) {
    at(now + max(0, nanoseconds), body)
  }

  /// Schedules `body` for the time `at`, or for now if that time has passed.
  func at(_ at: Int64, _ body: @escaping () -> Void) {
    order += 1
    heap.append(Event(at: max(at, now), order: order, body: body))
    var child = heap.count - 1
    while child > 0, heap[child].comes(before: heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Cancels all events at the end of the world and releases their resources.
  func cancelAll() { heap = [] }

  /// The time of the next event; `.max` if no event is scheduled.
  var nextEvent: Int64 { heap.first?.at ?? .max }

  /// Handles the next event at its time.
  func handleNext() {
    guard let first = heap.first else { return }
    removeFirst()
    now = max(now, first.at)
    eventsHandled += 1
    first.body()
  }

  /// Advances to a time at which a loop is due.
  func wakeUp(at time: Int64) {
    now = max(now, time)
    eventsHandled += 1
  }

  /// Advances to a time without an event.
  func advance(to time: Int64) { now = max(now, time) }

  private func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].comes(before: heap[least]) { least = child }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
