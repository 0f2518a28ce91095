internal import BelfryWire
internal import System

/// A store in one SQLite file.
///
/// Rows are appended by sequence, and a slim index finds a key's: a put touches few pages.
public final class SQLiteNotificationStore: NotificationStore {
  private let engine: LockedEngine<NotificationEngine>

  /// Opens or makes the store at `path`.
  ///
  /// Fails on foreign and on newer files; nothing is changed in them.
  public init(path: String) throws(StorageFailure) { engine = try LockedEngine(path: path) }

  /// Opens or makes a store under that monotonic clock, for tests.
  package init(path: String, now: @escaping @Sendable () -> Int64) throws(StorageFailure) {
    engine = try LockedEngine(path: path, now: now)
  }

  /// Whether the disk takes writes.
  public var health: StoreHealth { engine.health }

  /// The rows that were set aside.
  public var damage: StoreDamage { engine.damage }

  /// The rows that are set aside, as people inspect them.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { try engine.rowsSetAside() }

  /// Forgets the rows that were set aside; the number of those that there were.
  public func forgetSetAside() throws(StorageFailure) -> Int { try engine.forgetSetAside() }

  /// Finds damage in the file at `path`, and gives it a new file without what cannot be read.
  public static func inspect(path: String) throws(StorageFailure) -> StoreInspection {
    try LockedEngine<NotificationEngine>.inspect(path: path)
  }

  /// How many notifications were put that the file does not know of: its write-ahead file is gone or cut, or
  /// an older copy is in its place.
  public func lostCount() throws(StorageFailure) -> UInt64 { try engine.lostCount() }

  /// Forgets what was lost, when a person was told.
  public func forgetLost() throws(StorageFailure) { try engine.forgetLost() }

  /// Writes something, to see whether the disk takes it.
  public func probe() throws(StorageFailure) { try engine.probe() }

  /// Carries out `operations` in one transaction.
  @discardableResult
  public func commit(
    _ operations: [StoreOperation]
  ) throws(StorageFailure) -> [DroppedNotification] {
    try engine.write { engine throws(StorageFailure) in try engine.commit(operations) }
  }

  /// At most `limit` of a device's notifications with a sequence over `after`, by sequence.
  public func load(
    device: UInt64, after: UInt64, limit: Int
  ) throws(StorageFailure) -> [StoredNotification] {
    try engine.read { engine throws(StorageFailure) in
      try engine.load(device: device, after: after, limit: limit)
    }
  }

  /// The highest sequence that was ever put.
  public func highestSequence() throws(StorageFailure) -> UInt64 {
    try engine.read { engine throws(StorageFailure) in
      UInt64(bitPattern: try engine.database.integer("SELECT highest FROM progress"))
    }
  }

  /// The epoch that was last put with `putEpoch`; 0 in a fresh store and in one of a former release.
  public func epoch() throws(StorageFailure) -> UInt32 {
    try engine.read { engine throws(StorageFailure) in
      UInt32(truncatingIfNeeded: try engine.database.integer("SELECT epoch FROM progress"))
    }
  }

  /// Keeps the epoch of the gateway's folder, durably.
  public func putEpoch(_ epoch: UInt32) throws(StorageFailure) {
    try engine.write { engine throws(StorageFailure) in
      try engine.database.execute("UPDATE progress SET epoch = \(epoch)")
    }
  }

  /// How many notifications are kept.
  public func count() throws(StorageFailure) -> Int {
    try engine.read { engine throws(StorageFailure) in
      Int(try engine.database.integer("SELECT count(*) FROM notification"))
    }
  }

  /// Every device that has something kept.
  public func devices() throws(StorageFailure) -> [UInt64] {
    try engine.read { engine throws(StorageFailure) in
      let rows = try engine.database.prepare("SELECT DISTINCT device FROM notification")
      var devices: [UInt64] = []
      while try rows.step() { devices.append(rows.unsigned(0)) }
      return devices.sorted()
    }
  }

  /// Closes the file; later calls throw `.closed`.
  public func close() { engine.close() }

  /// Caps the file, as a full disk does; for tests.
  func limitSize(pages: Int) throws(StorageFailure) {
    try engine.read { engine throws(StorageFailure) in
      try engine.database.execute("PRAGMA max_page_count = \(pages)")
    }
  }

  /// Makes a locked file fail at once; for tests.
  func disableBusyTimeout() throws(StorageFailure) {
    try engine.read { engine throws(StorageFailure) in
      try engine.database.execute("PRAGMA busy_timeout = 0")
    }
  }
}
