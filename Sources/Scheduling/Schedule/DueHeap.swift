/// A priority queue of due dates.
///
/// If two items have the same due date, the item that was added first is returned first. The queue is a heap with four
/// children per node, so a firing among a million items touches few cache lines. The heap has no index of its items. A
/// stale item therefore stays in the heap until it reaches the top, where it is skipped.
struct DueHeap {
  struct Item {
    var due: Int64
    var order: UInt64
    var slot: Int

    static func < (one: Item, other: Item) -> Bool {
      one.due < other.due || (one.due == other.due && one.order < other.order)
    }
  }

  private(set) var items: ContiguousArray<Item> = []

  var first: Item? { items.first }

  mutating func push(_ item: Item) {
    items.append(item)
    var place = items.count - 1
    while place > 0 {
      let parent = (place - 1) / 4
      guard item < items[parent] else { break }
      items[place] = items[parent]
      place = parent
    }
    items[place] = item
  }

  mutating func replaceFirst(with item: Item) {
    assert(!items.isEmpty, "the heap is not empty")
    sink(item, from: 0)
  }

  mutating func removeFirst() {
    assert(!items.isEmpty, "the heap is not empty")
    guard let last = items.popLast(), !items.isEmpty else { return }
    sink(last, from: 0)
  }

  /// Replaces all items, in O(n).
  mutating func replaceAll(with new: ContiguousArray<Item>) {
    items = new
    guard items.count > 1 else { return }
    for index in stride(from: (items.count - 2) / 4, through: 0, by: -1) {
      sink(items[index], from: index)
    }
  }

  /// Checks that no item is due before its parent.
  func checkInvariants() {
    for index in items.indices.dropFirst() {
      precondition(!(items[index] < items[(index - 1) / 4]), "no item is due before its parent")
    }
  }

  private mutating func sink(_ item: Item, from start: Int) {
    assert(start < items.count, "the start index is within the heap")
    var place = start
    while place * 4 + 1 < items.count {
      let first = place * 4 + 1
      var child = first
      for other in (first + 1)..<min(first + 4, items.count)
      where items[other] < items[child] {
        child = other
      }
      guard items[child] < item else { break }
      items[place] = items[child]
      place = child
    }
    items[place] = item
  }
}
