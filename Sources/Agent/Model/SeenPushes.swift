import PushWire

/// The IDs of the latest pushes, by which repetitions are recognized.
struct SeenPushes: Sendable {
  private let limit: Int
  private var ids: Set<NotificationID> = []
  /// The IDs with the numbers of their records, oldest first; the IDs before `head` have been removed.
  private var queue: [(number: UInt64, id: NotificationID)] = []
  private var head = 0
  private var nextNumber: UInt64 = 1

  /// Creates a memory for the latest `limit` pushes.
  init(limit: Int) {
    precondition(limit > 0, "at least one push is remembered")
    self.limit = limit
  }

  func contains(_ id: NotificationID) -> Bool { ids.contains(id) }

  /// The IDs, oldest first.
  var all: [NotificationID] { queue[head...].map(\.id) }

  /// Restores the stored IDs, in any order.
  mutating func restore(_ records: [(number: UInt64, id: NotificationID)]) {
    assert(queue.isEmpty, "records are restored only once, at startup")
    for record in records.sorted(by: { $0.number < $1.number }).suffix(limit) {
      guard record.number < .max, ids.insert(record.id).inserted else { continue }
      queue.append(record)
      nextNumber = record.number + 1
    }
  }

  /// Adds an ID, and returns the changes to its record and to the records of the IDs that it displaces.
  mutating func insert(_ id: NotificationID) -> [RecordChange] {
    let isNew = ids.insert(id).inserted
    assert(isNew, "a remembered push is not inserted again")
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

  /// Traps in debug builds if the queue and the set contradict each other.
  func checkInvariants() {
    assert(queue.count - head == ids.count, "the queue and the set have the same number of IDs")
    assert(ids.count <= limit, "the number of remembered pushes is within the limit")
    assert(
      queue.last.map { $0.number < nextNumber } ?? true,
      "the last number is less than the next number")
  }
}
