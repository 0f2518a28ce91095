import PushWire
import Storage

/// The rows to remove from the store with the next commit.
struct RowRemovals {
  private(set) var operations: [StoreOperation] = []
  private var rows: Set<UInt64> = []
  /// The unique IDs of withdrawn notifications.
  private var withdrawn: Set<NotificationID> = []
  private var keys: Set<NotificationKey> = []
  private var devices: Set<UInt64> = []
  /// The time, in seconds since 1970, before which a row must have expired to be swept; nil if no sweep is due.
  ///
  /// Each commit sweeps only a limited number of rows.
  private(set) var sweepSecond: Int64?

  var isEmpty: Bool { operations.isEmpty && sweepSecond == nil }

  mutating func add(_ operation: StoreOperation) {
    switch operation {
    case .remove(_, let sequence): rows.insert(sequence)
    case .withdraw(_, let uniqueID): withdrawn.insert(uniqueID)
    case .removeKey(let key): keys.insert(key)
    case .removeDevice(let device): devices.insert(device)
    case .put, .removeExpired:
      assertionFailure("not a removal of rows: \(operation)")
      return
    }
    operations.append(operation)
  }

  mutating func sweep(beforeUnixSeconds second: Int64) {
    sweepSecond = max(sweepSecond ?? second, second)
  }

  /// Returns true if one of the removals covers this row.
  func contains(_ row: StoredNotification) -> Bool {
    rows.contains(row.sequence) || keys.contains(row.key) || devices.contains(row.key.device)
      || withdrawn.contains(row.uniqueID)
  }

  /// Adds the removals of a commit that failed.
  mutating func add(contentsOf failed: RowRemovals) {
    for operation in failed.operations { add(operation) }
    if let second = failed.sweepSecond { sweep(beforeUnixSeconds: second) }
  }

  mutating func removeAll() {
    operations.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    withdrawn.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    devices.removeAll(keepingCapacity: true)
    sweepSecond = nil
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    assert(
      rows.count + withdrawn.count + keys.count + devices.count <= operations.count,
      "every indexed removal has an operation")
    assert(
      operations.allSatisfy { operation in
        switch operation {
        case .remove(_, let sequence): rows.contains(sequence)
        case .withdraw(_, let uniqueID): withdrawn.contains(uniqueID)
        case .removeKey(let key): keys.contains(key)
        case .removeDevice(let device): devices.contains(device)
        case .put, .removeExpired: false
        }
      }, "every removal is indexed")
  }
}
