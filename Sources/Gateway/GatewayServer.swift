public import BelfryWire
public import Storage
public import System
import Transport

/// The push service: its loops, its stores, its control desk.
///
/// Lives on the main loop; ``start(onReady:onFailed:onStopped:)`` begins, ``drain()`` ends it in order.
public final class GatewayServer {
  /// Why a gateway does not start.
  public enum Failure: Error, CustomStringConvertible {
    case folder(GatewayFolder.Failure)
    case storage(StorageFailure)
    case system(SystemFailure)
    case setup(String)

    /// What is wrong, and what to do.
    public var description: String {
      switch self {
      case .folder(let failure): "\(failure)"
      case .storage(let failure): "\(failure)"
      case .system(let failure): "\(failure)"
      case .setup(let what): what
      }
    }
  }

  /// What the gateway's clients need to know.
  public struct Description: Sendable {
    /// The one environment that the gateway is.
    public var environment: BelfryWire.Environment
    /// The address of its listeners.
    public var host: String
    /// The ports that were taken.
    public var ports: GatewayPorts
    /// The certificate that its clients trust.
    public var authorityFile: String
    /// The first team.
    public var teamID: String
    /// The first team's provider key.
    public var keyID: String
    /// The private half of that key, `.p8`.
    public var keyFile: String
    /// What devices enrol with.
    public var enrolmentCode: String
    /// What the admin API asks for.
    public var adminTokenFile: String
    /// The port of console and admin API; 0 until it is open.
    public var consolePort: UInt16 = 0
  }

  private let configuration: GatewayConfiguration
  private let folder: GatewayFolder
  private let dataFolder: DataFolder
  private let loop: EventLoop
  private let log: Log
  private let notifications: SQLiteNotificationStore
  private let writer: GroupCommitWriter
  private let controlWriter: ControlWriter
  private let desk: ControlPlane
  private let metrics: GatewayMetrics
  private let identity: FirstIdentity
  private var shared: GatewayShared?
  private var threads: [LoopThread] = []
  private var mailboxes: [Int: LoopMailbox] = [:]
  private var drained: Set<Int> = []
  private var ports: GatewayPorts
  private var opening = 0
  private var onReady: (Description) -> Void = { _ in }
  private var onFailed: (String) -> Void = { _ in }
  private var onStopped: () -> Void = {}
  private var isDraining = false
  private var isStopped = false

  /// What administrators ask goes through here; any thread.
  public let administration: Administration
  private let controlStore: any ControlStore
  private let logReader: DeliveryLogReader
  /// The admin API's token.
  public let adminToken: String

  /// Makes or reads everything in the folder; nothing listens yet.
  public init(
    configuration: GatewayConfiguration, loop: EventLoop, metrics registry: MetricRegistry,
    log: Log
  ) throws(Failure) {
    self.configuration = configuration
    self.loop = loop
    self.log = log
    ports = configuration.ports
    folder = GatewayFolder(path: configuration.folder)
    metrics = GatewayMetrics(registry: registry)
    var receive: ([ControlPlaneMessage]) -> Void = { _ in }
    let mailbox = loop.mailbox(of: ControlPlaneMessage.self) { receive($0) }
    do {
      dataFolder = try DataFolder(folder.path)
      controlStore = try SQLiteControlStore(path: folder.controlStoreFile)
      notifications = try SQLiteNotificationStore(path: folder.notificationStoreFile)
      writer = try GroupCommitWriter(store: notifications, metrics: registry)
      controlWriter = try ControlWriter(store: controlStore, metrics: registry)
      let now = SystemClock.unixMilliseconds
      let hosts = Self.hostNames
      let authority = try folder.authority(
        hosts: hosts, nowSeconds: now / 1_000)
      identity = try FirstIdentity.makeOrRead(
        in: folder, store: controlStore, environment: configuration.environment,
        nowMilliseconds: now)
      adminToken = try folder.adminToken()
      let revocations = CertificateRevocations()
      desk = ControlPlane(
        configuration: configuration, store: controlStore, writer: controlWriter,
        authority: authority, revocations: revocations, loop: loop, log: log)
      let server = try folder.server(
        hosts: hosts, addresses: Self.addresses(listeningOn: configuration.host),
        authority: authority, nowSeconds: now / 1_000)
      logReader = DeliveryLogReader(
        kept: KeptDeliveryLog(
          folder: folder, store: controlStore, environment: configuration.environment))
      let faults = FaultRegistry(
        configuration.environment == .sandbox
          ? try KeptFaults(store: controlStore).rules() : [])
      if faults.isActive {
        log.warning("scripted answers are on: see 'belfry fault list'")
      }
      administration = Administration(
        folder: folder, store: controlStore, environment: configuration.environment,
        runtime: Administration.Runtime(faults: faults, log: logReader) { changes in
          let barrier = ChangeBarrier()
          mailbox.post(.changed(changes, barrier))
          barrier.wait(for: configuration.loops)
        })
      shared = GatewayShared(
        configuration: configuration,
        providerTLS: try Self.providerContext(
          server, authority: authority.certificatePEM, unmatchedALPN: .refuse,
          revocations: revocations),
        legacyTLS: try Self.providerContext(
          server, authority: authority.certificatePEM, unmatchedALPN: .ignore,
          revocations: revocations),
        deviceTLS: try Self.deviceContext(server, authority: authority.certificatePEM),
        tokenKeys: try folder.tokenKeys(), writer: writer, controlWriter: controlWriter,
        metrics: metrics, faults: faults, log: log, desk: mailbox)
    } catch let failure as GatewayFolder.Failure {
      throw .folder(failure)
    } catch let failure as StorageFailure {
      throw .storage(failure)
    } catch let failure as SystemFailure {
      throw .system(failure)
    } catch {
      throw .setup("\(error)")
    }
    receive = { [unowned self] messages in
      for message in messages { take(message) }
    }
  }

  private static var hostNames: [String] {
    var names = ["localhost"]
    let own = LocalHost.name
    if !own.isEmpty, own != "localhost" { names.append(own) }
    return names + GatewayConfiguration.appleHostNames
  }

  /// The addresses that the gateway is reached by; 127.0.0.2 is none of the machine's until it is
  /// listened on.
  private static func addresses(listeningOn host: String) -> [String] {
    var addresses = ["127.0.0.1", "::1"] + LocalHost.addresses
    let isEvery = ["0.0.0.0", "::"].contains(host)
    if !isEvery, !addresses.contains(host), AddressRange(host) != nil { addresses.append(host) }
    return addresses
  }

  private static func providerContext(
    _ server: (chainPEM: [UInt8], keyPEM: [UInt8]), authority: [UInt8],
    unmatchedALPN: TLSServerContext.UnmatchedALPN, revocations: CertificateRevocations
  ) throws(TLSFailure) -> TLSServerContext {
    try TLSServerContext(
      certificateChainPEM: server.chainPEM, privateKeyPEM: server.keyPEM, alpn: ["h2"],
      unmatchedALPN: unmatchedALPN, clientCertificates: .optional(caPEM: authority),
      check: revocations.judge)
  }

  private static func deviceContext(
    _ server: (chainPEM: [UInt8], keyPEM: [UInt8]), authority: [UInt8]
  ) throws(TLSFailure) -> TLSServerContext {
    try TLSServerContext(
      certificateChainPEM: server.chainPEM, privateKeyPEM: server.keyPEM,
      alpn: [LinkLimits.applicationProtocol], clientCertificates: .optional(caPEM: authority),
      minimumVersion: .tls13, takeOverRecords: true
    ) { certificate in
      certificate.organizationalUnit == CertificateAuthority.deviceUnit
        ? .accept : .unknownAuthority
    }
  }

  /// Starts the loops; `onReady` is called on the main loop once every listener accepts.
  public func start(
    onReady: @escaping (Description) -> Void, onFailed: @escaping (String) -> Void,
    onStopped: @escaping () -> Void
  ) throws(Failure) {
    self.onReady = onReady
    self.onFailed = onFailed
    self.onStopped = onStopped
    guard let shared else { return }
    do throws(StorageFailure) {
      let directory = try desk.directory()
      let devices = try controlStore.devices()
      try dropRowsOfRevoked(devices)
      let tables = try registrationTables(devices)
      let channels = try desk.channelSnapshots()
      let highest = try notifications.highestSequence()
      for index in 0..<configuration.loops {
        try startLoop(
          index, shared, directory: directory, registrations: tables[index],
          channels: channels[index], highestSequence: highest)
      }
    } catch {
      throw .storage(error)
    }
  }

  private func startLoop(
    _ index: Int, _ shared: GatewayShared, directory: CredentialDirectory,
    registrations: RegistrationTable, channels: ChannelSnapshot, highestSequence: UInt64
  ) throws(StorageFailure) {
    do throws(SystemFailure) {
      threads.append(
        try LoopThread.start(name: "gateway-\(index)") { loop in
          GatewayLoop.run(
            index: index, on: loop, shared: shared, directory: directory,
            registrations: registrations, channels: channels, highestSequence: highestSequence)
        })
    } catch {
      throw .system(error)
    }
  }

  /// What a device that was revoked while the gateway stood still can never get any more.
  private func dropRowsOfRevoked(_ devices: [DeviceRecord]) throws(StorageFailure) {
    let revoked = devices.filter { $0.revokedMilliseconds != nil }
    guard !revoked.isEmpty, try notifications.count() > 0 else { return }
    _ = try notifications.commit(revoked.map { .removeDevice($0.number) })
  }

  private func registrationTables(
    _ devices: [DeviceRecord]
  ) throws(StorageFailure) -> [RegistrationTable] {
    let loops = UInt64(configuration.loops)
    var tables = Array(repeating: RegistrationTable(), count: configuration.loops)
    let records = try controlStore.registrations()
    for index in tables.indices { tables[index].reserve(records.count / tables.count) }
    for record in records {
      tables[Int(record.key.device % loops)].set(record.key, to: .init(record))
    }
    for device in devices {
      guard let revoked = device.revokedMilliseconds else { continue }
      tables[Int(device.number % loops)].revoke(device.number, atMilliseconds: revoked)
    }
    return tables
  }

  // MARK: Loops

  private func take(_ message: ControlPlaneMessage) {
    switch message {
    case .ready(let index, let mailbox):
      mailboxes[index] = mailbox
      guard mailboxes.count == configuration.loops else { return }
      desk.use(peers)
      logReader.use(peers)
      openNext()
    case .opened(_, let taken):
      ports = taken
      opening += 1
      if opening < configuration.loops { openNext() } else { onReady(description) }
    case .failed(_, let why):
      onFailed(why)
    case .changed(let changes, let barrier):
      desk.changed(changes)
      for peer in mailboxes.values { peer.post(.confirm(barrier)) }
      for _ in mailboxes.count..<max(mailboxes.count, configuration.loops) { barrier.pass() }
    case .request(let index, let request):
      desk.take(request, from: index)
    case .drained(let index):
      drained.insert(index)
      if drained.count == configuration.loops { stop() }
    }
  }

  private var peers: LoopPeers { mailboxes.sorted { $0.key < $1.key }.map(\.value) }

  /// One loop after the other, so that those after the first share the ports that it was given.
  private func openNext() {
    mailboxes[opening]?.post(.open(peers: peers, ports: ports))
  }

  /// What clients need to know, with the ports that were taken.
  public var description: Description {
    Description(
      environment: configuration.environment, host: configuration.host, ports: ports,
      authorityFile: folder.authorityFile, teamID: identity.teamID, keyID: identity.keyID,
      keyFile: folder.keyFile(identity.keyID), enrolmentCode: identity.enrolmentCode,
      adminTokenFile: folder.adminTokenFile)
  }

  // MARK: The end

  /// Ends in order: GOAWAY to providers, devices told to come back later, everything accepted on disk;
  /// then `onStopped`.
  public func drain() {
    guard !isDraining else { return }
    isDraining = true
    for peer in mailboxes.values { peer.post(.drain) }
    _ = loop.schedule(
      afterNanoseconds: Int64(Limits.drainMilliseconds + 1_000) * 1_000_000
    ) { [weak self] in
      self?.stop()
    }
    if mailboxes.isEmpty { stop() }
  }

  private func stop() {
    guard !isStopped else { return }
    isStopped = true
    for peer in mailboxes.values { peer.post(.stop) }
    for thread in threads { thread.join() }
    writer.close()
    controlWriter.close()
    controlStore.close()
    onStopped()
  }
}
