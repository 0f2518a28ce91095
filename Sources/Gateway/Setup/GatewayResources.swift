internal import BelfryWire
package import Storage
package import System
package import Transport

/// Everything that a gateway depends on outside its own code: the machine's, or a simulation's.
package struct GatewayResources {
  /// Teams, keys, apps, devices, registrations, channels.
  package var controlStore: any ControlStore
  /// Undelivered notifications.
  package var notificationStore: any NotificationStore
  /// Issues devices' certificates.
  package var authority: any DeviceCertificateIssuer
  /// What the numbers of this start's new devices begin with.
  package var epoch: UInt32
  /// What a person should know of a folder that was restored from a copy.
  package var restoration: String?
  /// What a person should know of a folder that has lost something.
  package var losses: [String] = []
  /// Whether the disk of the control store takes writes; nil for a store without a disk.
  package var controlHealth: StoreHealth?
  /// Whether the disk of the notifications' store takes writes; nil for a store without a disk.
  package var notificationHealth: StoreHealth?
  /// The rows that each store has set aside, by the name of its file.
  var damages: [(name: String, damage: StoreDamage)] {
    [("control.sqlite", controlStore.damage), ("notifications.sqlite", notificationStore.damage)]
  }
  /// Refuses revoked certificates in TLS handshakes.
  package var revocations = CertificateRevocations()
  /// The first team, its key, and the enrolment code.
  package var identity: FirstIdentity
  /// The admin API's token.
  package var adminToken = ""
  /// The keys of device tokens, the sealing one first.
  package var tokenKeys: [[UInt8]]
  /// The listeners' TLS configuration.
  package var security: ListenerSecurity
  /// What the listeners show, and where it is read anew; nil without a folder.
  var certificates: (shown: ShownCertificates, source: CertificateSource)?
  /// When the gateway's certificates end.
  let certificateEnds = CertificateEnds()
  /// Where connections come from.
  package var listeners: any ListenerFactory = SocketListenerFactory()
  /// Where the event loops run.
  package var loops: any LoopRunner = ThreadLoopRunner()
  /// Where the writers work.
  package var batches: any BatchRunner = ThreadBatchRunner()
  /// Makes the delivery log of the loop with that number.
  package var makeDeliveryLog: @Sendable (Int) throws(SystemFailure) -> DeliveryLog
  /// The seed of all random numbers; nil for the kernel's randomness.
  package var randomSeed: UInt64?
  /// The administration's clock, in milliseconds since 1970.
  package var unixMilliseconds: @Sendable () -> Int64 = { SystemClock.unixMilliseconds }
  /// Waits, on an administrator's thread, until that many loops have handled a change.
  package var waitForChange: @Sendable (ChangeBarrier, Int) -> Void = { $0.wait(for: $1) }
  /// Called on each loop when it starts, so that a test can check its invariants.
  package var didStartLoop: (@Sendable (GatewayLoop) -> Void)?

  /// Creates resources from those without a default.
  package init(
    controlStore: any ControlStore, notificationStore: any NotificationStore,
    authority: any DeviceCertificateIssuer, identity: FirstIdentity, epoch: UInt32,
    tokenKeys: [[UInt8]], security: ListenerSecurity,
    makeDeliveryLog: @escaping @Sendable (Int) throws(SystemFailure) -> DeliveryLog
  ) {
    self.controlStore = controlStore
    self.notificationStore = notificationStore
    self.authority = authority
    self.identity = identity
    self.epoch = epoch
    self.tokenKeys = tokenKeys
    self.security = security
    self.makeDeliveryLog = makeDeliveryLog
  }
}

extension GatewayResources {
  /// Opens the resources in the folder of `configuration`, creating what is missing.
  static func inFolder(
    of configuration: GatewayConfiguration, log: Log
  ) throws -> GatewayResources {
    let folder = GatewayFolder(path: configuration.folder)
    let now = SystemClock.unixMilliseconds
    let names = ServerNames(of: configuration)
    let recovery = FolderRecovery(of: folder, isAllowed: configuration.recovers, log: log)
    try recovery.checkFiles()
    let stores = try openStores(in: folder, recovery)
    let authority = try recovery.open(.authority) {
      try folder.authorities(hosts: names.hosts, nowSeconds: now / 1_000)
    }
    if !authority.isRotating { try folder.removeFormerKeys(authority) }
    let identity = try FirstIdentity.makeOrRead(
      in: folder, store: stores.control, environment: configuration.environment,
      nowMilliseconds: now)
    let epoch = try FolderEpoch.begin(in: stores.control, stores.notifications)
    let restoration = [try FolderBackup.consumeNotice(in: folder), epoch.restoration]
      .compactMap(\.self)
    let revocations = CertificateRevocations()
    let source = CertificateSource(folder: folder, revocations: revocations, log: log)
    let shown = try source.load(configuration, names, authority, nowSeconds: now / 1_000)
    let tokenKeys = try recovery.open(.tokenKeys) { try folder.tokenKeys() }
    try recovery.writeManifest()
    var resources = GatewayResources(
      controlStore: stores.control, notificationStore: stores.notifications, authority: authority,
      identity: identity, epoch: epoch.number, tokenKeys: tokenKeys,
      security: shown.security
    ) { index throws(SystemFailure) in
      try deliveryLog(of: index, in: folder, log: log)
    }
    resources.revocations = revocations
    resources.certificates = (shown, source)
    resources.restoration = restoration.isEmpty ? nil : restoration.joined(separator: "; ")
    resources.losses = recovery.notices
    resources.controlHealth = stores.control.health
    resources.notificationHealth = stores.notifications.health
    resources.adminToken = try folder.adminToken(from: configuration.adminTokenFile)
    let exposed = folder.exposedFiles
    if !exposed.isEmpty {
      log.warning(
        "others of this machine may read what is secret: chmod 700 the folder",
        ["folder": folder.path, "files": exposed.joined(separator: " ")])
    }
    return resources
  }

  /// Opens the stores, after a check for damage, and notes what they have lost.
  private static func openStores(
    in folder: GatewayFolder, _ recovery: FolderRecovery
  ) throws -> (control: SQLiteControlStore, notifications: SQLiteNotificationStore) {
    let control = try recovery.open(.controlStore) {
      recovery.note(
        try SQLiteControlStore.inspect(path: folder.controlStoreFile), of: "control.sqlite")
      return try SQLiteControlStore(path: folder.controlStoreFile)
    }
    let notifications = try recovery.open(.notificationStore) {
      recovery.note(
        try SQLiteNotificationStore.inspect(path: folder.notificationStoreFile),
        of: "notifications.sqlite")
      return try SQLiteNotificationStore(path: folder.notificationStoreFile)
    }
    recovery.note(
      lost: try control.lostCount(), what: "changes of devices, apps and registrations",
      of: "control.sqlite")
    recovery.note(
      lost: try notifications.lostCount(), what: "notifications", of: "notifications.sqlite")
    try control.forgetLost()
    try notifications.forgetLost()
    return (control, notifications)
  }

  /// Opens the delivery log of a loop, in memory if the folder has no room: pushes matter more.
  private static func deliveryLog(
    of index: Int, in folder: GatewayFolder, log: Log
  ) throws(SystemFailure) -> DeliveryLog {
    do throws(SystemFailure) {
      return try DeliveryLog(
        file: folder.deliveryLogFile(loop: index), capacity: Limits.deliveryLogLines)
    } catch {
      log.warning(
        "keeps the delivery log in memory, until the gateway stops", ["why": "\(error)"])
      return try DeliveryLog(capacity: Limits.deliveryLogLines)
    }
  }
}
