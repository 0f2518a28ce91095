import BelfryWire

/// The ids of the latest pushes, by which repeated ones are recognised.
struct SeenPushes: Sendable {
  private let limit: Int
  private var ids: Set<NotificationID> = []
  /// The ids with the numbers of their records, oldest first; those before `head` are forgotten.
  private var queue: [(number: UInt64, id: NotificationID)] = []
  private var head = 0
  private var nextNumber: UInt64 = 1

  /// Remembers `limit` pushes.
  init(limit: Int) {
    precondition(limit > 0, "at least one push is remembered")
    self.limit = limit
  }

  func contains(_ id: NotificationID) -> Bool { ids.contains(id) }

  /// The ids, oldest first.
  var all: [NotificationID] { queue[head...].map(\.id) }

  /// Restores the stored ids, in any order.
  mutating func restore(_ records: [(number: UInt64, id: NotificationID)]) {
    assert(queue.isEmpty, "records are restored once, at the start")
    for record in records.sorted(by: { $0.number < $1.number }).suffix(limit) {
      guard record.number < .max, ids.insert(record.id).inserted else { continue }
      queue.append(record)
      nextNumber = record.number + 1
    }
  }

  /// Adds an id, and returns the changes of its record and of those that it displaces.
  mutating func insert(_ id: NotificationID) -> [RecordChange] {
    let isNew = ids.insert(id).inserted
    assert(isNew, "a push that was seen is not remembered twice")
    queue.append((nextNumber, id))
    var changes = [
      RecordChange.put(.seen, key: String(nextNumber), Array(id.text.utf8))
    ]
    nextNumber += 1
    while queue.count - head > limit {
      ids.remove(queue[head].id)
      changes.append(.remove(.seen, key: String(queue[head].number)))
      head += 1
    }
    if head > limit {
      queue.removeFirst(head)
      head = 0
    }
    return changes
  }

  /// Traps in debug builds when the queue and the set contradict each other.
  func checkInvariants() {
    assert(queue.count - head == ids.count, "each id is remembered once")
    assert(ids.count <= limit, "so many are remembered, and no more")
    assert(queue.last.map { $0.number < nextNumber } ?? true, "numbers rise")
  }
}
