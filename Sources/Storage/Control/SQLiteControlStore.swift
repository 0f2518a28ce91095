internal import Synchronization
public import Transport

/// Control data in one SQLite file of mode 0600.
public final class SQLiteControlStore: ControlStore {
  private let engine: Mutex<ControlEngine?>
  /// A second connection, which looks single rows up while the first one waits for the disk: else each enrolment would
  /// wait for the commits of those before it.
  ///
  /// A store in memory has none.
  private let reader: Mutex<ControlEngine?>

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
    engine = try Mutex(ControlEngine(path: path))
    reader = try Mutex(path.isEmpty ? nil : ControlEngine(path: path))
  }

  /// Carries out `changes` in one transaction.
  public func apply(_ changes: [ControlChange]) throws(StorageFailure) {
    try withEngine { engine throws(StorageFailure) in try engine.apply(changes) }
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
    try withReader { engine throws(StorageFailure) in try engine.app(bundleID: bundleID) }
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
    try withReader { engine throws(StorageFailure) in
      try engine.devices(withKey: keyHash.bytes)
    }
  }

  /// Whether any device has one of these numbers.
  public func hasDevice(numbered numbers: Range<UInt64>) throws(StorageFailure) -> Bool {
    try withEngine { engine throws(StorageFailure) in try engine.hasDevice(numbered: numbers) }
  }

  /// By device.
  public func deviceCertificates() throws(StorageFailure) -> [DeviceCertificateRecord] {
    try rows(ControlRows.deviceCertificates)
  }

  /// By device, app and kind.
  public func registrations() throws(StorageFailure) -> [RegistrationRecord] {
    try rows(ControlRows.registrations)
  }

  /// By device.
  public func subscriptions() throws(StorageFailure) -> [SubscriptionRecord] {
    try rows(ControlRows.subscriptions)
  }

  /// The named value.
  public func setting(_ name: String) throws(StorageFailure) -> [UInt8]? {
    try withReader { engine throws(StorageFailure) in try engine.setting(name) }
  }

  /// Closes the file; later calls throw `.closed`.
  public func close() {
    reader.withLock { $0 = nil }
    engine.withLock { $0 = nil }
  }

  private func rows<Record: Sendable>(
    _ table: ControlRows<Record>
  ) throws(StorageFailure) -> [Record] {
    try withEngine { engine throws(StorageFailure) in try engine.rows(table) }
  }

  private func withReader<Answer: Sendable>(
    _ body: (ControlEngine) throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    let answer = try reader.withLock { reader throws(StorageFailure) -> Answer? in
      guard let reader else { return nil }
      return try body(reader)
    }
    if let answer { return answer }
    return try withEngine(body)
  }

  private func withEngine<Answer: Sendable>(
    _ body: (ControlEngine) throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    try engine.withLock { engine throws(StorageFailure) in
      guard let engine else { throw .closed }
      return try body(engine)
    }
  }
}
