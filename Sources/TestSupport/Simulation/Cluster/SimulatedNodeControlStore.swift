import PushWire
import Storage
import Transport

/// A node's access to the configuration in a simulated database, with the semantics of `PostgresControlStore`: the
/// registrations and subscriptions of a device change only if the node has claimed the device.
final class SimulatedNodeControlStore: ControlStore, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let session: SimulatedSession
  private let server: SimulatedServer

  init(in session: SimulatedSession) {
    self.session = session
    server = SimulatedServer("control", in: session)
  }

  private var database: SimulatedDatabase { session.database }
  private var store: SimulatedControlStore { session.database.control }

  var health: StoreHealth? { server.health }
  var damage: StoreDamage { store.damage }
  func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { [] }

  func apply(_ changes: [ControlChange]) throws(StorageFailure) {
    let devices = Set(changes.compactMap(\.claimedDevice))
    let claims = session.claims
    let held = claims.held(devices)
    guard held.count == devices.count else {
      throw .claimLost(devices: devices.subtracting(held.keys).sorted())
    }
    let session = session
    do throws(StorageFailure) {
      try server.write("\(changes.count) changes", changing: devices, believed: ()) {
        () throws(StorageFailure) in
        try session.fence()
        let database = session.database
        try database.check(held, of: session.number)
        try database.saveSnapshots(of: held.keys)
        var subjects: [ClusterChange.Subject] = []
        for subject in changes.compactMap(\.clusterSubject) where !subjects.contains(subject) {
          subjects.append(subject)
        }
        if !subjects.isEmpty { try database.saveDirectory() }
        try database.control.apply(changes)
        database.record(subjects)
      }
    } catch {
      guard case .claimLost(let devices) = error else { throw error }
      throw .claimLost(devices: claims.lose(devices).sorted())
    }
  }

  func probe() throws(StorageFailure) {
    let session = session
    try server.write("a probe") { () throws(StorageFailure) in try session.fence() }
  }

  /// The configuration before its latest change, if this process has just started, and reads it too early.
  private var earlyDirectory: SimulatedSnapshots.Directory? {
    guard database.cluster.world.planted == .loadBeforeFollow, session.isStarting else {
      return nil
    }
    return database.earlier.directory(at: session.startNanoseconds)
  }

  private func read<Answer>(
    _ body: () throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer { try server.read(body) }

  func teams() throws(StorageFailure) -> [TeamRecord] {
    try read { () throws(StorageFailure) in try store.teams() }
  }
  func keys() throws(StorageFailure) -> [KeyRecord] {
    if let early = earlyDirectory { return early.keys }
    return try read { () throws(StorageFailure) in try store.keys() }
  }
  func upstreams() throws(StorageFailure) -> [UpstreamRecord] {
    try read { () throws(StorageFailure) in try store.upstreams() }
  }
  func budgets() throws(StorageFailure) -> [BudgetRecord] {
    try read { () throws(StorageFailure) in try store.budgets() }
  }
  func budget(ofKey key: String) throws(StorageFailure) -> BudgetRecord? {
    try read { () throws(StorageFailure) in try store.budget(ofKey: key) }
  }
  func certificates() throws(StorageFailure) -> [CertificateRecord] {
    if let early = earlyDirectory { return early.certificates }
    return try read { () throws(StorageFailure) in try store.certificates() }
  }
  func apps() throws(StorageFailure) -> [AppRecord] {
    if let early = earlyDirectory { return early.apps }
    return try read { () throws(StorageFailure) in try store.apps() }
  }
  func app(bundleID: String) throws(StorageFailure) -> AppRecord? {
    try read { () throws(StorageFailure) in try store.app(bundleID: bundleID) }
  }
  func channels() throws(StorageFailure) -> [ChannelRecord] {
    if let early = earlyDirectory { return early.channels }
    return try read { () throws(StorageFailure) in try store.channels() }
  }
  func broadcasts() throws(StorageFailure) -> [BroadcastRecord] {
    if let early = earlyDirectory { return early.broadcasts }
    return try read { () throws(StorageFailure) in try store.broadcasts() }
  }
  func devices() throws(StorageFailure) -> [DeviceRecord] {
    try read { () throws(StorageFailure) in try store.devices() }
  }
  func devices(withKey keyHash: SHA256.Digest) throws(StorageFailure) -> [DeviceRecord] {
    try read { () throws(StorageFailure) in try store.devices(withKey: keyHash) }
  }
  func device(number: UInt64) throws(StorageFailure) -> DeviceRecord? {
    try read { () throws(StorageFailure) in try store.device(number: number) }
  }
  func hasDevice(numbered numbers: Range<UInt64>) throws(StorageFailure) -> Bool {
    try read { () throws(StorageFailure) in try store.hasDevice(numbered: numbers) }
  }
  func deviceCertificates() throws(StorageFailure) -> [DeviceCertificateRecord] {
    try read { () throws(StorageFailure) in try store.deviceCertificates() }
  }
  func newer(in arrivals: [DeviceArrival]) throws(StorageFailure) -> [DeviceArrival] {
    try read { () throws(StorageFailure) in try store.newer(in: arrivals) }
  }
  func deviceCertificateSummary(
    authority: String, atSeconds now: Int64
  ) throws(StorageFailure) -> DeviceCertificateSummary {
    try read { () throws(StorageFailure) in
      try store.deviceCertificateSummary(authority: authority, atSeconds: now)
    }
  }
  func tokenCounts() throws(StorageFailure) -> [String?: Int] {
    try read { () throws(StorageFailure) in try store.tokenCounts() }
  }
  func deviceCount(ofApp app: UInt32) throws(StorageFailure) -> Int {
    try read { () throws(StorageFailure) in try store.deviceCount(ofApp: app) }
  }
  func registrations() throws(StorageFailure) -> [RegistrationRecord] {
    try read { () throws(StorageFailure) in try store.registrations() }
  }
  func registration(of key: NotificationKey) throws(StorageFailure) -> RegistrationRecord? {
    try read { () throws(StorageFailure) in try store.registration(of: key) }
  }
  func registrations(ofDevice device: UInt64) throws(StorageFailure) -> [RegistrationRecord] {
    try read { () throws(StorageFailure) in try store.registrations(ofDevice: device) }
  }
  func unregistered(
    app: UInt32, kind: UInt8, after: FeedbackCursor, limit: Int
  ) throws(StorageFailure) -> [RegistrationRecord] {
    try read { () throws(StorageFailure) in
      try store.unregistered(app: app, kind: kind, after: after, limit: limit)
    }
  }
  func subscriptions() throws(StorageFailure) -> [SubscriptionRecord] {
    try read { () throws(StorageFailure) in try store.subscriptions() }
  }
  func setting(_ name: String) throws(StorageFailure) -> [UInt8]? {
    try read { () throws(StorageFailure) in try store.setting(name) }
  }

  /// Does nothing, because the session ends with the process.
  func close() {}
}

extension SimulatedDatabase {
  /// Saves the configuration before a change, if a starting node is to read too early.
  fileprivate func saveDirectory() throws(StorageFailure) {
    guard cluster.world.planted == .loadBeforeFollow else { return }
    earlier.save(
      SimulatedSnapshots.Directory(
        keys: try control.keys(), certificates: try control.certificates(),
        apps: try control.apps(), channels: try control.channels(),
        broadcasts: try control.broadcasts()),
      at: cluster.world.time.now)
  }
}
