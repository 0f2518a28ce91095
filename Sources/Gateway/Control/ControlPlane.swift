import PushWire
import Storage
import System
import Transport

/// The control plane, which enrolls devices, adopts apps, and sends each change of the control store to the loops.
///
/// The control plane runs on the main loop. Pushes don't pass through it.
final class ControlPlane {
  var configuration: GatewayConfiguration
  let store: any ControlStore
  let writer: ControlWriter
  var authority: any DeviceCertificateIssuer
  /// The keys that seal and open device tokens; nil if they are the keys that the loops started with.
  var tokenKeys: [[UInt8]]?
  var renewals = Renewals()
  private let revocations: CertificateRevocations
  let loop: EventLoop
  let log: Log
  private(set) var peers: LoopPeers = []
  let homes: HomeMap
  var directoryVersion: UInt64 = 0
  /// The directory that was last sent to the loops; the loops receive it before any later answer.
  var published: CredentialDirectory?
  var isRetryScheduled = false
  /// The number of apps adopted for each device.
  var adoptions: [UInt64: Int] = [:]
  var adoptingTeam: String?
  /// The state of the adoption rate limit, which all devices share.
  var nextAdoption: Int64 = 0
  private var deviceNumbers: DeviceNumbers
  var random: SystemRandom.Generator
  var enrolling: [UInt64: Enrolling] = [:]
  /// The hashes of the device keys that are being written to disk.
  private var enrollingKeys: Set<SHA256.Digest> = []
  private var enrollmentRate: RateLimit?
  /// The state of the enrollment rate limit, which starts over with each new enrollment code.
  private var nextEnrollment: Int64 = 0
  let metrics: GatewayMetrics
  private var nextTicket: UInt64 = 0
  let replies: Mailbox<ControlReply>
  let channels: ChannelService
  /// A function that tells the other nodes of a cluster that this node has written a change.
  var announceChange: () -> Void = {}
  private var teamRates: [String: SharedRate] = [:]
  private let upstreams: UpstreamRegistry
  /// The budgets of keys, by the key's ID; a budget with unchanged limits is the same object in every directory.
  var budgets: [String: SenderBudget] = [:]  // text: IDs of known keys

  /// A device that is being written to disk.
  struct Enrolling {
    let route: Route
    let device: DeviceClaim
    let isKnown: Bool
    /// The answer once the device is on disk.
    let answer: HomeReply
    /// The answer if the store fails.
    let refusal: HomeReply
  }

  init(
    configuration: GatewayConfiguration, store: any ControlStore, writer: ControlWriter,
    authority: any DeviceCertificateIssuer, revocations: CertificateRevocations, loop: EventLoop,
    epoch: UInt32, random: SystemRandom.Generator, upstreams: UpstreamRegistry,
    metrics: GatewayMetrics, log: Log
  ) {
    self.upstreams = upstreams
    deviceNumbers = DeviceNumbers(epoch: epoch)
    self.random = random
    self.metrics = metrics
    enrollmentRate = Self.rate(configuration)
    self.revocations = revocations
    self.configuration = configuration
    self.store = store
    self.writer = writer
    self.authority = authority
    self.loop = loop
    homes = HomeMap(count: configuration.loops)
    self.log = log
    channels = ChannelService(
      store: store, writer: writer, loop: loop, random: random, log: log)
    let receiver = EnrollmentReceiver()
    replies = loop.mailbox(of: ControlReply.self) { replies in
      for reply in replies { receiver.controlPlane?.finish(reply) }
    }
    receiver.controlPlane = self
  }

  private static func rate(_ configuration: GatewayConfiguration) -> RateLimit? {
    configuration.enrollmentsPerMinute.map {
      RateLimit(intervalNanoseconds: 60_000_000_000 / Int64($0), burst: $0)
    }
  }

  /// Applies a changed configuration.
  func use(_ configuration: GatewayConfiguration) {
    precondition(
      configuration.loops == self.configuration.loops, "the number of loops does not change")
    let hasOtherRate = configuration.teamRate != self.configuration.teamRate
    if configuration.enrollmentsPerMinute != self.configuration.enrollmentsPerMinute {
      enrollmentRate = Self.rate(configuration)
    }
    self.configuration = configuration
    guard hasOtherRate else { return }
    teamRates.removeAll()
    _ = publishDirectory()
  }

  /// Sets the mailboxes of the loops.
  func use(_ peers: LoopPeers) {
    precondition(peers.count == configuration.loops, "every loop has a mailbox")
    self.peers = peers
    channels.use(peers)
    repeatRotations()
  }

  /// Reads the channels from the store and returns one snapshot for each loop.
  func channelSnapshots(
    withSubscriptions: Bool = true
  ) throws(StorageFailure) -> [ChannelSnapshot] {
    try channels.snapshots(homes, withSubscriptions: withSubscriptions)
  }

  /// Builds the directory from the current contents of the store.
  func directory() throws(StorageFailure) -> CredentialDirectory {
    directoryVersion += 1
    let certificates = try store.certificates()
    let revoked = Set(certificates.filter { $0.revokedMilliseconds != nil }.map(\.serial))
    revocations.replace(with: revoked)
    try updateBudgets()
    var keys: [ProviderVerificationKey] = []
    for record in try store.keys() where record.revokedMilliseconds == nil {
      guard let publicKey = try? ES256PublicKey(spkiDER: record.publicKeySPKI) else {
        log.warning("ignoring a provider key that cannot be read", ["key": record.id])
        continue
      }
      keys.append(
        ProviderVerificationKey(record, publicKey: publicKey, budget: budget(ofKey: record.id)))
    }
    let apps = try store.apps()
    adoptions.removeAll()
    for case let adopter? in apps.lazy.map(\.adopter) { adoptions[adopter, default: 0] += 1 }
    let relays = upstreams.update(try store.upstreams(), apps: apps)
    let directory = CredentialDirectory(
      version: directoryVersion, keys: keys,
      apps: apps.map {
        App($0, teamRate: rate(ofTeam: $0.team), relay: relays[$0.number])
      },
      certificateTeams: Dictionary(
        certificates.filter { $0.revokedMilliseconds == nil }.map { ($0.serial, $0.team) },
        uniquingKeysWith: { first, _ in first }),
      revokedCertificates: revoked, damage: store.damage)
    published = directory
    return directory
  }

  /// Returns the team's rate limit, which is the same object in every directory.
  func rate(ofTeam team: String) -> SharedRate? {
    guard let limit = configuration.teamRate else { return nil }
    if let known = teamRates[team] { return known }
    let rate = SharedRate(RateLimit(perSecond: limit))
    teamRates[team] = rate
    return rate
  }

  // MARK: Requests of the loops

  func handle(_ request: ControlPlaneRequest, from route: Route) {
    assert(peers.indices.contains(route.loop), "the requesting loop \(route.loop) exists")
    switch request {
    case .enroll(let session, let enrollment, let signedBytes, let peer):
      enroll(session, enrollment, signedBytes: signedBytes, route: route, peer: peer)
    case .enrollAutopush(let session, let opening, let peer):
      enrollAutopush(session, opening, route: route, peer: peer)
    case .findAutopush(let session, let claim): findAutopush(session, claim, route: route)
    case .adopt(let session, let number, let topic, let device):
      adopt(session, request: number, topic, device: device, route: route)
    case .channels(let request):
      channels.handle(request) { [unowned self] outcome in
        answer(
          route,
          FrontReply.channels(connection: request.connection, stream: request.stream, outcome))
      }
    case .findChannel(let session, let number, let id, let app):
      if channels.introduce(id, app: app) {
        answer(route, .foundChannel(session, request: number, id, app: app))
      } else {
        answer(
          route,
          .refused(
            session, request: number, channels.mayBeDamaged(id) ? .tryLater : .unknownChannel))
      }
    case .feedback(let number, let app, let cursor):
      readFeedback(of: app, after: cursor, for: number, of: route)
    case .renew(let session, let device, let publicKey):
      renew(session, device: device, publicKey: publicKey, route: route)
    case .arrived(let arrival): note(arrival)
    case .feedbackRead(let app, let milliseconds): noteFeedbackRead(of: app, upTo: milliseconds)
    }
  }

  /// Reads a page of feedback on the writer's thread, because an app can have a large number of rows.
  private func readFeedback(
    of app: UInt32, after cursor: FeedbackCursor?, for number: UInt64, of route: Route
  ) {
    let peer = peers[route.loop]
    let log = log
    let isAsked = writer.perform { store in
      var records: [RegistrationRecord]?
      do throws(StorageFailure) {
        records = try Feedback(app: app).page(after: cursor, in: store)
      } catch {
        log.storeFailure("cannot read the feedback", error)
      }
      peer.post(.routed(.frontReply(.feedback(number: number, records))))
    }
    if !isAsked { answer(route, FrontReply.feedback(number: number, nil)) }
  }

  private func noteFeedbackRead(of app: UInt32, upTo milliseconds: Int64) {
    let log = log
    writer.perform { store in
      do throws(StorageFailure) {
        try Feedback(app: app).noteRead(upToMilliseconds: milliseconds, in: store)
      } catch {
        log.storeFailure("cannot record that the feedback was read", error)
      }
    }
  }

  private func enroll(
    _ session: SessionID, _ enrollment: LinkFrame.Enrollment, signedBytes: [UInt8], route: Route,
    peer: String
  ) {
    do throws(EnrollmentProblem) {
      let publicKey = try check(enrollment, signedBytes: signedBytes)
      let keyHash = SHA256.hash(publicKey.spkiDER)
      let known = try knownDevice(withKey: keyHash)
      let number = if let known { known.number } else { try makeDeviceNumber() }
      let record = DeviceRecord(
        number: number, keyHash: keyHash, name: enrollment.name,
        enrolledMilliseconds: known?.enrolledMilliseconds ?? loop.unixMilliseconds)
      let issued = try issue(publicKey, device: record.number)
      let ticket = makeTicket()
      enrollingKeys.insert(keyHash)
      enrolling[ticket] = Enrolling(
        route: route, device: DeviceClaim(number: record.number, keyHash: keyHash),
        isKnown: known != nil,
        answer: .enrollment(
          session,
          .enrolled(device: record.number, chainPEM: issued.pem + authority.certificatePEM)),
        refusal: .enrollment(session, .refused(.tryLater)))
      writer.submit(
        changes: [
          .putDevice(record), .putDeviceCertificate(issued.record),
        ], ticket: ticket, reply: replies)
    } catch {
      error.report(to: log, peer: peer, hasCode: !enrollment.code.isEmpty)
      metrics.count(error.refusal)
      answer(route, .enrollment(session, .refused(error.refusal)))
    }
  }

  private func check(
    _ enrollment: LinkFrame.Enrollment, signedBytes: [UInt8]
  ) throws(EnrollmentProblem) -> ES256PublicKey {
    try admitEnrollment(withCode: Array(enrollment.code.utf8))
    guard let publicKey = try? ES256PublicKey(spkiDER: enrollment.publicKey) else {
      throw .refused(.badKey)
    }
    guard publicKey.verify(rawSignature: enrollment.proof, message: signedBytes) else {
      throw .refused(.badProof)
    }
    return publicKey
  }

  /// Checks the enrollment code and the rate of enrollments.
  func admitEnrollment(withCode given: [UInt8]) throws(EnrollmentProblem) {
    if configuration.enrollment == .code {
      let code: [UInt8]?
      do throws(StorageFailure) {
        code = try store.setting(ControlSetting.enrollmentCode)
      } catch {
        throw .failed("\(error)")
      }
      guard let code, ConstantTime.areEqual(code, given) else { throw .refused(.wrongCode) }
    }
    // Limit the rate, because each key costs a signature check, and a client that knows the code could submit any
    // number of keys.
    if let enrollmentRate, !enrollmentRate.admits(&nextEnrollment, at: loop.nowNanoseconds) {
      throw .refused(.tooMany)
    }
  }

  /// Returns the device that has this key.
  ///
  /// A key belongs to a single device; a revoked device stays revoked.
  private func knownDevice(
    withKey keyHash: SHA256.Digest
  ) throws(EnrollmentProblem) -> DeviceRecord? {
    guard !enrollingKeys.contains(keyHash) else { throw .refused(.tryLater) }
    let devices: [DeviceRecord]
    do throws(StorageFailure) {
      devices = try store.devices(withKey: keyHash)
    } catch {
      throw .failed("\(error)")
    }
    guard !devices.contains(where: { $0.revokedMilliseconds != nil }) else {
      throw .refused(.revoked)
    }
    // An unreadable row might belong to a revoked device with this key.
    guard !devices.isEmpty || !store.damage.has(table: "device") else {
      throw .refused(.tryLater)
    }
    // Earlier releases created a device for each enrollment; the key's owner uses the latest of these devices.
    return devices.last
  }

  func makeDeviceNumber() throws(EnrollmentProblem) -> UInt64 {
    guard let number = deviceNumbers.next() else {
      throw .failed("all device numbers of this run are used: restart the gateway")
    }
    return number
  }

  func makeTicket() -> UInt64 {
    nextTicket += 1
    return nextTicket
  }

  func issue(
    _ publicKey: ES256PublicKey, device: UInt64
  ) throws(EnrollmentProblem) -> (
    pem: [UInt8], certificate: Certificate, record: DeviceCertificateRecord
  ) {
    do throws(CryptoFailure) {
      let certificate = try authority.issueDevice(
        publicKeySPKI: publicKey.spkiDER, device: "\(device)", now: loop.unixMilliseconds / 1_000,
        days: Limits.deviceCertificateDays)
      let record = DeviceCertificateRecord(
        serial: certificate.serial, device: device, notAfter: certificate.notAfter,
        authority: authority.keyName)
      return (try certificate.pem(), certificate, record)
    } catch {
      throw .failed("\(error)")
    }
  }

  fileprivate func finish(_ reply: ControlReply) {
    guard let done = enrolling.removeValue(forKey: reply.ticket) else {
      if finishRenewal(reply) { return }
      return assertionFailure("an unknown enrollment finished")
    }
    enrollingKeys.remove(done.device.keyHash)
    if let failure = reply.failure {
      log.storeFailure("cannot store an enrollment", failure)
      metrics.count(.tryLater)
      answer(done.route, done.refusal)
      return
    }
    log.info(
      done.isKnown ? "enrolled a device again" : "enrolled a device",
      ["device": "\(done.device.number)"])
    metrics.enrollments.add()
    // The device's home is notified of the device before the device receives its certificate and can reconnect.
    send(
      .enrolled(done.device, answer: done.answer, route: done.route),
      to: homes.home(of: done.device.number))
  }

  func answer(_ route: Route, _ reply: HomeReply) { send(.homeReply(reply), to: route) }

  func answer(_ route: Route, _ reply: FrontReply) { send(.frontReply(reply), to: route) }

  func send(_ message: RoutedMessage, to route: Route) {
    guard peers.indices.contains(route.loop) else {
      return assertionFailure("a message is for \(route), which does not exist")
    }
    peers[route.loop].post(.routed(message))
  }

  // MARK: Changes by the administration

  /// Sends the loops changes that are already durable in the store.
  func handle(_ changes: [ControlChange]) {
    channels.handle(changes)
    var isDirectoryOld = false
    for change in changes {
      switch change {
      case .putTeam, .removeTeam, .putKey, .putCertificate, .putApp, .removeApp, .putUpstream,
        .removeUpstream, .putBudget, .forgetSetAside:
        isDirectoryOld = true
      case .putDevice(let device):
        guard let revoked = device.revokedMilliseconds, !peers.isEmpty else { continue }
        send(
          .revoked(device: device.number, atMilliseconds: revoked),
          to: homes.home(of: device.number))
      case .putSetting(name: ControlSetting.enrollmentCode, _):
        resetEnrollmentRate()
      case .putChannel, .removeChannel, .putBroadcast, .removeBroadcast, .removeExpiredBroadcasts,
        .putDeviceCertificate, .recordArrival, .putRegistration, .forgetFormerRegistrations,
        .unregisterAll, .putSubscription,
        .markSubscription,
        .removeSubscription, .addUse, .putSetting:
        // The channel service handles channel changes; the other changes need no action here.
        continue
      }
    }
    if isDirectoryOld, !publishDirectory() { withdraw(changes) }
  }

  /// Withdraws what `changes` have revoked or removed, although the store cannot be read.
  ///
  /// The command that made the changes returns soon, and nothing that it has revoked may be accepted afterward.
  private func withdraw(_ changes: [ControlChange]) {
    guard let published else { return }
    for case .putCertificate(let certificate) in changes
    where certificate.revokedMilliseconds != nil {
      revocations.add(certificate.serial)
    }
    for case .removeUpstream(let app) in changes { upstreams.withdraw(app: app) }
    directoryVersion += 1
    publish(published.withoutRevoked(changes, version: directoryVersion))
  }

  /// Resets the rate limit, because each new code starts with a full one.
  func resetEnrollmentRate() { nextEnrollment = 0 }

  /// Sends the loops a new directory.
  ///
  /// If the store can't be read, this method returns false and retries later, because a revocation must never be lost.
  @discardableResult
  func publishDirectory() -> Bool {
    do throws(StorageFailure) {
      publish(try directory())
      return true
    } catch {
      log.error("cannot read keys and apps: keeping the previous ones", ["why": "\(error)"])
      scheduleRetry()
      return false
    }
  }

  func publish(_ directory: CredentialDirectory) {
    published = directory
    for peer in peers { peer.post(.directory(directory)) }
  }

  /// Traps, in builds with assertions, if the control plane's state is inconsistent.
  func checkInvariants() {
    channels.checkInvariants()
    assert(
      peers.isEmpty || peers.count == configuration.loops,
      "either all loop mailboxes are set, or none")
    renewals.checkInvariants(lastTicket: nextTicket)
    assert(
      enrolling.keys.allSatisfy { $0 <= nextTicket }, "every enrollment has an assigned ticket")
    assert(
      enrolling.values.allSatisfy { !deviceNumbers.isLeft($0.device.number) },
      "an enrolling device's number is no longer available")
    assert(
      Set(enrolling.values.map(\.device.number)).count == enrolling.count,
      "enrolling devices have different numbers")
    assert(
      published.map { $0.version <= directoryVersion } ?? true,
      "the published directory has an assigned version")
  }

  private func scheduleRetry() {
    guard !isRetryScheduled else { return }
    isRetryScheduled = true
    loop.schedule(afterNanoseconds: Limits.directoryRetryNanoseconds) { [weak self] in
      guard let self else { return }
      isRetryScheduled = false
      publishDirectory()
    }
  }
}

/// A receiver that forwards the writer's answers to the control plane.
///
/// It is a separate object because the control plane's initializer needs a mailbox before the control plane is
/// initialized.
private final class EnrollmentReceiver {
  weak var controlPlane: ControlPlane?
}
