public import PushWire

/// One change to a store of notifications.
public enum StoreOperation: Sendable {
  /// Stores a notification.
  ///
  /// The store then trims the notifications with the same key. It retains only the newest notification for each
  /// collapse ID, and at most the `keep` newest notifications in total (`.max` retains all). The newest notification
  /// has the highest sequence number. Storing the same notification again has no effect.
  case put(StoredNotification, keep: UInt32)
  /// Removes one notification, because the device has received it.
  case remove(NotificationKey, sequence: UInt64)
  /// Removes the notification of a key that has this unique ID, because its sender has withdrawn it.
  case withdraw(NotificationKey, uniqueID: NotificationID)
  /// Removes all notifications of a key, because its token is no longer valid.
  case removeKey(NotificationKey)
  /// Removes all notifications of a device.
  case removeDevice(UInt64)
  /// Removes at most `limit` notifications that expire before this time, in seconds since 1970, earliest expiration
  /// first.
  ///
  /// The limit keeps other callers from waiting too long for the store.
  case removeExpired(beforeUnixSeconds: Int64, limit: Int)
}

/// A notification that a commit removed from the store before a device acknowledged it.
public struct DroppedNotification: Sendable, Hashable {
  /// The reason that a notification was dropped.
  public enum Reason: Sendable, Hashable {
    /// A newer notification with the same key or collapse ID replaced it.
    case replaced
    /// The notification's storage time has passed.
    case expired
    /// The notification's token or device is no longer valid.
    case unregistered
    /// The operation had no effect, because another node has claimed the device.
    ///
    /// If the operation was a withdrawal, the sequence number is 0.
    case claimLost
    /// The notification's sender has withdrawn it.
    case withdrawn
  }

  /// The recipient of the notification.
  public let key: NotificationKey
  /// The position in the order of acceptance.
  public let sequence: UInt64
  /// The value of `apns-id`.
  public let id: NotificationID
  /// The value of `apns-unique-id`.
  public let uniqueID: NotificationID
  /// The reason that the notification was dropped.
  public let reason: Reason
  /// The index, within the commit, of the operation that removed the notification.
  public let operation: Int

  /// Creates a dropped notification from its parts.
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

/// A store that holds accepted notifications until they are delivered, replaced, expired, or unregistered.
///
/// Every implementation passes the tests in `StoreConformance`. Calls block, so make them only on a writer's thread.
public protocol NotificationStore: AnyObject, Sendable {
  /// Applies `operations` durably and in order, either all or none.
  ///
  /// Once the call returns, the result survives a crash of the process or the machine. Returns the notifications that
  /// were dropped, sorted by operation, then by sequence.
  @discardableResult
  func commit(_ operations: [StoreOperation]) throws(StorageFailure) -> [DroppedNotification]
  /// Returns at most `limit` of a device's notifications with a sequence number above `after`, sorted by sequence.
  func load(device: UInt64, after: UInt64, limit: Int) throws(StorageFailure)
    -> [StoredNotification]
  /// Returns the times of a stored notification; nil if no notification of the key has this unique ID.
  func times(
    _ key: NotificationKey, uniqueID: NotificationID
  ) throws(StorageFailure) -> StoredTimes?
  /// Returns the highest sequence number ever stored; 0 in a new store.
  func highestSequence() throws(StorageFailure) -> UInt64
  /// Returns the number of stored notifications.
  func count() throws(StorageFailure) -> Int
  /// Returns every device with a stored notification, in ascending order, for a restarted gateway.
  func devices() throws(StorageFailure) -> [UInt64]
  /// Returns the epoch last stored with ``putEpoch(_:)``; 0 in a new store or in a store from an earlier release.
  func epoch() throws(StorageFailure) -> UInt32
  /// Stores the epoch of the gateway's folder durably.
  func putEpoch(_ epoch: UInt32) throws(StorageFailure)
  /// The health of the store's disk; nil for a store without a disk.
  var health: StoreHealth? { get }
  /// Returns the number of notifications that were stored but are missing, because the disk lost them or because an
  /// older copy has replaced the store.
  func lostCount() throws(StorageFailure) -> UInt64
  /// Discards the record of lost notifications, after an operator has been informed.
  func forgetLost() throws(StorageFailure)
  /// The rows that failed their checksum.
  var damage: StoreDamage { get }
  /// Returns the rows that were set aside, for inspection.
  func rowsSetAside() throws(StorageFailure) -> [SetAsideRow]
  /// Discards the rows that were set aside.
  ///
  /// Returns their number.
  func forgetSetAside() throws(StorageFailure) -> Int
  /// Performs a write to test whether the disk accepts writes, if the store is on a disk.
  func probe() throws(StorageFailure)
  /// Removes some of the data that is no longer needed, in a few milliseconds.
  ///
  /// The writer calls this method after it has answered its requests; it is idle if it had none. Returns true if there is
  /// more to do.
  func sweep(isIdle: Bool) -> Bool
  /// Closes the files; later calls throw `.closed`.
  func close()
  /// Asserts the invariants that hold between calls.
  ///
  /// This method visits every stored notification, so call it only in tests and simulations.
  func checkInvariants() throws(StorageFailure)
}

extension NotificationStore {
  /// Returns 0, because this store is not part of a folder.
  public func epoch() throws(StorageFailure) -> UInt32 { 0 }

  /// Does nothing, because this store is not part of a folder.
  public func putEpoch(_ epoch: UInt32) throws(StorageFailure) {}

  /// Nil, because this store is not on a disk.
  public var health: StoreHealth? { nil }

  /// Returns 0, because this store is not on a disk.
  public func lostCount() throws(StorageFailure) -> UInt64 { 0 }

  /// Does nothing, because this store is not on a disk.
  public func forgetLost() throws(StorageFailure) {}

  /// Does nothing, because this store is not on a disk.
  public func probe() throws(StorageFailure) {}

  /// Returns false, because this store removes data immediately.
  public func sweep(isIdle: Bool) -> Bool { false }

  /// Removes some of the data that is no longer needed, as an idle writer does.
  package func sweep() -> Bool { sweep(isIdle: true) }

  /// A value without damage, because this store is not on a disk.
  public var damage: StoreDamage { .none }

  /// Returns no rows, because this store is not on a disk.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { [] }

  /// Returns 0, because this store is not on a disk.
  public func forgetSetAside() throws(StorageFailure) -> Int { 0 }

  /// Asserts the invariants that every implementation must maintain.
  ///
  /// An implementation can check additional invariants.
  public func checkInvariants() throws(StorageFailure) { try checkRows() }

  /// Asserts that the store's answers match each other.
  func checkRows() throws(StorageFailure) {
    let highest = try highestSequence()
    var total = 0
    for device in try devices() {
      let rows = try load(device: device)
      total += rows.count
      assert(!rows.isEmpty, "device \(device) is listed only while it has rows")
      assert(rows.allSatisfy { $0.key.device == device }, "all rows belong to the device")
      assert(
        rows.allSatisfy { (1...highest).contains($0.sequence) },
        "every sequence is between 1 and the highest one")
      assert(
        zip(rows, rows.dropFirst()).allSatisfy { $0.sequence < $1.sequence },
        "rows are in ascending order")
    }
    let counted = try count()
    assert(total == counted, "the \(total) stored notifications match their count, \(counted)")
  }

  /// Finds the notification among all of the device's notifications.
  ///
  /// A store with an index for keys should implement the method itself.
  public func times(
    _ key: NotificationKey, uniqueID: NotificationID
  ) throws(StorageFailure) -> StoredTimes? {
    let rows = try load(device: key.device)
    return rows.first { $0.key == key && $0.uniqueID == uniqueID }.map { row in
      StoredTimes(acceptedMilliseconds: row.acceptedMilliseconds, expiration: row.expiration)
    }
  }

  /// Returns all of a device's notifications, sorted by sequence number.
  public func load(device: UInt64) throws(StorageFailure) -> [StoredNotification] {
    try load(device: device, after: 0, limit: .max)
  }
}
