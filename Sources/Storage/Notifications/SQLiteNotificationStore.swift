internal import BelfryWire
public import PushWire
internal import System

/// A notification store in one SQLite file.
///
/// The file is used as a log: a commit appends its notifications and one end record. An index in memory finds the
/// notifications of a device, and is built when the file is opened. Records that are no longer needed are removed
/// between commits (`sweep`).
public final class SQLiteNotificationStore: NotificationStore {
  private let engine: LockedEngine<NotificationEngine>

  /// Opens or creates the store at `path`.
  ///
  /// Throws for files from other programs or newer releases, without changing them.
  public init(path: String) throws(StorageFailure) { engine = try LockedEngine(path: path) }

  /// Opens or creates the store at `path` with a specific monotonic clock, for tests.
  package init(path: String, now: @escaping @Sendable () -> Int64) throws(StorageFailure) {
    engine = try LockedEngine(path: path, now: now)
  }

  /// Opens or creates the store at `path` with its own rules for the removal of records, for tests.
  package init(
    path: String, pace: SweepPace,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) throws(StorageFailure) {
    engine = try LockedEngine(path: path, now: now) {
      path, mayCreate, damage throws(StorageFailure) in
      try NotificationEngine(path: path, mayCreate: mayCreate, damage: damage, pace: pace)
    }
  }

  /// The health of the store, which shows whether the disk accepts writes.
  public var health: StoreHealth? { engine.health }

  /// The rows that were set aside.
  public var damage: StoreDamage { engine.damage }

  /// Returns the rows that were set aside, for inspection.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { try engine.rowsSetAside() }

  /// Discards the rows that were set aside.
  ///
  /// Returns their number.
  public func forgetSetAside() throws(StorageFailure) -> Int { try engine.forgetSetAside() }

  /// Checks the file at `path` for damage, and replaces a damaged file with a new one that omits the unreadable parts.
  public static func inspect(path: String) throws(StorageFailure) -> StoreInspection {
    // A file that must be converted is checked, and repaired if necessary, before its rows are copied.
    let version = try NotificationConversion.legacyVersion(path: path)
    return try StoreInspection.inspect(
      path: path,
      schema: version.map(NotificationSchema.legacy(version:)) ?? NotificationEngine.schema)
  }

  /// Returns the number of notifications that were stored but are missing from the file, because the file's write-ahead
  /// log was lost or truncated, or because an older copy has replaced the file.
  public func lostCount() throws(StorageFailure) -> UInt64 { try engine.lostCount() }

  /// Discards the record of lost notifications, after an operator has been notified.
  public func forgetLost() throws(StorageFailure) { try engine.forgetLost() }

  /// Performs a write to test whether the disk accepts writes.
  public func probe() throws(StorageFailure) { try engine.probe() }

  /// Applies `operations` in one transaction.
  @discardableResult
  public func commit(
    _ operations: [StoreOperation]
  ) throws(StorageFailure) -> [DroppedNotification] {
    try engine.write { engine throws(StorageFailure) in try engine.commit(operations) }
  }

  /// Returns at most `limit` of a device's notifications with a sequence number above `after`, sorted by sequence
  /// number.
  public func load(
    device: UInt64, after: UInt64, limit: Int
  ) throws(StorageFailure) -> [StoredNotification] {
    try engine.read { engine throws(StorageFailure) in
      try engine.load(device: device, after: after, limit: limit)
    }
  }

  /// Returns the times of a stored notification, or nil.
  public func times(
    _ key: NotificationKey, uniqueID: NotificationID
  ) throws(StorageFailure) -> StoredTimes? {
    try engine.read { engine throws(StorageFailure) in
      try engine.times(key, uniqueID: uniqueID)
    }
  }

  /// Returns the highest sequence number ever stored.
  public func highestSequence() throws(StorageFailure) -> UInt64 {
    try engine.read { engine throws(StorageFailure) in
      engine.highest
    }
  }

  /// Returns the epoch that `putEpoch` last stored; 0 in a new store or in a store from an earlier release.
  public func epoch() throws(StorageFailure) -> UInt32 {
    try engine.read { engine throws(StorageFailure) in
      UInt32(truncatingIfNeeded: try engine.database.integer("SELECT epoch FROM progress"))
    }
  }

  /// Durably stores the epoch of the gateway's folder.
  public func putEpoch(_ epoch: UInt32) throws(StorageFailure) {
    try engine.write { engine throws(StorageFailure) in
      try engine.database.execute("UPDATE progress SET epoch = \(epoch)")
    }
  }

  /// Returns the number of stored notifications.
  public func count() throws(StorageFailure) -> Int {
    try engine.read { engine throws(StorageFailure) in
      engine.index.count
    }
  }

  /// Returns every device with a stored notification.
  public func devices() throws(StorageFailure) -> [UInt64] {
    try engine.read { engine throws(StorageFailure) in
      engine.index.devices()
    }
  }

  /// Removes some of the records that are no longer needed.
  ///
  /// Returns true if there is more to do.
  public func sweep(isIdle: Bool) -> Bool {
    // The next commit shows whether a failed disk works again.
    guard engine.health.failure == nil else { return false }
    let hasMore = try? engine.write { engine throws(StorageFailure) in
      try engine.sweep(isIdle: isIdle)
    }
    return hasMore ?? false
  }

  /// Asserts the invariants of every store, and that the index matches the log.
  public func checkInvariants() throws(StorageFailure) {
    try checkRows()
    try engine.read { engine throws(StorageFailure) in try engine.checkInvariants() }
  }

  /// Closes the file; later calls throw `.closed`.
  public func close() { engine.close() }

  /// Limits the size of the file, to simulate a full disk in tests.
  func limitSize(pages: Int) throws(StorageFailure) {
    try engine.read { engine throws(StorageFailure) in
      try engine.database.execute("PRAGMA max_page_count = \(pages)")
    }
  }

  /// Causes access to a locked file to fail immediately, for tests.
  func disableBusyTimeout() throws(StorageFailure) {
    try engine.read { engine throws(StorageFailure) in
      try engine.database.execute("PRAGMA busy_timeout = 0")
    }
  }
}
