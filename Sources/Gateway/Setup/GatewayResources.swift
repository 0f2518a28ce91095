internal import BelfryWire
internal import MessageBus
internal import PostgresStorage
package import Storage
package import System
package import Transport

/// The external dependencies of a gateway, which the machine or a simulation provides.
package struct GatewayResources {
  /// The store of teams, keys, apps, devices, registrations, and channels.
  package var controlStore: any ControlStore
  /// The store of undelivered notifications.
  package var notificationStore: any NotificationStore
  /// The issuer of device certificates.
  package var authority: any DeviceCertificateIssuer
  /// The epoch of this start, with which the numbers of new devices begin.
  package var epoch: UInt32
  /// A notice for the operator about a folder that was restored from a backup.
  package var restoration: String?
  /// Notices for the operator about lost data, and about a database that can lose data.
  package var notices: [String] = []
  /// The damaged rows that each store has set aside, with the name of the store.
  var damages: [(name: String, damage: StoreDamage)] {
    [
      (controlStore.health?.name ?? "control.sqlite", controlStore.damage),
      (notificationStore.health?.name ?? "notifications.sqlite", notificationStore.damage),
    ]
  }
  /// The cluster that the gateway is a node of; nil for a single gateway.
  package var cluster: ClusterResources?
  /// The keys that the nodes of the cluster share; nil for a single gateway.
  var secrets: ClusterSecrets?
  /// The revoked certificates, which TLS handshakes reject.
  package var revocations = CertificateRevocations()
  /// The first team, its key, and the enrollment code.
  package var identity: FirstIdentity
  /// The admin API's token.
  package var adminToken = ""
  /// The keys of device tokens, starting with the sealing key.
  package var tokenKeys: [[UInt8]]
  /// The number of the cluster whose devices the tokens name.
  var cell: UInt16 = 0
  /// The listeners' TLS configuration.
  package var security: ListenerSecurity
  /// The listeners' certificates and the source that reloads them; nil if there is no folder.
  var certificates: (shown: ListenerCertificates, source: CertificateSource)?
  /// The expiration times of the gateway's certificates.
  let certificateEnds = CertificateEnds()
  /// The factory that creates the listeners.
  package var listeners: any ListenerFactory = SocketListenerFactory()
  /// The environment in which the event loops run.
  package var loops: any LoopRunner = ThreadLoopRunner()
  /// The environment in which the writers of the stores run.
  package var batches: any BatchRunner = ThreadBatchRunner()
  /// A function that creates the delivery log of the loop with the given number.
  package var makeDeliveryLog: @Sendable (Int) throws(SystemFailure) -> DeliveryLog
  /// The factory of connections to upstreams; nil if the program cannot relay pushes.
  package var makeCarrier: UpstreamCarrierFactory?
  /// The seed of all random numbers; nil to use the kernel's random numbers.
  package var randomSeed: UInt64?
  /// The administration's clock, in milliseconds since 1970.
  package var unixMilliseconds: @Sendable () -> Int64 = { SystemClock.unixMilliseconds }
  /// A function that blocks an administrator's thread until the given number of loops have handled a change.
  package var waitForChange: @Sendable (ChangeBarrier, Int) -> Void = { $0.wait(for: $1) }
  /// A function that is called on each loop when the loop starts, so that a test can check its invariants.
  package var didStartLoop: (@Sendable (GatewayLoop) -> Void)?

  /// Creates resources from the values that have no default.
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
  /// Opens the resources in the folder of `configuration`, creating any missing ones.
  static func inFolder(
    of configuration: GatewayConfiguration, log: Log
  ) throws -> GatewayResources {
    let folder = GatewayFolder(path: configuration.folder)
    let now = SystemClock.unixMilliseconds
    let names = ServerNames(of: configuration)
    // Check the operator's certificate before writing anything to the folder.
    try configuration.checkCertificate()
    try folder.checkStoreLocation(configuration.store)
    let recovery = FolderRecovery(
      of: folder, storesIn: configuration.store, isAllowed: configuration.recovers, log: log)
    try recovery.checkFiles()
    let stores: (control: any ControlStore, notifications: any NotificationStore)
    var warnings: [String] = []
    var node: FolderCluster?
    var membership: (any ClusterMembership)?
    var isComplete = false
    // Leave the cluster if the start fails, so that the other nodes do not wait until this node's lease ends.
    defer { if !isComplete { try? membership?.leave() } }
    switch configuration.store {
    case .folder: stores = try openStores(in: folder, recovery)
    case .database(let address):
      // A start under a name stops the node that has the name, so a start that must fail changes nothing.
      if configuration.cluster != nil {
        try configuration.ports.requireFree(on: configuration.host)
      }
      let opened = try folder.openStores(
        in: address, isComplete: folder.isComplete, recovers: configuration.recovers,
        asNode: configuration.cluster?.nodeName
      ) { database in
        guard let options = configuration.cluster else { return }
        try FolderCluster.check(options, database, at: address)
      }
      membership = opened.cluster?.membership
      if let options = configuration.cluster {
        node = try FolderCluster(options, opened, folder)
        log.info(
          "this gateway is a node of a cluster",
          ["node": options.nodeName, "database": address.url, "bus": options.bus.address.url])
      } else {
        log.info(
          "keeping the data in a PostgreSQL database, which no other gateway can use",
          ["database": address.url])
      }
      for warning in opened.warnings { log.warning("\(warning)") }
      warnings = opened.warnings
      stores = (opened.control, opened.notifications)
    }
    try node?.pullSecrets()
    let authority = try recovery.open(.authority) {
      try folder.authorities(hosts: names.hosts, nowSeconds: now / 1_000)
    }
    let tokenKeys = try recovery.open(.tokenKeys) { try folder.tokenKeys() }
    try node?.pushSecrets()
    if !authority.isRotating { try folder.removeFormerKeys(authority) }
    let identity = try FirstIdentity.makeOrRead(
      in: folder, store: stores.control, environment: configuration.environment,
      nowMilliseconds: now)
    // The nodes of a cluster share the stores, so a node cannot detect that they were restored.
    let epoch =
      try node == nil
      ? FolderEpoch.begin(in: stores.control, stores.notifications)
      : FolderEpoch.draw(in: stores.control)
    let restoration = try RestorationNotice.begin(in: folder, stores: epoch.restoration)
    let revocations = CertificateRevocations()
    let source = CertificateSource(folder: folder, revocations: revocations, log: log)
    let shown = try source.load(configuration, names, authority, nowSeconds: now / 1_000)
    try recovery.writeManifest()
    var resources = GatewayResources(
      controlStore: stores.control, notificationStore: stores.notifications, authority: authority,
      identity: identity, epoch: epoch.number, tokenKeys: tokenKeys,
      security: shown.security
    ) { index throws(SystemFailure) in
      try deliveryLog(of: index, in: folder, log: log)
    }
    resources.cell = try ControlSetting.cell(in: stores.control)
    resources.cluster = node?.resources
    resources.secrets = node?.secrets
    resources.revocations = revocations
    resources.certificates = (shown, source)
    resources.restoration = restoration
    resources.notices = recovery.notices + warnings
    resources.adminToken = try folder.adminToken(from: configuration.adminTokenFile)
    let exposed = folder.exposedFiles
    if !exposed.isEmpty {
      log.warning(
        "insecure permissions: other users can read secrets in the data folder; run chmod 700 on it",
        ["folder": folder.path, "files": exposed.joined(separator: " ")])
    }
    for file in configuration.secretFiles where FileSystem.isReadableByAll(file) {
      log.warning("\(GatewayCondition.exposedFile): run chmod 600 on it", ["file": file])
    }
    isComplete = true
    return resources
  }

  /// Opens the stores after checking them for damage, and reports any losses.
  private static func openStores(
    in folder: GatewayFolder, _ recovery: FolderRecovery
  ) throws -> (control: any ControlStore, notifications: any NotificationStore) {
    let control = try recovery.open(.controlStore) {
      recovery.note(try folder.inspectControlStore(), of: "control.sqlite")
      return try folder.openControlFile()
    }
    let notifications = try recovery.open(.notificationStore) {
      recovery.note(try folder.inspectNotificationStore(), of: "notifications.sqlite")
      try recovery.noteConversion()
      return try folder.openNotificationStore()
    }
    recovery.note(
      lost: try control.lostCount(), "change of a device, app or registration",
      "changes of devices, apps and registrations", of: "control.sqlite")
    recovery.note(
      lost: try notifications.lostCount(), "notification", "notifications",
      of: "notifications.sqlite")
    try control.forgetLost()
    try notifications.forgetLost()
    return (control, notifications)
  }

  /// Opens the delivery log of a loop; if the file can't be used, keeps the log in memory, because pushes take
  /// priority.
  private static func deliveryLog(
    of index: Int, in folder: GatewayFolder, log: Log
  ) throws(SystemFailure) -> DeliveryLog {
    do throws(SystemFailure) {
      return try DeliveryLog(
        file: folder.deliveryLogFile(loop: index), capacity: Limits.deliveryLogLines)
    } catch {
      log.warning(
        "keeping the delivery log in memory only", ["why": "\(error)"])
      return try DeliveryLog(capacity: Limits.deliveryLogLines)
    }
  }
}
