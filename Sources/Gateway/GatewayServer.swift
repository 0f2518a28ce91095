internal import BelfryWire
public import Storage
public import System

/// The push service: its loops, its stores, and its control plane.
///
/// The server is confined to the main loop. ``start(onReady:onFailed:onStopped:)`` starts it; ``drain()`` shuts it
/// down.
public final class GatewayServer {
  /// An error that describes why a gateway can't start.
  public enum Failure: Error, CustomStringConvertible {
    case folder(GatewayFolder.Failure)
    case storage(StorageFailure)
    case system(SystemFailure)
    case setup(String)

    init(_ error: any Error) {
      switch error {
      case let failure as Failure: self = failure
      case let failure as GatewayFolder.Failure: self = .folder(failure)
      case let failure as StorageFailure: self = .storage(failure)
      case let failure as SystemFailure: self = .system(failure)
      default: self = .setup("\(error)")
      }
    }

    /// True if another process (a running gateway or a command) has locked the folder.
    public var isFolderBusy: Bool {
      if case .storage(.busy) = self { true } else { false }
    }

    /// A description of the problem and how to fix it.
    public var description: String {
      switch self {
      case .storage(.busy(let path)):
        "\(path) is in use by a running gateway or another command: stop it, or choose another --data"
      case .folder(let failure): "\(failure)"
      case .storage(let failure): "\(failure)"
      case .system(let failure): "\(failure)"
      case .setup(let what): what
      }
    }
  }

  private(set) var configuration: GatewayConfiguration
  let folder: GatewayFolder
  private let dataFolder: DataFolder?
  let loop: EventLoop
  let log: Log
  let resources: GatewayResources
  private let writer: GroupCommitWriter
  private let controlWriter: ControlWriter
  let controlPlane: ControlPlane
  let shared: GatewayShared
  private let metrics: GatewayMetrics
  private let logReader: DeliveryLogReader
  let certificates: CertificateWatch?
  /// The membership of a cluster; nil for a single gateway.
  let cluster: ClusterNodeRuntime?
  private let claimWriter: ClaimWriter?
  private let upstreams: UpstreamRegistry
  private let mailbox: Mailbox<ControlPlaneMessage>
  private var threads: [any RunningLoop] = []
  private var mailboxes: [Int: LoopMailbox] = [:]
  private var drainedLoops: Set<Int> = []
  private var ports: GatewayPorts
  private var openedLoops = 0
  private var onReady: (Description) -> Void = { _ in }
  private var onFailed: (String) -> Void = { _ in }
  private var onStopped: () -> Void = {}
  private var enrollmentCode: String
  private var keyID: String
  /// A function that is called on the main loop when the information for clients has changed; the call precedes the
  /// answer to the administrator.
  public var onDescriptionChanged: (Description) -> Void = { _ in }
  /// A function that is called on the main loop when an administrator asks this node of a cluster to stop.
  public var onDrainRequested: () -> Void = {}
  /// The listeners' certificates, if they have changed since startup.
  private var security: ListenerSecurity?
  /// The time, in monotonic nanoseconds, at which stores on a database server are tested next.
  private var nextRemoteProbe: Int64 = 0
  private lazy var storeReports = StoreReports(
    [resources.controlStore.health, resources.notificationStore.health].compactMap(\.self),
    damages: resources.damages, metrics, log)
  private var isDraining = false
  private(set) var isStopped = false

  /// The administration, which carries out administrators' requests on any thread.
  public let administration: Administration
  /// The admin API's token.
  public var adminToken: String { resources.adminToken }
  /// The condition of the gateway, for its probes.
  public private(set) var condition: GatewayCondition

  /// Creates a gateway from its data folder, and creates any missing files, but does not open any listeners.
  public convenience init(
    configuration: GatewayConfiguration, loop: EventLoop, metrics registry: MetricRegistry,
    makeCarrier: UpstreamCarrierFactory? = nil, log: Log
  ) throws(Failure) {
    var membership: (any ClusterMembership)?
    do {
      let path = GatewayFolder(path: configuration.folder).path
      // A start that must fail leaves no new folder behind.
      if !FileSystem.exists(path) { try configuration.ports.requireFree(on: configuration.host) }
      let dataFolder = try DataFolder(path)
      var resources = try GatewayResources.inFolder(of: configuration, log: log)
      resources.makeCarrier = makeCarrier
      membership = resources.cluster?.membership
      try self.init(
        configuration: configuration, resources: resources, dataFolder: dataFolder, loop: loop,
        metrics: registry, log: log)
    } catch {
      // Leave the cluster if the start fails, so that the other nodes do not wait until this node's lease ends.
      try? membership?.leave()
      throw Failure(error)
    }
  }

  /// Creates a gateway with these resources, but does not open any listeners.
  package convenience init(
    configuration: GatewayConfiguration, resources: GatewayResources, loop: EventLoop,
    metrics registry: MetricRegistry, log: Log
  ) throws(Failure) {
    do {
      try self.init(
        configuration: configuration, resources: resources, dataFolder: nil, loop: loop,
        metrics: registry, log: log)
    } catch {
      throw Failure(error)
    }
  }

  private init(
    configuration: GatewayConfiguration, resources: GatewayResources, dataFolder: DataFolder?,
    loop: EventLoop, metrics registry: MetricRegistry, log: Log
  ) throws {
    precondition(configuration.loops > 0, "a gateway has at least one loop")
    self.configuration = configuration
    self.resources = resources
    condition = GatewayCondition(resources, of: configuration)
    self.dataFolder = dataFolder
    self.loop = loop
    self.log = log
    ports = configuration.ports
    enrollmentCode = resources.identity.enrollmentCode
    keyID = resources.identity.keyID
    folder = GatewayFolder(path: configuration.folder)
    let controlStore = resources.controlStore
    writer = try GroupCommitWriter(
      store: resources.notificationStore, metrics: registry, on: resources.batches)
    let controlWriter = try ControlWriter(
      store: controlStore, metrics: registry, on: resources.batches)
    self.controlWriter = controlWriter
    let metrics = GatewayMetrics(
      registry: registry, stores: resources.damages.map(\.name))
    self.metrics = metrics
    var receive: ([ControlPlaneMessage]) -> Void = { _ in }
    let mailbox = loop.mailbox(of: ControlPlaneMessage.self) { receive($0) }
    self.mailbox = mailbox
    let node = try resources.cluster.map { cluster in
      try ClusterNodeRuntime(
        cluster, loops: configuration.loops, on: resources.batches, log: log
      ) { mailbox.post(.takenOver) }
    }
    cluster = node
    if let node { condition.use(node, bus: configuration.cluster?.busURL) }
    let claimWriter = try resources.cluster.map {
      try ClaimWriter($0.claims, on: resources.batches, log: log)
    }
    self.claimWriter = claimWriter
    let upstreams = UpstreamRegistry(
      folder: folder, makeCarrier: resources.makeCarrier, log: log)
    self.upstreams = upstreams
    controlPlane = ControlPlane(
      configuration: configuration, store: controlStore, writer: controlWriter,
      authority: resources.authority, revocations: resources.revocations, loop: loop,
      epoch: resources.epoch,
      random: GatewayShared.generator(of: -1, seed: resources.randomSeed),
      upstreams: upstreams, metrics: metrics, log: log)
    certificates = resources.certificates.map { shown, source in
      CertificateWatch(
        shown, from: source, store: controlStore, writer: controlWriter,
        ends: resources.certificateEnds,
        clocks: { [loop] in (loop.nowNanoseconds, loop.unixMilliseconds) }, metrics: metrics,
        log: log)
    }
    logReader = DeliveryLogReader(
      kept: StoredDeliveryLog(
        folder: folder, store: controlStore, environment: configuration.environment))
    let faults = FaultRegistry(
      configuration.environment == .sandbox
        ? try StoredFaults(store: controlStore).faults().faults : [])
    faults.onUse { [weak faults, controlWriter] in
      controlWriter.perform { [weak faults] store in
        // If this write fails, the latest uses are forgotten after a restart; the store itself reports the failing
        // disk.
        if let faults { try? StoredFaults(store: store).keepUses(of: faults.takeUses()) }
      }
    }
    if faults.isActive {
      log.warning("faults are active: see 'belfry fault list'")
    }
    let loops = configuration.loops
    let waitForChange = resources.waitForChange
    var runtime = Administration.Runtime(faults: faults, log: logReader) { changes in
      let barrier = ChangeBarrier()
      mailbox.post(.changed(changes, barrier))
      waitForChange(barrier, loops)
    }
    if let secrets = resources.secrets {
      let folder = GatewayFolder(path: configuration.folder)
      runtime.keepSecrets = { _ = try secrets.push(from: folder, replaces: true) }
    }
    let payloads = DeliveryLogPayloads(countMax: configuration.loggedPayloads)
    runtime.payloads = payloads
    runtime.notifications = resources.notificationStore
    runtime.cluster = node
    runtime.changeLog = log
    runtime.upstreamState = { [upstreams] in upstreams.state(ofApp: $0) }
    runtime.presences = {
      [logReader] () throws(AdministrationFailure) -> Administration.Presences in
      let own = try logReader.presences()
      guard let node else { return (own, []) }
      return try node.presences(with: own)
    }
    administration = Administration(
      folder: folder, store: controlStore, environment: configuration.environment,
      runtime: runtime, unixMilliseconds: resources.unixMilliseconds)
    if let restoration = resources.restoration {
      metrics.restored.set(1)
      log.warning("the data folder was restored", ["what": restoration])
    }
    shared = GatewayShared(
      configuration: configuration, security: resources.security, listeners: resources.listeners,
      tokenKeys: resources.tokenKeys, trustMark: resources.authority.trustMark,
      cell: resources.cell, writer: writer,
      controlWriter: controlWriter,
      metrics: metrics,
      census: ConnectionCensus(
        bounds: configuration.connectionBounds, metrics: ConnectionMetrics(registry: registry)),
      faults: faults, log: log,
      controlPlane: mailbox,
      cluster: node.flatMap { node in claimWriter.map { node.shared($0) } },
      makeDeliveryLog: resources.makeDeliveryLog,
      payloads: payloads, randomSeed: resources.randomSeed, didStartLoop: resources.didStartLoop)
    receive = { [unowned self] messages in
      for message in messages { handle(message) }
    }
  }

  /// Starts the loops; `onReady` is called on the main loop once every listener accepts connections.
  public func start(
    onReady: @escaping (Description) -> Void, onFailed: @escaping (String) -> Void,
    onStopped: @escaping () -> Void
  ) throws(Failure) {
    self.onReady = onReady
    self.onFailed = onFailed
    self.onStopped = onStopped
    precondition(threads.isEmpty && !isStopped, "a gateway is started only once")
    watchStores()
    watchCertificates()
    tickCluster()
    do throws(StorageFailure) {
      let directory = try controlPlane.directory()
      // A node of a cluster reads a device when it claims the device.
      let devices = cluster == nil ? try resources.controlStore.devices() : []
      try dropRowsOfRevoked(devices)
      let deviceTables = deviceTables(devices)
      let tables = try registrationTables(devices)
      let channels = try controlPlane.channelSnapshots(withSubscriptions: cluster == nil)
      let highest = try resources.notificationStore.highestSequence()
      for index in 0..<configuration.loops {
        try startLoop(
          index, directory: directory, devices: deviceTables[index],
          registrations: tables[index],
          channels: channels[index], highestSequence: highest)
      }
    } catch {
      cluster?.leave()
      throw .storage(error)
    }
  }

  private func startLoop(
    _ index: Int, directory: CredentialDirectory, devices: DeviceTable,
    registrations: RegistrationTable, channels: ChannelSnapshot, highestSequence: UInt64
  ) throws(StorageFailure) {
    let shared = shared
    do throws(SystemFailure) {
      threads.append(
        try resources.loops.start(name: "gateway-\(index)") { loop in
          GatewayLoop.run(
            index: index, on: loop, shared: shared, directory: directory, devices: devices,
            registrations: registrations, channels: channels, highestSequence: highestSequence)
        })
    } catch {
      throw .system(error)
    }
  }

  // MARK: Stores

  /// Reports the state of the stores and their disks, before the gateway is ready and then once per second.
  private func watchStores() {
    guard resources.controlStore.health != nil || resources.notificationStore.health != nil else {
      return
    }
    reportStores()
    loop.schedule(afterNanoseconds: Limits.storeWatchNanoseconds) { [weak self] in
      guard let self, !isStopped else { return }
      watchStores()
    }
  }

  /// Logs the stores' reports, and retries a write on a failing store; otherwise, the store would stay failed until the
  /// next push.
  private func reportStores() {
    let now = loop.nowNanoseconds
    storeReports.report(atNanoseconds: now)
    // Probe an idle database too, so that an outage is noticed before the next push.
    let isProbeDue = now >= nextRemoteProbe
    if isProbeDue { nextRemoteProbe = now + Limits.remoteProbeNanoseconds }
    if let health = resources.controlStore.health,
      health.isRetryDue(atNanoseconds: now) || isProbeDue && health.isRemote
    {
      controlWriter.perform { try? $0.probe() }
    }
    if let health = resources.notificationStore.health,
      health.isRetryDue(atNanoseconds: now) || isProbeDue && health.isRemote
    {
      writer.probe()
    }
  }

  // MARK: Changes while it runs

  private func watchCertificates() {
    guard let certificates else { return }
    if let security = certificates.tick(configuration) { show(security) }
    loop.schedule(afterNanoseconds: Limits.certificateWatchNanoseconds) { [weak self] in
      guard let self, !isStopped else { return }
      watchCertificates()
    }
  }

  func show(_ security: ListenerSecurity) {
    self.security = security
    if let certificates { controlPlane.use(certificates.authorities) }
    for peer in peers { peer.post(.security(security)) }
  }

  /// Applies the changed options that a running gateway can apply, and reloads the certificates; no connection is
  /// closed.
  ///
  /// Returns the changed options that need a restart. If the certificates can't be used with the new configuration,
  /// throws without changing anything.
  @discardableResult
  public func follow(_ new: GatewayConfiguration) throws -> [String] {
    let (followed, needRestart) = configuration.following(new)
    let security = try certificates?.follow(followed)
    configuration = followed
    controlPlane.use(followed)
    for peer in peers { peer.post(.configuration(followed)) }
    if let security { show(security) }
    return needRestart
  }

  // MARK: Loops

  private func handle(_ message: ControlPlaneMessage) {
    switch message {
    case .ready(let index, let mailbox):
      assert(mailboxes[index] == nil, "loop \(index) becomes ready only once")
      mailboxes[index] = mailbox
      guard mailboxes.count == configuration.loops else { return }
      controlPlane.use(peers)
      logReader.use(peers)
      cluster?.use(peers, self.mailbox, logReader)
      // The certificates might have changed since the loops were created.
      if let security { for peer in peers { peer.post(.security(security)) } }
      openNext()
    case .opened(let index, let taken):
      assert(index == openedLoops, "loops open in order, and loop \(index) is next")
      ports = taken
      openedLoops += 1
      if openedLoops < configuration.loops { openNext() } else { onReady(description) }
    case .failed(_, let why):
      onFailed(why)
    case .changed(let changes, let barrier):
      onRotation(in: changes)
      controlPlane.handle(changes)
      noteEnrollmentCode(in: changes)
      noteKey(in: changes)
      for peer in peers { peer.post(.confirm(barrier)) }
      for _ in mailboxes.count..<configuration.loops { barrier.pass() }
    case .clusterChanges(let subjects, let number): follow(subjects, upTo: number)
    case .drainRequested: onDrainRequested()
    case .takenOver:
      let node = configuration.cluster?.nodeName ?? ""
      onFailed(
        "another gateway was started with --node \(node), or another node declared this node dead")
    case .request(let index, let request):
      controlPlane.handle(request, from: Route(loop: index))
    case .drained(let index):
      assert(isDraining, "loop \(index) is drained only during a shutdown")
      drainedLoops.insert(index)
      if drainedLoops.count == configuration.loops { stop() }
    }
    assert(mailboxes.count <= configuration.loops, "a loop has at most one mailbox")
  }

  /// The loops' mailboxes, sorted by loop number.
  var peers: LoopPeers { mailboxes.sorted { $0.key < $1.key }.map(\.value) }

  /// Opens the next loop's listeners; the loops open in order, because all of them share the ports that the first one
  /// binds to.
  private func openNext() {
    guard let mailbox = mailboxes[openedLoops] else {
      return assertionFailure("there is no loop \(openedLoops) to open")
    }
    mailbox.post(.open(peers: peers, ports: ports))
  }

  /// Records that the gateway is ready, so that the next start no longer reports that the folder was restored.
  public func didStart() {
    guard resources.restoration != nil, dataFolder != nil else { return }
    do throws(SystemFailure) {
      try RestorationNotice.end(in: folder)
    } catch {
      log.warning(
        "the next start will report again that the folder was restored", ["why": "\(error)"])
    }
  }

  /// The information for clients, with the actual ports.
  public var description: Description {
    Description(
      environment: configuration.environment, host: configuration.host, ports: ports,
      authorityFile: folder.authorityFile, teamID: resources.identity.teamID,
      keyID: keyID, keyFile: folder.keyFile(keyID),
      enrollmentCode: enrollmentCode,
      adminTokenFile: folder.adminTokenFile, node: cluster?.name)
  }

  /// Publishes another key to clients if a change to the keys makes it the better choice.
  private func noteKey(in changes: [ControlChange]) {
    let concernsKeys = changes.contains { if case .putKey = $0 { true } else { false } }
    if concernsKeys { refreshKey() }
  }

  /// Publishes another key to clients if it is the better choice.
  func refreshKey() {
    guard
      let best = try? FirstIdentity.defaultKey(
        of: resources.identity.teamID, in: folder, resources.controlStore,
        environment: configuration.environment),
      best != keyID
    else { return }
    keyID = best
    onDescriptionChanged(description)
  }

  func noteEnrollmentCode(in changes: [ControlChange]) {
    for case .putSetting(name: ControlSetting.enrollmentCode, let value?) in changes {
      enrollmentCode = String(decoding: value, as: UTF8.self)
      onDescriptionChanged(description)
    }
  }

  /// Calls `receive` with each new line of the delivery log, on the threads of the loops, until `receive` returns
  /// false.
  package func followDeliveryLog(_ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool) {
    logReader.followNewLines(receive)
  }

  // MARK: Shutdown

  /// Shuts down gracefully: sends GOAWAY to providers, asks devices to reconnect later, stores everything that was
  /// accepted, then calls `onStopped`.
  public func drain() {
    guard !isDraining else { return }
    isDraining = true
    for peer in peers { peer.post(.drain) }
    _ = loop.schedule(
      afterNanoseconds: Int64(Limits.drainMilliseconds + 1_000) * 1_000_000
    ) { [weak self] in
      self?.stop()
    }
    if mailboxes.isEmpty { stop() }
  }

  /// Traps, in builds with assertions, if the server's state is inconsistent.
  package func checkInvariants() {
    controlPlane.checkInvariants()
    writer.checkInvariants()
    controlWriter.checkInvariants()
    assert(openedLoops <= mailboxes.count, "only ready loops are open")
    assert(drainedLoops.isEmpty || isDraining, "loops are drained only during a shutdown")
    assert(drainedLoops.allSatisfy { mailboxes[$0] != nil }, "only ready loops are drained")
  }

  private func stop() {
    guard !isStopped else { return }
    isStopped = true
    for peer in peers { peer.post(.stop) }
    for thread in threads { thread.join() }
    upstreams.close()
    claimWriter?.close()
    writer.close()
    controlWriter.close()
    cluster?.close()
    resources.controlStore.close()
    onStopped()
  }
}
