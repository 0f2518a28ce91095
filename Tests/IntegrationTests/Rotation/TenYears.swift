import Agent
import BelfryWire
import PushWire
import Storage
import Synchronization
import System
import TestSupport
import Transport

@testable import Gateway

/// A gateway in virtual time, with the real folder, store, authorities, token keys, and administration.
///
/// The real state machine of the link sends the answers to the devices.
final class TenYearsGateway {
  let folder: GatewayFolder
  let store: SQLiteControlStore
  let administration: Administration
  private let clock: VirtualSeconds
  private(set) var authorities: Authorities
  private(set) var server: Certificate
  private(set) var codec: DeviceTokenCodec
  private(set) var tokenKey = ""
  private(set) var trustMark: [UInt8] = []
  private(set) var trustedMark: [UInt8] = []
  private(set) var serverHash: [UInt8] = []
  private(set) var renewals = 0
  private static let hosts = ["localhost"]

  init(in path: String, _ clock: VirtualSeconds) throws {
    self.clock = clock
    folder = GatewayFolder(path: path)
    _ = try DataFolder(folder.path)
    store = try .inMemory()
    authorities = try folder.authorities(hosts: Self.hosts, nowSeconds: clock.seconds)
    server = authorities.server.certificate
    codec = try DeviceTokenCodec(keys: folder.tokenKeys(), environment: .sandbox)
    administration = Administration(
      folder: folder, store: store, environment: .sandbox,
      runtime: .init(
        faults: FaultRegistry([]),
        log: EmptyLog()
      ) { _ in }
    ) { clock.seconds * 1_000 }
    try reload()
  }

  /// Reads the folder, as the gateway does at startup and once per hour.
  func reload() throws {
    authorities = try folder.authorities(hosts: Self.hosts, nowSeconds: clock.seconds)
    server =
      try folder.server(
        hosts: Self.hosts, addresses: ["127.0.0.1"], authority: authorities.server,
        nowSeconds: clock.seconds
      ).general.certificate
    let keys = try folder.tokenKeys()
    codec = try DeviceTokenCodec(keys: keys, environment: .sandbox)
    tokenKey = TokenKeys.name(of: keys[0])
    (trustMark, trustedMark) = (authorities.trustMark, authorities.trusted.mark)
    serverHash = SHA256.hash(server.der).bytes
  }

  /// Performs the request; returns true if the administration accepts it.
  ///
  /// An accepted request takes effect immediately.
  func perform(_ request: AdministrationRequest) throws -> Bool {
    do {
      _ = try administration.perform(request)
    } catch {
      return false
    }
    try reload()
    return true
  }

  /// Issues another certificate for the key and stores it durably, as the control plane does.
  func renew(_ device: UInt64, _ publicKey: [UInt8]) throws -> LinkFrame.Renewed {
    renewals += 1
    return LinkFrame.Renewed(
      certificate: try issue(device, publicKey).der,
      authorities: authorities.trustedCertificates.map(\.der))
  }

  func enroll(_ device: UInt64, _ publicKey: [UInt8]) throws -> [UInt8] {
    try store.apply([
      .putDevice(
        DeviceRecord(
          number: device, keyHash: SHA256.hash(publicKey), name: "", enrolledMilliseconds: 0)),
      .putRegistration(
        RegistrationRecord(
          key: .init(device: device, app: 1, kind: TokenKind.alert.rawValue), generation: 0,
          state: .active, changedMilliseconds: 0)),
    ])
    return try issue(device, publicKey).pem() + authorities.certificatePEM
  }

  private func issue(_ device: UInt64, _ publicKey: [UInt8]) throws -> Certificate {
    let certificate = try authorities.issueDevice(
      publicKeySPKI: publicKey, device: "\(device)", now: clock.seconds,
      days: Limits.deviceCertificateDays)
    try store.apply([
      .putDeviceCertificate(
        DeviceCertificateRecord(
          serial: certificate.serial, device: device, notAfter: certificate.notAfter,
          authority: authorities.keyName))
    ])
    return certificate
  }

  func note(_ arrival: DeviceArrival) throws {
    try store.apply(store.newer(in: [arrival]).map { .recordArrival($0) })
  }

  func contents(of device: UInt64) -> TokenContents {
    TokenContents(
      environment: .sandbox, kind: .alert, generation: 0, app: 1, device: device)
  }

  func opens(_ token: [UInt8], of device: UInt64) -> Bool {
    codec.open(token.span) == contents(of: device)
  }
}

/// A delivery log without lines.
private struct EmptyLog: DeliveryLogSource {
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] { [] }
  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine] { [] }
}

/// The time of the test, in seconds since 1970.
final class VirtualSeconds: Sendable {
  private let value: Atomic<Int64>

  init(_ seconds: Int64) { value = Atomic(seconds) }

  var seconds: Int64 {
    get { value.load(ordering: .relaxed) }
    set { value.store(newValue, ordering: .relaxed) }
  }
}

/// A device with the real state machine and identity.
///
/// The device can be killed at any step.
final class TenYearsDevice {
  /// The possible fates of an answer to RENEW, including a kill of the device.
  enum Fate: UInt64, CaseIterable {
    case kept, answerLost, killedBeforeKept, killedOnceKept
  }

  let number: UInt64
  /// The identity on disk.
  private(set) var identity: DeviceIdentity { didSet { read = nil } }
  /// The parsed contents of the identity, cached because parsing certificates is slow.
  private var read: (trust: AuthorityBundle, mark: [UInt8], shown: Certificate, hash: [UInt8])?
  private var credential: LinkCredential?
  /// The certificates that the device received when it was set up, which never change.
  private let given: [UInt8]
  private var client: DeviceLinkClient
  private(set) var tokens: [[UInt8]] = []
  private static let topic = LinkTopic(bundleID: "com.example.app")

  init(_ number: UInt64, key: ES256PrivateKey, at gateway: TenYearsGateway) throws {
    self.number = number
    given = gateway.authorities.trustedPEM
    identity = DeviceIdentity(
      key: key, device: number,
      chainPEM: try gateway.enroll(number, key.publicKey.spkiDER))
    client = DeviceLinkClient(enrollment: nil)
    start()
  }

  var certificate: Certificate {
    get throws { try Certificate(pem: identity.chainPEM ?? []) }
  }

  private func start() {
    client = DeviceLinkClient(enrollment: nil)
    if read == nil { credential = identity.credential(given: given) }
    client.use(credential)
    var output: [UInt8] = []
    client.register(.topic(Self.topic), at: 0, output: &output)
  }

  /// Connects, performs the device's pending work, and disconnects.
  ///
  /// Returns the reason for a failure, or nil.
  func visit(
    _ gateway: TenYearsGateway, _ seconds: Int64, verified: inout Set<[UInt8]>, fate: Fate
  ) throws -> String? {
    // The device might have to connect again, either because the answer says so or because the device was killed and
    // repeats its request.
    var fate = fate
    for attempt in 0..<4 {
      let now = (seconds + Int64(attempt) * 120) * 1_000_000_000
      do {
        try handshake(gateway, seconds, &verified)
      } catch {
        return "device \(number): \(error)"
      }
      let isOver = try connect(gateway, seconds, at: now, fate)
      if isOver { return nil }
      fate = .kept
    }
    return "device \(number) never comes to rest"
  }

  /// Simulates the TLS handshake, in which each side checks the other side's certificate.
  private func handshake(
    _ gateway: TenYearsGateway, _ seconds: Int64, _ verified: inout Set<[UInt8]>
  ) throws {
    let (trust, mark, shown, hash) = try content()
    let pairs: [(Certificate, AuthorityBundle, CertificateChain.Purpose, [UInt8])] = [
      (gateway.server, trust, .server, mark + gateway.serverHash),
      (shown, gateway.authorities.trusted, .client, gateway.trustedMark + hash),
    ]
    for (certificate, authorities, purpose, what) in pairs {
      // Signatures are verified only once, because they do not change. Only the time changes.
      guard certificate.notAfter > seconds else {
        throw CertificateChain.Failure.expired(notAfter: certificate.notAfter)
      }
      if verified.contains(what) { continue }
      try CertificateChain.check(
        certificate, authorities: authorities.certificates, purpose: purpose, now: seconds)
      verified.insert(what)
    }
  }

  private func content() throws -> (AuthorityBundle, [UInt8], Certificate, [UInt8]) {
    if let read { return read }
    let trust = identity.trust(given: given).authorities
    let shown = try Certificate(pem: identity.shownChainPEM ?? [])
    let made = (trust, trust.mark, shown, SHA256.hash(shown.der).bytes)
    read = made
    return made
  }

  /// Runs one connection; returns true if the device has finished its work.
  private func connect(
    _ gateway: TenYearsGateway, _ seconds: Int64, at now: Int64, _ fate: Fate
  ) throws -> Bool {
    var (toServer, toClient): ([UInt8], [UInt8]) = ([], [])
    var server = DeviceLinkServer(
      peer: .device(number), nonce: NotificationID(high: 1, low: 2), at: now)
    _ = client.goOnline()
    if client.isWaiting { _ = client.timerFired(at: client.deadline, output: &toServer) }
    client.opened(at: now, output: &toServer)
    var isOver = true
    while !toServer.isEmpty || !toClient.isEmpty {
      let (fromClient, fromServer) = (toServer, toClient)
      (toServer, toClient) = ([], [])
      try fromClient.withUnsafeBytes { raw in
        var input = raw
        while let action = server.next(&input, at: now, output: &toClient) {
          try perform(action, on: &server, gateway, seconds, &toClient)
        }
      }
      var next: Bool?
      try fromServer.withUnsafeBytes { raw in
        var input = raw
        while next == nil, let action = client.next(&input, at: now, output: &toServer) {
          next = try perform(action, seconds, at: now, fate, &toServer)
        }
      }
      if let next {
        isOver = next
        break
      }
      client.flush(at: now, output: &toServer)
      client.checkInvariants()
      server.checkInvariants()
    }
    if client.isUp { _ = client.goOffline(at: now, output: &toServer) }
    client.lost(at: now, random: 1)
    return isOver
  }

  private func perform(
    _ action: DeviceLinkServer.Action, on server: inout DeviceLinkServer,
    _ gateway: TenYearsGateway, _ seconds: Int64, _ output: inout [UInt8]
  ) throws {
    switch action {
    case .connected:
      server.accept(unixMilliseconds: UInt64(seconds) * 1_000, output: &output)
      server.announce(trustMark: gateway.trustMark, output: &output)
    case .request(let request, .topic(.register, _)):
      let token = gateway.codec.seal(gateway.contents(of: number))
      server.answer(request, with: .token(handle: 1, token: token), output: &output)
    case .ready:
      try gateway.note(
        DeviceArrival(
          device: number, serial: content().2.serial, tokenKey: gateway.tokenKey))
    case .renew(let publicKey):
      server.answerRenewal(.renewed(try gateway.renew(number, publicKey)), output: &output)
    default: break
    }
  }

  /// Performs a step of a connection.
  ///
  /// Returns nil while the connection continues. At the end of the connection, returns true if the device has finished
  /// its work, and false otherwise.
  private func perform(
    _ action: DeviceLinkClient.Action, _ seconds: Int64, at now: Int64, _ fate: Fate,
    _ output: inout [UInt8]
  ) throws -> Bool? {
    switch action {
    case .registered(_, let token):
      if tokens.last != token { tokens.append(token) }
      return nil
    case .renewed(let renewed):
      switch fate {
      case .answerLost:
        client.lost(at: now, random: 1)
      case .killedBeforeKept:
        start()
      case .kept, .killedOnceKept:
        identity = try identity.renewed(with: renewed, given: given, nowSeconds: seconds)
        if fate == .killedOnceKept {
          start()
        } else {
          credential = identity.credential(given: given)
          client.use(credential)
          _ = client.comeBack(at: now, output: &output)
        }
      }
      return false
    default: return nil
    }
  }
}
