import BelfryWire
import Storage
import Transport

/// A notification store on a simulated disk, which can fail, be full, or lose reads.
final class SimulatedNotificationStore: NotificationStore, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let world: GatewaySimulation
  private var contents = MemoryNotificationStore()
  /// The rows in the copy of the folder; nil if there is no copy.
  private var copy: [StoredNotification]?
  /// The number of upcoming commits that fail, regardless of the world's profile.
  var failingCommits = 0
  /// The number of upcoming loads that fail.
  var failingLoads = 0
  /// True if the store might contain rows that their devices acknowledged long ago.
  ///
  /// This is possible after a commit failed or a copy was restored.
  private(set) var mayHaveSettledRows = false

  init(in world: GatewaySimulation) { self.world = world }

  /// Copies the folder.
  func makeCopy() {
    do throws(StorageFailure) {
      var rows: [StoredNotification] = []
      for device in try contents.devices() {
        rows += try contents.load(device: device, after: 0, limit: .max)
      }
      copy = rows
    } catch {
      world.fail("the store could not be copied: \(error)")
    }
  }

  /// Restores the copy while the gateway is not running; returns false if there is no copy.
  func restoreCopy() -> Bool {
    guard let copy else { return false }
    let restored = MemoryNotificationStore()
    do throws(StorageFailure) {
      try restored.commit(copy.map { .put($0, keep: .max) })
    } catch {
      world.fail("the copy could not be restored: \(error)")
    }
    contents = restored
    mayHaveSettledRows = true
    return true
  }

  func commit(
    _ operations: [StoreOperation]
  ) throws(StorageFailure) -> [DroppedNotification] {
    var hasPut = false
    for case .put(let row, _) in operations {
      hasPut = true
      world.expect(
        row.expiration > world.earliestUnixSeconds,
        "\(world.name(of: row.payload)) was stored, although it allows only a single attempt")
    }
    let dropped: [DroppedNotification]
    do throws(StorageFailure) {
      try failIfDue(hasPut: hasPut, operations.count)
      dropped = try contents.commit(operations)
    } catch {
      mayHaveSettledRows = true
      throw error
    }
    for one in dropped where one.reason == .expired {
      if let number = GatewaySimulation.push(one.id) { world.ledger.expired(number) }
    }
    world.note("a commit of \(operations.count) operations is durable")
    return dropped
  }

  private func failIfDue(hasPut: Bool, _ count: Int) throws(StorageFailure) {
    if failingCommits > 0 {
      failingCommits -= 1
      throw .diskFull(path: "notifications")
    }
    if hasPut, world.isDiskFull { throw .diskFull(path: "notifications") }
    try world.maybeFail(.commits, "a commit of \(count) operations")
  }

  func load(
    device: UInt64, after: UInt64, limit: Int
  ) throws(StorageFailure) -> [StoredNotification] {
    if failingLoads > 0 {
      failingLoads -= 1
      throw .corrupt(path: "notifications", detail: "a simulated fault")
    }
    try world.maybeFail(.loads, "loading the notifications of device \(device)")
    return try contents.load(device: device, after: after, limit: limit)
  }

  func highestSequence() throws(StorageFailure) -> UInt64 { try contents.highestSequence() }
  func count() throws(StorageFailure) -> Int { try contents.count() }
  func devices() throws(StorageFailure) -> [UInt64] { try contents.devices() }

  /// Returns a device's rows, without a fault.
  func rows(of device: UInt64) throws(StorageFailure) -> [StoredNotification] {
    try contents.load(device: device, after: 0, limit: .max)
  }

  /// Does nothing, because the disk is kept for the next process.
  func close() {}
}

/// The real control store, in memory, on a simulated disk.
///
/// Changes that have been applied survive a crash.
final class SimulatedControlStore: ControlStore, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let world: GatewaySimulation
  private var contents: SQLiteControlStore
  /// All changes that were ever applied, in order.
  ///
  /// A copy of the folder is a prefix of these changes.
  private var applied: [ControlChange] = []
  /// The number of changes in the copy of the folder; nil if there is no copy.
  private var copied: Int?
  /// The number of upcoming changes that fail, regardless of the world's profile.
  var failingChanges = 0
  /// The number of upcoming reads of apps that fail, regardless of the world's profile.
  var failingAppReadings = 0
  /// The number of upcoming reads of keys that fail, regardless of the world's profile.
  var failingKeyReadings = 0
  /// The number of times that keys were read.
  private(set) var keyReadings = 0
  /// The number of times that apps were read.
  private(set) var appReadings = 0
  /// The number of times that a single app was looked up.
  private(set) var appLookUps = 0
  /// Every registration that was ever on disk, with its generation.
  private(set) var durableRegistrations: Set<RegistrationRecord> = []
  /// Every device that was ever on disk.
  ///
  /// Messages to a device can be in transit while an older copy is restored.
  private(set) var durableDevices: Set<UInt64> = []
  /// The apps' numbers, by bundle identifier.
  private(set) var appNumbers: [String: UInt32] = [:]
  /// Every channel that was ever on disk.
  ///
  /// Messages on a channel can be in transit while an older copy is restored.
  private(set) var durableChannels: Set<[UInt8]> = []

  init(in world: GatewaySimulation) throws(StorageFailure) {
    self.world = world
    contents = try .inMemory()
  }

  var damage: StoreDamage { contents.damage }

  func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { try contents.rowsSetAside() }

  func apply(_ changes: [ControlChange]) throws(StorageFailure) {
    if failingChanges > 0 {
      failingChanges -= 1
      throw .diskFull(path: "control")
    }
    if world.isDiskFull { throw .diskFull(path: "control") }
    try world.maybeFail(.changes, "a commit of \(changes.count) changes")
    try contents.apply(changes)
    applied += changes
    for change in changes { note(change) }
  }

  /// Copies the folder.
  func makeCopy() { copied = applied.count }

  /// Restores the copy while the gateway is not running; returns false if there is no copy.
  func restoreCopy() -> Bool {
    guard let copied else { return false }
    applied.removeSubrange(copied...)
    do throws(StorageFailure) {
      contents = try .inMemory()
      try contents.apply(applied)
    } catch {
      world.fail("the copy could not be restored: \(error)")
    }
    appNumbers = [:]
    for case .putApp(let app) in applied { appNumbers[app.bundleID] = app.number }
    return true
  }

  /// Returns the record of a device, without a fault.
  func record(ofDevice number: UInt64) throws(StorageFailure) -> DeviceRecord? {
    try contents.device(number: number)
  }

  /// Returns true if a device exists and is revoked.
  func isRevoked(_ device: UInt64) -> Bool {
    (try? contents.device(number: device))?.revokedMilliseconds != nil
  }

  private func note(_ change: ControlChange) {
    switch change {
    case .putRegistration(let record):
      world.note(
        "device \(record.key.device) app \(record.key.app) is \(record.state) with generation "
          + "\(record.generation) on disk")
      durableRegistrations.insert(
        RegistrationRecord(
          key: record.key, generation: record.generation, state: .active, changedMilliseconds: 0))
      if record.state == .unregistered { world.ledger.unregistered(record.key) }
    case .putApp(let app): appNumbers[app.bundleID] = app.number
    case .putDevice(let device): durableDevices.insert(device.number)
    case .putChannel(let channel): durableChannels.insert(channel.id)
    case .putBroadcast(let record):
      world.broadcasts.stored(record)
    default: break
    }
  }

  /// Returns true if a token for this registration and generation can exist in the world.
  func wasDurable(_ key: NotificationKey, generation: UInt16) -> Bool {
    durableRegistrations.contains(
      RegistrationRecord(key: key, generation: generation, state: .active, changedMilliseconds: 0))
  }

  /// The current registrations, whether or not the user has disabled them.
  var registered: Set<NotificationKey> {
    Set(((try? contents.registrations()) ?? []).filter { $0.state != .unregistered }.map(\.key))
  }

  /// The subscriptions, without the last message that each of them has received.
  var subscribers: Set<SubscriptionRecord> {
    let records = (try? contents.subscriptions()) ?? []
    return Set(records.map { SubscriptionRecord(device: $0.device, channel: $0.channel) })
  }

  func teams() throws(StorageFailure) -> [TeamRecord] { try contents.teams() }
  func keys() throws(StorageFailure) -> [KeyRecord] {
    keyReadings += 1
    if failingKeyReadings > 0 {
      failingKeyReadings -= 1
      throw .closed
    }
    return try contents.keys()
  }
  func upstreams() throws(StorageFailure) -> [UpstreamRecord] { try contents.upstreams() }
  func budgets() throws(StorageFailure) -> [BudgetRecord] { try contents.budgets() }
  func budget(ofKey key: String) throws(StorageFailure) -> BudgetRecord? {
    try contents.budget(ofKey: key)
  }
  func certificates() throws(StorageFailure) -> [CertificateRecord] { try contents.certificates() }
  func apps() throws(StorageFailure) -> [AppRecord] {
    appReadings += 1
    if failingAppReadings > 0 {
      failingAppReadings -= 1
      throw .closed
    }
    try world.maybeFail(.readings, "reading the apps")
    return try contents.apps()
  }
  func app(bundleID: String) throws(StorageFailure) -> AppRecord? {
    appLookUps += 1
    try world.maybeFail(.readings, "reading an app")
    return try contents.app(bundleID: bundleID)
  }
  func channels() throws(StorageFailure) -> [ChannelRecord] { try contents.channels() }
  func broadcasts() throws(StorageFailure) -> [BroadcastRecord] { try contents.broadcasts() }
  func devices() throws(StorageFailure) -> [DeviceRecord] { try contents.devices() }
  func devices(
    withKey keyHash: SHA256.Digest
  ) throws(StorageFailure) -> [DeviceRecord] {
    try world.maybeFail(.readings, "reading a device")
    return try contents.devices(withKey: keyHash)
  }
  func device(number: UInt64) throws(StorageFailure) -> DeviceRecord? {
    try contents.device(number: number)
  }
  func hasDevice(numbered numbers: Range<UInt64>) throws(StorageFailure) -> Bool {
    try contents.hasDevice(numbered: numbers)
  }
  func deviceCertificates() throws(StorageFailure) -> [DeviceCertificateRecord] {
    try contents.deviceCertificates()
  }
  func newer(in arrivals: [DeviceArrival]) throws(StorageFailure) -> [DeviceArrival] {
    try contents.newer(in: arrivals)
  }
  func deviceCertificateSummary(
    authority: String, atSeconds now: Int64
  ) throws(StorageFailure) -> DeviceCertificateSummary {
    try contents.deviceCertificateSummary(authority: authority, atSeconds: now)
  }
  func tokenCounts() throws(StorageFailure) -> [String?: Int] { try contents.tokenCounts() }
  func deviceCount(ofApp app: UInt32) throws(StorageFailure) -> Int {
    try contents.deviceCount(ofApp: app)
  }
  func registrations() throws(StorageFailure) -> [RegistrationRecord] {
    try world.maybeFail("reading the registrations")
    return try contents.registrations()
  }
  func registration(
    of key: NotificationKey
  ) throws(StorageFailure) -> RegistrationRecord? { try contents.registration(of: key) }
  func registrations(
    ofDevice device: UInt64
  ) throws(StorageFailure) -> [RegistrationRecord] {
    try contents.registrations(ofDevice: device)
  }
  func unregistered(
    app: UInt32, kind: UInt8, after: FeedbackCursor, limit: Int
  ) throws(StorageFailure) -> [RegistrationRecord] {
    try world.maybeFail("reading the feedback")
    return try contents.unregistered(app: app, kind: kind, after: after, limit: limit)
  }
  func subscriptions() throws(StorageFailure) -> [SubscriptionRecord] {
    try contents.subscriptions()
  }
  func setting(_ name: String) throws(StorageFailure) -> [UInt8]? { try contents.setting(name) }

  /// Does nothing, because the disk is kept for the next process.
  func close() {}
}
