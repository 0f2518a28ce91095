internal import System
public import Transport

/// A control store in one SQLite file with mode 0600.
public final class SQLiteControlStore: ControlStore {
  private let engine: LockedEngine<ControlEngine>

  /// Opens or creates the store at `path`, upgrading an older schema.
  ///
  /// Throws for files from other programs or newer releases, without changing them.
  public convenience init(path: String) throws(StorageFailure) {
    try self.init(database: path)
  }

  /// Creates a store in memory, for tests and simulations.
  public static func inMemory() throws(StorageFailure) -> SQLiteControlStore {
    try SQLiteControlStore(database: "")
  }

  private init(database path: String) throws(StorageFailure) {
    engine = try LockedEngine(path: path)
  }

  /// Opens or creates the store at `path` with a specific monotonic clock, for tests.
  package init(path: String, now: @escaping @Sendable () -> Int64) throws(StorageFailure) {
    engine = try LockedEngine(path: path, now: now)
  }

  /// The health of the store, which shows whether the disk accepts writes.
  public var health: StoreHealth? { engine.health }

  /// The rows that were set aside.
  public var damage: StoreDamage { engine.damage }

  /// Returns the rows that were set aside, for inspection.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { try engine.rowsSetAside() }

  /// Checks the file at `path` for damage, and replaces a damaged file with a new one that omits the unreadable parts.
  public static func inspect(path: String) throws(StorageFailure) -> StoreInspection {
    try LockedEngine<ControlEngine>.inspect(path: path)
  }

  /// Returns the number of changes that were made but are missing from the file, because the file's write-ahead log was
  /// lost or truncated, or because an older copy has replaced the file.
  public func lostCount() throws(StorageFailure) -> UInt64 { try engine.lostCount() }

  /// Discards the record of lost changes, after an operator has been notified.
  public func forgetLost() throws(StorageFailure) { try engine.forgetLost() }

  /// Performs a write to test whether the disk accepts writes.
  public func probe() throws(StorageFailure) { try engine.probe() }

  /// Applies `changes` in one transaction.
  public func apply(_ changes: [ControlChange]) throws(StorageFailure) {
    try engine.write { engine throws(StorageFailure) in try engine.apply(changes) }
  }

  /// Returns all teams, sorted by creation time.
  public func teams() throws(StorageFailure) -> [TeamRecord] { try rows(ControlRows.teams) }

  /// Returns all keys, including revoked ones, sorted by creation time.
  public func keys() throws(StorageFailure) -> [KeyRecord] { try rows(ControlRows.keys) }

  /// Returns all provider certificates, including revoked ones, sorted by creation time.
  public func certificates() throws(StorageFailure) -> [CertificateRecord] {
    try rows(ControlRows.certificates)
  }

  /// Returns all apps, sorted by number.
  public func apps() throws(StorageFailure) -> [AppRecord] { try rows(ControlRows.apps) }

  /// Returns the app with this bundle identifier.
  public func app(bundleID: String) throws(StorageFailure) -> AppRecord? {
    try engine.read { engine throws(StorageFailure) in try engine.app(bundleID: bundleID) }
  }

  /// Returns all channels, sorted by app, then by creation time.
  public func channels() throws(StorageFailure) -> [ChannelRecord] {
    try rows(ControlRows.channels)
  }

  /// Returns the messages of channels that store their newest message.
  public func broadcasts() throws(StorageFailure) -> [BroadcastRecord] {
    try rows(ControlRows.broadcasts)
  }

  /// Returns all devices, including revoked ones, sorted by number.
  public func devices() throws(StorageFailure) -> [DeviceRecord] { try rows(ControlRows.devices) }

  /// Returns the devices that enrolled with this key.
  public func devices(
    withKey keyHash: SHA256.Digest
  ) throws(StorageFailure) -> [DeviceRecord] {
    try engine.read { engine throws(StorageFailure) in
      try engine.devices(withKey: keyHash.bytes)
    }
  }

  /// Returns the device with this number.
  public func device(number: UInt64) throws(StorageFailure) -> DeviceRecord? {
    try engine.read { engine throws(StorageFailure) in try engine.device(number: number) }
  }

  /// Returns true if any device has one of these numbers.
  public func hasDevice(numbered numbers: Range<UInt64>) throws(StorageFailure) -> Bool {
    try engine.read { engine throws(StorageFailure) in try engine.hasDevice(numbered: numbers) }
  }

  /// Returns all device certificates, sorted by device.
  public func deviceCertificates() throws(StorageFailure) -> [DeviceCertificateRecord] {
    try rows(ControlRows.deviceCertificates)
  }

  /// Returns the elements of `arrivals` that contain new information.
  public func newer(in arrivals: [DeviceArrival]) throws(StorageFailure) -> [DeviceArrival] {
    try engine.read { engine throws(StorageFailure) in
      var news: [DeviceArrival] = []
      for arrival in arrivals where try engine.isNewer(arrival) { news.append(arrival) }
      return news
    }
  }

  /// Returns the number of devices that have presented a certificate from this authority, and the earliest expiration.
  public func deviceCertificateSummary(
    authority: String, atSeconds now: Int64
  ) throws(StorageFailure) -> DeviceCertificateSummary {
    try engine.read { engine throws(StorageFailure) in
      try engine.deviceCertificateSummary(authority: authority, atSeconds: now)
    }
  }

  /// Returns the number of valid tokens that each key sealed, by the name of the key.
  public func tokenCounts() throws(StorageFailure) -> [String?: Int] {
    try engine.read { engine throws(StorageFailure) in try engine.tokenCounts() }
  }

  /// Returns the number of devices on which the app is registered; revoked devices do not count.
  public func deviceCount(ofApp app: UInt32) throws(StorageFailure) -> Int {
    try engine.read { engine throws(StorageFailure) in try engine.deviceCount(ofApp: app) }
  }

  /// Returns all registrations, sorted by device, app, and kind.
  public func registrations() throws(StorageFailure) -> [RegistrationRecord] {
    try rows(ControlRows.registrations)
  }

  /// Returns at most `limit` inactive registrations of an app and kind that follow the given position.
  public func unregistered(
    app: UInt32, kind: UInt8, after: FeedbackCursor, limit: Int
  ) throws(StorageFailure) -> [RegistrationRecord] {
    try engine.read { engine throws(StorageFailure) in
      try engine.unregistered(app: app, kind: kind, after: after, limit: limit)
    }
  }

  /// Returns the registration of a device, an app, and a kind.
  public func registration(
    of key: NotificationKey
  ) throws(StorageFailure) -> RegistrationRecord? {
    try engine.read { engine throws(StorageFailure) in try engine.registration(of: key) }
  }

  /// Returns a device's registrations, active or not, sorted by app and kind.
  public func registrations(
    ofDevice device: UInt64
  ) throws(StorageFailure) -> [RegistrationRecord] {
    try engine.read { engine throws(StorageFailure) in try engine.registrations(ofDevice: device) }
  }

  /// Returns all subscriptions, sorted by device.
  public func subscriptions() throws(StorageFailure) -> [SubscriptionRecord] {
    try rows(ControlRows.subscriptions)
  }

  /// Returns the upstreams of apps, sorted by the number of the app.
  public func upstreams() throws(StorageFailure) -> [UpstreamRecord] {
    try rows(ControlRows.upstreams)
  }

  /// Returns the budgets of keys, sorted by the ID of the key.
  public func budgets() throws(StorageFailure) -> [BudgetRecord] { try rows(ControlRows.budgets) }

  /// Returns the budget of a key.
  public func budget(ofKey key: String) throws(StorageFailure) -> BudgetRecord? {
    try engine.read { engine throws(StorageFailure) in try engine.budget(ofKey: key) }
  }

  /// Returns the named value.
  public func setting(_ name: String) throws(StorageFailure) -> [UInt8]? {
    try engine.read { engine throws(StorageFailure) in try engine.setting(name) }
  }

  /// Closes the file; later calls throw `.closed`.
  public func close() { engine.close() }

  private func rows<Record: Sendable>(
    _ table: ControlRows<Record>
  ) throws(StorageFailure) -> [Record] {
    try engine.read { engine throws(StorageFailure) in try engine.rows(table) }
  }
}
