internal import PushWire
public import Storage
public import Transport

/// A control store in a PostgreSQL database.
public final class PostgresControlStore: ControlStore {
  let server: PostgresServer
  /// The connection for reads, so that the gateway's main loop does not wait for changes.
  private let reader: PostgresServer
  let node: PostgresNode
  /// The claims of this process, if it is a node of a cluster.
  private let claims: PostgresClaims?

  /// Creates a store that uses open connections, and whose changes fail when the node's epoch ends.
  init(
    _ server: PostgresServer, reader: PostgresServer, node: PostgresNode, claims: PostgresClaims?
  ) {
    assert((claims == nil) == (node.number == nil), "the nodes of a cluster have claims")
    self.server = server
    self.reader = reader
    self.node = node
    self.claims = claims
  }

  /// The health of the store, which shows whether the database accepts writes.
  public var health: StoreHealth? { server.health }

  /// A value without damage, because rows in PostgreSQL have no checksums.
  public var damage: StoreDamage { .none }

  /// Returns no rows, because rows in PostgreSQL have no checksums.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { [] }

  /// Applies `changes` in one transaction and one round trip.
  ///
  /// A node of a cluster throws `.claimLost` if the registrations or subscriptions of a device change that it has not
  /// claimed.
  public func apply(_ changes: [ControlChange]) throws(StorageFailure) {
    guard !changes.isEmpty else { return }
    if let claims { return try apply(changes, with: claims) }
    _ = try server.write(
      [node.fence] + changes.flatMap(Self.calls) + [Self.progress(changes.count)])
  }

  /// Performs a write to test whether the database accepts writes.
  public func probe() throws(StorageFailure) {
    // The fence of a node of a cluster is its only write, because all nodes share the row of the progress.
    _ = try server.write(claims == nil ? [node.fence, Self.progress(0)] : [node.fence])
  }

  /// Returns all teams, sorted by creation time.
  public func teams() throws(StorageFailure) -> [TeamRecord] { try records(.all) }

  /// Returns all keys, including revoked ones, sorted by creation time.
  public func keys() throws(StorageFailure) -> [KeyRecord] { try records(.all) }

  /// Returns all provider certificates, including revoked ones, sorted by creation time.
  public func certificates() throws(StorageFailure) -> [CertificateRecord] { try records(.all) }

  /// Returns all apps, sorted by number.
  public func apps() throws(StorageFailure) -> [AppRecord] { try records(.all) }

  /// Returns the app with this bundle identifier.
  public func app(bundleID: String) throws(StorageFailure) -> AppRecord? {
    try records(.ofBundle, [.text(bundleID)]).first
  }

  /// Returns all channels, sorted by app, then by creation time.
  public func channels() throws(StorageFailure) -> [ChannelRecord] { try records(.all) }

  /// Returns the messages of channels that store their newest message.
  public func broadcasts() throws(StorageFailure) -> [BroadcastRecord] { try records(.all) }

  /// Returns all devices, including revoked ones, sorted by number.
  public func devices() throws(StorageFailure) -> [DeviceRecord] { try records(.all) }

  /// Returns the devices that enrolled with this key.
  public func devices(withKey keyHash: SHA256.Digest) throws(StorageFailure) -> [DeviceRecord] {
    let devices = try records(.withKey, [.data(keyHash.bytes)])
    assert(devices.allSatisfy { $0.keyHash == keyHash }, "every found device has this key")
    return devices
  }

  /// Returns the device with this number.
  public func device(number: UInt64) throws(StorageFailure) -> DeviceRecord? {
    try records(.ofNumber, [.bits(number)]).first
  }

  /// Returns true if any device has one of these numbers.
  public func hasDevice(numbered numbers: Range<UInt64>) throws(StorageFailure) -> Bool {
    assert(!numbers.isEmpty, "the range of numbers is not empty")
    let rows = try read(Self.deviceInRange, [.bits(numbers.lowerBound), .bits(numbers.upperBound)])
    return rows.count > 0
  }

  /// Returns all device certificates, sorted by device.
  public func deviceCertificates() throws(StorageFailure) -> [DeviceCertificateRecord] {
    try records(.all)
  }

  /// Returns the elements of `arrivals` that contain new information.
  public func newer(in arrivals: [DeviceArrival]) throws(StorageFailure) -> [DeviceArrival] {
    guard !arrivals.isEmpty else { return [] }
    let calls = arrivals.map { arrival in
      PostgresConnection.Call(
        Self.isNewer, [.bits(arrival.device), .text(arrival.tokenKey), .text(arrival.serial)])
    }
    assert(arrivals.allSatisfy { !$0.tokenKey.isEmpty }, "an arrival has a token key")
    let results = try reader.read(calls)
    assert(results.count == arrivals.count, "each statement has one result")
    return zip(arrivals, results).filter { $1.count > 0 && $1.integer(0, 0) != 0 }.map(\.0)
  }

  /// Returns the number of devices that have presented a certificate from this authority, and the earliest expiration.
  public func deviceCertificateSummary(
    authority: String, atSeconds now: Int64
  ) throws(StorageFailure) -> DeviceCertificateSummary {
    let rows = try read(Self.certificateSummary, [.text(authority), .integer(now)])
    guard rows.count > 0 else {
      return DeviceCertificateSummary(devices: 0, haveShown: 0, firstEnd: nil)
    }
    let summary = DeviceCertificateSummary(
      devices: Int(rows.integer(0, 0)), haveShown: Int(rows.integer(0, 1)),
      firstEnd: rows.optionalInteger(0, 2))
    assert(summary.firstEnd.map { $0 > now } ?? true, "the first expiration is in the future")
    return summary
  }

  /// Returns the number of valid tokens that each key sealed, by the name of the key.
  public func tokenCounts() throws(StorageFailure) -> [String?: Int] {
    let rows = try read(Self.tokenCounts)
    return Dictionary(
      (0..<rows.count).map { (rows.optionalText($0, 0), Int(rows.integer($0, 1))) },
      uniquingKeysWith: +)
  }

  /// Returns the number of devices, other than revoked ones, with a valid token of an app.
  public func deviceCount(ofApp app: UInt32) throws(StorageFailure) -> Int {
    let rows = try read(Self.deviceCount, [.integer(Int64(app))])
    return rows.count > 0 ? Int(rows.integer(0, 0)) : 0
  }

  /// Returns all registrations, sorted by device, app, and kind.
  public func registrations() throws(StorageFailure) -> [RegistrationRecord] { try records(.all) }

  /// Returns at most `limit` inactive registrations of an app and kind that follow the given position.
  public func unregistered(
    app: UInt32, kind: UInt8, after: FeedbackCursor, limit: Int
  ) throws(StorageFailure) -> [RegistrationRecord] {
    assert(limit > 0, "the limit is positive")
    let found = try records(
      .unregistered,
      [
        .integer(Int64(app)), .integer(Int64(kind)), .integer(after.changedMilliseconds),
        .bits(after.device), .integer(Int64(clamping: limit)),
      ])
    assert(
      found.count <= limit && found.allSatisfy { $0.state == .unregistered },
      "the database returns at most this many inactive registrations")
    return found
  }

  /// Returns the registration of a device, an app, and a kind.
  public func registration(of key: NotificationKey) throws(StorageFailure) -> RegistrationRecord? {
    try records(
      .ofKey, [.bits(key.device), .integer(Int64(key.app)), .integer(Int64(key.kind))]
    ).first
  }

  /// Returns a device's registrations, active or not, sorted by app and kind.
  public func registrations(
    ofDevice device: UInt64
  ) throws(StorageFailure) -> [RegistrationRecord] {
    let found = try records(.ofDevice, [.bits(device)])
    assert(found.allSatisfy { $0.key.device == device }, "the registrations belong to the device")
    return found
  }

  /// Returns all subscriptions, sorted by device.
  public func subscriptions() throws(StorageFailure) -> [SubscriptionRecord] { try records(.all) }

  /// Returns the upstreams of apps, sorted by the number of the app.
  public func upstreams() throws(StorageFailure) -> [UpstreamRecord] { try records(.all) }

  /// Returns the budgets of keys, sorted by the ID of the key.
  public func budgets() throws(StorageFailure) -> [BudgetRecord] { try records(.all) }

  /// Returns the budget of a key.
  public func budget(ofKey key: String) throws(StorageFailure) -> BudgetRecord? {
    try records(.budgetOfKey, [.text(key)]).first
  }

  /// Returns the named value.
  public func setting(_ name: String) throws(StorageFailure) -> [UInt8]? {
    let rows = try read(Self.setting, [.text(name)])
    return rows.count > 0 ? rows.bytes(0, 0) : nil
  }

  /// Closes the connections; later calls throw `.closed`.
  public func close() {
    reader.close()
    server.close()
  }

  private func records<Record: Sendable>(
    _ table: PostgresControlRows<Record>, _ parameters: [PostgresValue] = []
  ) throws(StorageFailure) -> [Record] {
    try server.records(table, in: try read(table.statement, parameters))
  }

  private func read(
    _ statement: PostgresConnection.Statement, _ parameters: [PostgresValue] = []
  ) throws(StorageFailure) -> PostgresRows {
    guard let rows = try reader.read([.init(statement, parameters)]).first else {
      throw server.invalidRow("answer")
    }
    return rows
  }

  private static let deviceInRange = PostgresConnection.Statement(
    name: "device_in_range",
    sql: "SELECT 1 FROM device WHERE number >= $1 AND number < $2 LIMIT 1")
  private static let isNewer = PostgresConnection.Statement(
    name: "is_newer",
    sql: """
      SELECT token_key IS DISTINCT FROM $2 OR EXISTS (
        SELECT 1 FROM device_certificate WHERE serial = $3 AND device = $1 AND shown = 0)
      FROM device WHERE number = $1
      """)
  private static let certificateSummary = PostgresConnection.Statement(
    name: "certificate_summary",
    sql: """
      SELECT count(*), count(*) FILTER (WHERE has), min(ends) FILTER (WHERE ends > $2) FROM (
        SELECT bool_or(c.shown = 1 AND c.authority IS NOT DISTINCT FROM $1) AS has,
          max(c.not_after) FILTER (WHERE c.shown = 1) AS ends
        FROM device d LEFT JOIN device_certificate c ON c.device = d.number
        WHERE d.revoked IS NULL GROUP BY d.number) AS latest
      """)
  private static let tokenCounts = PostgresConnection.Statement(
    name: "token_counts",
    sql: """
      SELECT d.token_key, count(*) FROM registration r JOIN device d ON d.number = r.device
      WHERE r.state <> 3 AND d.revoked IS NULL GROUP BY d.token_key
      """)
  private static let deviceCount = PostgresConnection.Statement(
    name: "device_count",
    sql: """
      SELECT count(DISTINCT r.device) FROM registration r JOIN device d ON d.number = r.device
      WHERE r.app = $1 AND r.state <> 3 AND d.revoked IS NULL
      """)
  private static let setting = PostgresConnection.Statement(
    name: "setting", sql: "SELECT value FROM setting WHERE name = $1")
}
