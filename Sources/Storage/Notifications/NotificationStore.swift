public import BelfryWire

/// One change to a store of notifications.
public enum StoreOperation: Sendable {
  /// Keeps a notification; then, of its key, only the newest of each collapse id and, of those, the
  /// newest `keep` (`.max`: all), newest being the highest sequence. Putting it again changes nothing.
  case put(StoredNotification, keep: UInt32)
  /// Forgets one, because the device has it.
  case remove(NotificationKey, sequence: UInt64)
  /// Forgets all of a key, because its token is no longer good.
  case removeKey(NotificationKey)
  /// Forgets all of a device.
  case removeDevice(UInt64)
  /// Forgets of what has an expiration before this second since 1970 at most `limit`, by expiration, then
  /// sequence: a slice, so that who waits for the store waits no longer than for that.
  case removeExpired(beforeUnixSeconds: Int64, limit: Int)
}

/// A notification that a commit took out of the store although no device acknowledged it.
public struct DroppedNotification: Sendable, Hashable {
  /// Why it was dropped.
  public enum Reason: Sendable, Hashable {
    /// Replaced by a newer one of its key or collapse id.
    case replaced
    /// Its time is over.
    case expired
    /// Its token or device is no longer good.
    case unregistered
  }

  /// Whom it was for.
  public let key: NotificationKey
  /// Its place in the order of acceptance.
  public let sequence: UInt64
  /// `apns-id`.
  public let id: NotificationID
  /// `apns-unique-id`.
  public let uniqueID: NotificationID
  /// Why it is gone.
  public let reason: Reason
  /// The index in the commit of the operation that took it out.
  public let operation: Int

  /// A dropped notification from its parts.
  public init(
    key: NotificationKey, sequence: UInt64, id: NotificationID, uniqueID: NotificationID,
    reason: Reason, operation: Int
  ) {
    self.key = key
    self.sequence = sequence
    self.id = id
    self.uniqueID = uniqueID
    self.reason = reason
    self.operation = operation
  }
}

/// Keeps accepted notifications until they are delivered, replaced, expired or unregistered.
///
/// Every engine passes `StoreConformance`. Calls block: they belong on a writer's thread.
public protocol NotificationStore: AnyObject, Sendable {
  /// Carries out `operations` in order, all or none, durably: what returned survives the process and
  /// the machine. Answers what was dropped on the way, by
  /// operation, then sequence.
  @discardableResult
  func commit(_ operations: [StoreOperation]) throws(StorageFailure) -> [DroppedNotification]
  /// At most `limit` of a device's notifications with a sequence over `after`, by sequence.
  func load(device: UInt64, after: UInt64, limit: Int) throws(StorageFailure)
    -> [StoredNotification]
  /// The highest sequence that was ever put; 0 in a fresh store.
  func highestSequence() throws(StorageFailure) -> UInt64
  /// How many notifications are kept.
  func count() throws(StorageFailure) -> Int
  /// Every device that has something kept, ascending: what a restarted gateway has to know.
  func devices() throws(StorageFailure) -> [UInt64]
  /// Rows that failed their checksum.
  var damage: StoreDamage { get }
  /// The rows that are set aside, as people inspect them.
  func rowsSetAside() throws(StorageFailure) -> [SetAsideRow]
  /// Forgets the rows that were set aside; the number of those that there were.
  func forgetSetAside() throws(StorageFailure) -> Int
  /// Writes something, to see whether the disk takes it; for a store on a disk.
  func probe() throws(StorageFailure)
  /// Closes the files; later calls throw `.closed`.
  func close()
  /// Asserts what holds between calls; walks over everything that is kept, for tests and simulations.
  func checkInvariants() throws(StorageFailure)
}

extension NotificationStore {
  /// Nothing: this store has no disk.
  public func probe() throws(StorageFailure) {}

  /// Nothing: this store has no disk.
  public var damage: StoreDamage { .none }

  /// Nothing: this store has no disk.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { [] }

  /// Nothing: this store has no disk.
  public func forgetSetAside() throws(StorageFailure) -> Int { 0 }

  /// Asserts what every engine has to keep: an engine may add what it knows.
  public func checkInvariants() throws(StorageFailure) {
    let highest = try highestSequence()
    var total = 0
    for device in try devices() {
      let rows = try load(device: device)
      total += rows.count
      assert(!rows.isEmpty, "device \(device) is kept for nothing")
      assert(rows.allSatisfy { $0.key.device == device }, "rows of another device")
      assert(rows.allSatisfy { (1...highest).contains($0.sequence) }, "a sequence that was not put")
      assert(
        zip(rows, rows.dropFirst()).allSatisfy { $0.sequence < $1.sequence }, "rows out of order")
    }
    let counted = try count()
    assert(total == counted, "\(total) are kept, and \(counted) counted")
  }

  /// All of a device's notifications, by sequence.
  public func load(device: UInt64) throws(StorageFailure) -> [StoredNotification] {
    try load(device: device, after: 0, limit: .max)
  }
}
