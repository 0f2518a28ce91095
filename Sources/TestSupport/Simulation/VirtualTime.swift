/// A clock that stands still between events, and what is to happen on it.
///
/// Events at the same time happen in the order in which they were planned.
final class VirtualTime {
  private struct Event {
    let at: Int64
    let order: UInt64
    let body: () -> Void

    func comes(before other: Event) -> Bool { (at, order) < (other.at, other.order) }
  }

  /// Nanoseconds since the simulation began.
  private(set) var now: Int64 = 1_000_000_000
  /// Milliseconds since 1970 at nanosecond 0.
  let epoch: Int64 = 1_700_000_000_000
  private(set) var eventsHandled = 0
  private var heap: [Event] = []
  private var order: UInt64 = 0

  var unixMilliseconds: Int64 { epoch + now / 1_000_000 }

  /// Plans `body` for `nanoseconds` from now.
  func after(_ nanoseconds: Int64, _ body: @escaping () -> Void) {
    at(now + max(0, nanoseconds), body)
  }

  /// Plans `body` for the time `at`, or for now where that is past.
  func at(_ at: Int64, _ body: @escaping () -> Void) {
    order += 1
    heap.append(Event(at: max(at, now), order: order, body: body))
    var child = heap.count - 1
    while child > 0, heap[child].comes(before: heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Lets everything happen that is planned until `end`, and `end` come.
  func run(until end: Int64) {
    while let first = heap.first, first.at <= end {
      removeFirst()
      now = first.at
      eventsHandled += 1
      first.body()
    }
    now = max(now, end)
  }

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
