/// Slots ordered by when they are due, then by the order in which they were added.
///
/// A heap with four children a node, which knows where each slot stands: a slot is put in, moved
/// or taken out in O(log n).
struct DueHeap {
  struct Item {
    var due: Int64
    var order: UInt64
    var slot: Int

    static func < (one: Item, other: Item) -> Bool {
      one.due < other.due || (one.due == other.due && one.order < other.order)
    }
  }

  private var items: ContiguousArray<Item> = []
  /// Where a slot stands in `items`, from 1; 0 when it is not there.
  private var places: ContiguousArray<Int32> = []

  var first: Item? { items.first }
  var count: Int { items.count }

  /// Puts a slot in, or moves it.
  mutating func set(_ item: Item) {
    while places.count <= item.slot { places.append(0) }
    let place = Int(places[item.slot]) - 1
    guard place >= 0 else {
      items.append(item)
      rise(from: items.count - 1)
      return
    }
    let rises = item < items[place]
    items[place] = item
    if rises { rise(from: place) } else { sink(from: place) }
  }

  /// Takes a slot out, if it is there.
  mutating func remove(_ slot: Int) {
    guard slot < places.count, places[slot] > 0 else { return }
    let place = Int(places[slot]) - 1
    places[slot] = 0
    let last = items.removeLast()
    guard place < items.count else { return }
    let rises = last < items[place]
    items[place] = last
    if rises { rise(from: place) } else { sink(from: place) }
  }

  /// Replaces everything, in O(n).
  mutating func replaceAll(with new: ContiguousArray<Item>) {
    items = new
    let slots = (new.map(\.slot).max() ?? -1) + 1
    places = ContiguousArray(repeating: 0, count: slots)
    for index in items.indices { places[items[index].slot] = Int32(index + 1) }
    guard items.count > 1 else { return }
    for index in stride(from: (items.count - 2) / 4, through: 0, by: -1) { sink(from: index) }
  }

  private mutating func rise(from start: Int) {
    var place = start
    let item = items[place]
    while place > 0 {
      let parent = (place - 1) / 4
      guard item < items[parent] else { break }
      items[place] = items[parent]
      places[items[place].slot] = Int32(place + 1)
      place = parent
    }
    items[place] = item
    places[item.slot] = Int32(place + 1)
  }

  private mutating func sink(from start: Int) {
    var place = start
    let item = items[place]
    while place * 4 + 1 < items.count {
      var child = place * 4 + 1
      for other in (child + 1)..<max(child + 1, min(place * 4 + 5, items.count))
      where items[other] < items[child] {
        child = other
      }
      guard items[child] < item else { break }
      items[place] = items[child]
      places[items[place].slot] = Int32(place + 1)
      place = child
    }
    items[place] = item
    places[item.slot] = Int32(place + 1)
  }
}
