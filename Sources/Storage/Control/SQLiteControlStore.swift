internal import System
public import Transport

/// Control data in one SQLite file of mode 0600.
public final class SQLiteControlStore: ControlStore {
  private let engine: LockedEngine<ControlEngine>

  /// Opens or makes the store at `path`, bringing an older schema up to date.
  ///
  /// Fails on foreign and on newer files; nothing is changed in them.
  public convenience init(path: String) throws(StorageFailure) {
    try self.init(database: path)
  }

  /// A store in memory alone, for tests and simulations.
  public static func inMemory() throws(StorageFailure) -> SQLiteControlStore {
    try SQLiteControlStore(database: "")
  }

  private init(database path: String) throws(StorageFailure) {
    engine = try LockedEngine(path: path)
  }

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

  /// Finds damage in the file at `path`, and gives it a new file without what cannot be read.
  public static func inspect(path: String) throws(StorageFailure) -> StoreInspection {
    try LockedEngine<ControlEngine>.inspect(path: path)
  }

  /// How many changes were made that the file does not know of: its write-ahead file is gone or cut, or an
  /// older copy is in its place.
  public func lostCount() throws(StorageFailure) -> UInt64 { try engine.lostCount() }

  /// Forgets what was lost, when a person was told.
  public func forgetLost() throws(StorageFailure) { try engine.forgetLost() }

  /// Writes something, to see whether the disk takes it.
  public func probe() throws(StorageFailure) { try engine.probe() }

  /// Carries out `changes` in one transaction.
  public func apply(_ changes: [ControlChange]) throws(StorageFailure) {
    try engine.write { engine throws(StorageFailure) in try engine.apply(changes) }
  }

  /// By creation.
  public func teams() throws(StorageFailure) -> [TeamRecord] { try rows(ControlRows.teams) }

  /// By creation, revoked ones included.
  public func keys() throws(StorageFailure) -> [KeyRecord] { try rows(ControlRows.keys) }

  /// By creation, revoked ones included.
  public func certificates() throws(StorageFailure) -> [CertificateRecord] {
    try rows(ControlRows.certificates)
  }

  /// By number.
  public func apps() throws(StorageFailure) -> [AppRecord] { try rows(ControlRows.apps) }

  /// The one with this bundle identifier.
  public func app(bundleID: String) throws(StorageFailure) -> AppRecord? {
    try engine.read { engine throws(StorageFailure) in try engine.app(bundleID: bundleID) }
  }

  /// By app, then creation.
  public func channels() throws(StorageFailure) -> [ChannelRecord] {
    try rows(ControlRows.channels)
  }

  /// Those of channels that keep their newest message.
  public func broadcasts() throws(StorageFailure) -> [BroadcastRecord] {
    try rows(ControlRows.broadcasts)
  }

  /// By number, revoked ones included.
  public func devices() throws(StorageFailure) -> [DeviceRecord] { try rows(ControlRows.devices) }

  /// Those that enrolled with this key.
  public func devices(
    withKey keyHash: SHA256.Digest
  ) throws(StorageFailure) -> [DeviceRecord] {
    try engine.read { engine throws(StorageFailure) in
      try engine.devices(withKey: keyHash.bytes)
    }
  }

  /// The one with this number.
  public func device(number: UInt64) throws(StorageFailure) -> DeviceRecord? {
    try engine.read { engine throws(StorageFailure) in try engine.device(number: number) }
  }

  /// Whether any device has one of these numbers.
  public func hasDevice(numbered numbers: Range<UInt64>) throws(StorageFailure) -> Bool {
    try engine.read { engine throws(StorageFailure) in try engine.hasDevice(numbered: numbers) }
  }

  /// By device.
  public func deviceCertificates() throws(StorageFailure) -> [DeviceCertificateRecord] {
    try rows(ControlRows.deviceCertificates)
  }

  /// Those of `arrivals` that say something new.
  public func news(in arrivals: [DeviceArrival]) throws(StorageFailure) -> [DeviceArrival] {
    try engine.read { engine throws(StorageFailure) in
      var news: [DeviceArrival] = []
      for arrival in arrivals where try engine.isNews(arrival) { news.append(arrival) }
      return news
    }
  }

  /// How many devices have shown a certificate of that authority, and which certificate ends first.
  public func deviceCertificateSummary(
    authority: String, atSeconds now: Int64
  ) throws(StorageFailure) -> DeviceCertificateSummary {
    try engine.read { engine throws(StorageFailure) in
      try engine.deviceCertificateSummary(authority: authority, atSeconds: now)
    }
  }

  /// How many tokens are good, by the name of the key that sealed them.
  public func tokenCounts() throws(StorageFailure) -> [String?: Int] {
    try engine.read { engine throws(StorageFailure) in try engine.tokenCounts() }
  }

  /// By device, app and kind.
  public func registrations() throws(StorageFailure) -> [RegistrationRecord] {
    try rows(ControlRows.registrations)
  }

  /// At most `limit` of those of an app and kind that became inactive after that place in their order.
  public func unregistered(
    app: UInt32, kind: UInt8, after: UnregisteredPlace, limit: Int
  ) throws(StorageFailure) -> [RegistrationRecord] {
    try engine.read { engine throws(StorageFailure) in
      try engine.unregistered(app: app, kind: kind, after: after, limit: limit)
    }
  }

  /// That of a device, an app and a kind.
  public func registration(
    of key: NotificationKey
  ) throws(StorageFailure) -> RegistrationRecord? {
    try engine.read { engine throws(StorageFailure) in try engine.registration(of: key) }
  }

  /// By device.
  public func subscriptions() throws(StorageFailure) -> [SubscriptionRecord] {
    try rows(ControlRows.subscriptions)
  }

  /// The named value.
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
