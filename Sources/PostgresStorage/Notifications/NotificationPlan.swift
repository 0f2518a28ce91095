internal import Storage
internal import PushWire

/// The part of a stored row that decides which rows a commit removes, and that the delivery log reports.
struct NotificationOutline {
  let key: NotificationKey
  let sequence: UInt64
  let id: NotificationID
  let uniqueID: NotificationID
  let expiration: Int64
  let collapseID: [UInt8]
}

/// The rows that a commit inserts and removes, calculated from its operations and from the rows that exist.
///
/// Operations that cancel each other within a commit cause no writes.
struct NotificationPlan {
  /// The rows that a plan needs to know before it is calculated.
  struct Needs {
    /// The keys whose rows are needed.
    var keys: Set<NotificationKey> = []
    /// The devices of which all rows are needed.
    var devices: Set<UInt64> = []
    /// The number of operations that can remove rows without these rows being needed.
    var otherRemovals = 0
    /// The latest time before which rows expire, and the sum of the limits; nil if no rows are to expire.
    var expired: (beforeUnixSeconds: Int64, limit: Int)?

    init(of operations: [StoreOperation]) {
      for operation in operations {
        switch operation {
        case .put(let notification, let keep):
          if keep < .max || !notification.collapseID.isEmpty { keys.insert(notification.key) }
          otherRemovals += 1
        case .remove: otherRemovals += 1
        case .withdraw(let key, _), .removeKey(let key): keys.insert(key)
        case .removeDevice(let device): devices.insert(device)
        case .removeExpired(let second, let limit):
          expired = (
            max(second, expired?.beforeUnixSeconds ?? .min), limit + (expired?.limit ?? 0)
          )
        }
      }
    }
  }

  /// The identity of a row: a removal has no effect on another key's row with the same sequence number.
  struct Row: Hashable {
    let key: NotificationKey
    let sequence: UInt64
  }

  /// The rows to insert, by sequence number.
  private(set) var insertions: [UInt64: StoredNotification] = [:]
  /// The rows to remove, before the insertions.
  private(set) var removals: Set<Row> = []
  /// The notifications that are no longer stored, sorted by operation, then by sequence number.
  private(set) var dropped: [DroppedNotification] = []
  /// The highest sequence number among the operations; 0 if they store nothing.
  private(set) var highest: UInt64 = 0
  private var rows: [NotificationKey: KeyRows] = [:]
  private var keysByDevice: [UInt64: Set<NotificationKey>] = [:]
  private var expiring: [NotificationOutline]

  /// Calculates the effect of `operations`.
  ///
  /// `existing` contains the rows of the needed keys and devices, and `expiring` the rows that expire first.
  init(
    _ operations: [StoreOperation], existing: [NotificationOutline],
    expiring: [NotificationOutline] = []
  ) {
    self.expiring = expiring
    for row in existing { insert(row) }
    for (index, operation) in operations.enumerated() {
      let start = dropped.count
      apply(operation, index)
      if dropped.count > start + 1 { dropped[start...].sort { $0.sequence < $1.sequence } }
    }
    assert(
      zip(dropped, dropped.dropFirst()).allSatisfy {
        ($0.operation, $0.sequence) < ($1.operation, $1.sequence)
      }, "dropped notifications are ordered by operation and sequence")
    checkInvariants()
    assert(
      insertions.keys.allSatisfy { $0 <= highest }, "only notifications of this commit are inserted"
    )
  }

  /// Asserts the conditions that are true between operations.
  func checkInvariants() {
    assert(
      rows.allSatisfy { key, rows in keysByDevice[key.device]?.contains(key) == true },
      "the keys of a device are known")
    assert(
      insertions.allSatisfy { $0 == $1.sequence && rows[$1.key]?.contains($0) == true },
      "an inserted row is a known row of its key")
    assert(
      rows.allSatisfy { key, rows in rows.isSorted && rows.all.allSatisfy { $0.key == key } },
      "the rows of a key are in ascending order")
  }

  private mutating func apply(_ operation: StoreOperation, _ index: Int) {
    switch operation {
    case .put(let notification, let keep):
      assert(keep > 0, "an app keeps at least one notification")
      highest = max(highest, notification.sequence)
      put(notification)
      if keep > 1, !notification.collapseID.isEmpty {
        drop(rows[notification.key]?.replaced(notification.collapseID) ?? [], .replaced, index)
      }
      if keep < .max { drop(rows[notification.key]?.surplus(keep) ?? [], .replaced, index) }
    case .remove(let key, let sequence): remove(key, sequence)
    case .withdraw(let key, let uniqueID):
      drop(rows[key]?.all.filter { $0.uniqueID == uniqueID } ?? [], .withdrawn, index)
    case .removeKey(let key): drop(rows[key]?.all ?? [], .unregistered, index)
    case .removeDevice(let device):
      let keys = keysByDevice[device] ?? []
      drop(keys.flatMap { rows[$0]?.all ?? [] }, .unregistered, index)
    case .removeExpired(let second, let limit):
      assert(limit > 0, "the limit is positive")
      let candidates = expiring.filter { $0.expiration < second && !isGone($0) }
      let first = candidates.sorted { ($0.expiration, $0.sequence) < ($1.expiration, $1.sequence) }
      drop(Array(first.prefix(limit)), .expired, index)
    }
  }

  private mutating func put(_ notification: StoredNotification) {
    let row = NotificationOutline(
      key: notification.key, sequence: notification.sequence, id: notification.id,
      uniqueID: notification.uniqueID, expiration: notification.expiration,
      collapseID: notification.collapseID)
    insertions[row.sequence] = notification
    if insert(row), row.expiration < .max { expiring.append(row) }
  }

  /// Adds a row, and returns false if the row was known.
  @discardableResult
  private mutating func insert(_ row: NotificationOutline) -> Bool {
    keysByDevice[row.key.device, default: []].insert(row.key)
    return rows[row.key, default: KeyRows()].insert(row)
  }

  /// Returns true if this commit has removed a row and has not inserted it again.
  private func isGone(_ row: NotificationOutline) -> Bool {
    removals.contains(Row(key: row.key, sequence: row.sequence)) && insertions[row.sequence] == nil
  }

  private mutating func remove(_ key: NotificationKey, _ sequence: UInt64) {
    if let inserted = insertions[sequence] {
      guard inserted.key == key else { return }
      insertions[sequence] = nil
    }
    removals.insert(Row(key: key, sequence: sequence))
    rows[key]?.remove(sequence)
  }

  private mutating func drop(
    _ lost: [NotificationOutline], _ reason: DroppedNotification.Reason, _ index: Int
  ) {
    for row in lost {
      remove(row.key, row.sequence)
      dropped.append(
        DroppedNotification(
          key: row.key, sequence: row.sequence, id: row.id, uniqueID: row.uniqueID,
          reason: reason, operation: index))
    }
  }
}

/// The known rows of one key, in the order of their sequence numbers.
private struct KeyRows {
  private(set) var all: [NotificationOutline] = []
  /// The sequence numbers of the rows with a collapse ID, in ascending order.
  private var byCollapseID: [[UInt8]: [UInt64]] = [:]

  /// True if the rows are in ascending order.
  var isSorted: Bool { zip(all, all.dropFirst()).allSatisfy { $0.sequence < $1.sequence } }

  /// Returns true if a row with this sequence number is known.
  func contains(_ sequence: UInt64) -> Bool { row(sequence) != nil }

  /// Returns the rows with this collapse ID except the newest.
  func replaced(_ collapseID: [UInt8]) -> [NotificationOutline] {
    byCollapseID[collapseID]?.dropLast().compactMap { row($0) } ?? []
  }

  /// Returns all rows except the newest `keep`.
  func surplus(_ keep: UInt32) -> [NotificationOutline] { Array(all.dropLast(Int(keep))) }

  /// Adds a row, and returns false if the row was known.
  mutating func insert(_ row: NotificationOutline) -> Bool {
    let index = position(of: row.sequence)
    guard index == all.count || all[index].sequence != row.sequence else { return false }
    all.insert(row, at: index)
    guard !row.collapseID.isEmpty else { return true }
    var same = byCollapseID[row.collapseID] ?? []
    same.insert(row.sequence, at: same.firstIndex { $0 > row.sequence } ?? same.count)
    byCollapseID[row.collapseID] = same
    return true
  }

  mutating func remove(_ sequence: UInt64) {
    guard let row = row(sequence) else { return }
    all.remove(at: position(of: sequence))
    guard !row.collapseID.isEmpty else { return }
    byCollapseID[row.collapseID]?.removeAll { $0 == sequence }
  }

  private func row(_ sequence: UInt64) -> NotificationOutline? {
    let index = position(of: sequence)
    return index < all.count && all[index].sequence == sequence ? all[index] : nil
  }

  /// Returns the index of the first row whose sequence number is not below `sequence`.
  private func position(of sequence: UInt64) -> Int {
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
