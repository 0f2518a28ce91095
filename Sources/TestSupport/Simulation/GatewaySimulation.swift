import BelfryWire
import PushWire
import Gateway
import Storage
import System
import Transport

/// A simulation of providers, a gateway with its loops and stores, and devices, on one thread, with one seed and a
/// virtual clock.
///
/// The gateway is the real one, from its server down to its streams. Its environment is simulated: network, threads,
/// disk, and clocks. For a while, everything that can fail does: the gateway and the devices crash; connections break,
/// stall, or become silent; disks are slow, full, or broken; loops pause; and clocks are set. Then a period without
/// faults follows, in which the gateway must keep every promise. The same seed always produces the same run.
public final class GatewaySimulation: SimulatedWorld, @unchecked Sendable {
  // The class is used only on a single thread, but is captured by closures that the gateway can call from other
  // threads.

  let time = VirtualTime()
  let profile: SimulationProfile
  let identities: SimulatedIdentities
  let tokens: DeviceTokenCodec
  var random: SeededGenerator
  let topics: [LinkTopic]
  let ports: GatewayPorts
  /// Two channels: one stores its newest message, the other stores nothing.
  let channels = (0...1).map { number in
    LinkChannel(
      bundleID: "com.example.app1", identifier: ChannelID(high: 3, low: number).bytes)
  }
  private var madeNetwork: SimulatedNetwork?
  /// The gateways: one, or the nodes of a cluster.
  private(set) var gateways: [SimulatedGatewayProcess] = []
  /// The database and the bus of a cluster; nil if there is a single gateway.
  private(set) var cluster: SimulatedCluster?
  private(set) var devices: [SimulatedDevice] = []
  /// The campaign that is sent to the agents; nil until it begins.
  private(set) var campaign: CampaignSimulation?
  /// The devices with the real agent.
  private(set) var agents: [AgentDevice] = []
  private(set) var providers: [SimulatedProvider] = []
  private(set) lazy var binaryProvider = SimulatedBinaryProvider(in: self)
  private(set) lazy var feedbackClient = SimulatedFeedbackClient(in: self)
  private(set) lazy var ledger = DeliveryLedger(in: self)
  private(set) lazy var broadcasts = BroadcastLedger(in: self)
  private let seed: UInt64
  /// The rule that a part of the world breaks, so that a test can show that a violation is found.
  let planted: PlantedFault?
  let length: SimulationLength
  var journal: SimulationJournal
  private var digest: UInt64 = 0
  private(set) var isTroubled = false
  private(set) var isRunning = true
  private var troubleEnd: Int64 = 0
  private var fullUntil: Int64 = 0
  private var streakEnds: [Streak: Int64] = [:]
  /// The earliest wall-clock second at which a commit in progress might have been started.
  var earliestUnixSeconds: Int64 {
    guard !profile.hasUnevenClocks else { return .min / 2 }
    // Allow for the duration of the previous batch, plus that of the commit's own batch.
    // A frozen node of a cluster can also continue later, and the database can execute a commit later.
    let lateness = profile.cluster.map { $0.leaseMilliseconds * 3 / 1_000 + 60 } ?? 0
    let slowest: Int64 = (profile.streakEvery < .max / 8 ? 25 : 5) + lateness
    return time.unixMilliseconds / 1_000 - slowest
  }
  /// The earliest time that any process considers the present, in seconds since 1970.
  var earliestExpirySeconds: Int64 {
    gateways.reduce(.max) { min($0, $1.presentExpirySeconds) }
  }
  /// The latest time that any process considers the present, or did just before a clock was set.
  var latestExpirySeconds: Int64 { gateways.reduce(.min) { max($0, $1.expirySeconds) } }
  var unwanted: Set<DeliveryLedger.Target> = []
  /// The tokens that apps have reported to their providers.
  var knownTokens: [(target: DeliveryLedger.Target, token: [UInt8])] = []
  /// The recipient of each token that an app has ever reported to its providers.
  var reportedTokens: [String: DeliveryLedger.Target] = [:]  // text: hexadecimal tokens
  private var campaignProvider: SimulatedProvider?
  var extraChannels: [ChannelID] = []

  /// Creates the world generated from a seed, optionally with the given profile.
  init(
    seed: UInt64, length: SimulationLength = .full, isTracing: Bool,
    profile: SimulationProfile? = nil, identities: SimulatedIdentities? = nil,
    model: Model = .gateway, planted: PlantedFault? = nil
  ) throws {
    self.seed = seed
    self.planted = planted
    self.length = length
    journal = SimulationJournal(isTracing: isTracing)
    self.identities = try identities ?? SimulatedIdentities.shared.get()
    tokens = try DeviceTokenCodec(keys: [SimulatedIdentities.tokenKey], environment: .sandbox)
    random = SeededGenerator(seed: seed)
    var drawn = SimulationProfile(&random, length: length)
    if model == .whole { drawn.useAgents(&random) }
    if model == .cluster { drawn.useCluster(&random, length: length) }
    self.profile = profile ?? drawn
    ports = GatewayPorts(
      insecureProvider: 2_080, insecureWebPush: self.profile.servesWebPush ? 2_081 : nil)
    topics = (1...self.profile.apps).map { LinkTopic(bundleID: "com.example.app\($0)") }
    madeNetwork = try SimulatedNetwork(in: self)
    var changes = self.identities.firstChanges(apps: self.profile.apps)
    for (index, channel) in channels.enumerated() {
      changes.append(
        .putChannel(
          ChannelRecord(
            id: channel.identifier, app: 1, keepsLatest: index == 0, createdMilliseconds: 0)))
    }
    guard let clusterProfile = self.profile.cluster else {
      gateways = [try SimulatedGatewayProcess(in: self, firstChanges: changes)]
      return
    }
    changes += self.identities.revocableKeys
    let cluster = try SimulatedCluster(in: self, clusterProfile, firstChanges: changes)
    self.cluster = cluster
    gateways = cluster.nodes.map { SimulatedGatewayProcess($0, in: self) }
  }

  var network: SimulatedNetwork {
    guard let madeNetwork else { preconditionFailure("the simulation is not set up yet") }
    return madeNetwork
  }

  /// The gateway, or the first node of a cluster; all nodes have the same stores.
  var gateway: SimulatedGatewayProcess {
    precondition(!gateways.isEmpty, "the simulation is not set up yet")
    return gateways[0]
  }

  // MARK: Digest

  /// Mixes an event into the digest.
  func mix(_ value: UInt64) {
    digest = (digest ^ value) &* 0x9E37_79B9_7F4A_7C15
    digest ^= digest >> 29
  }

  // MARK: Faults

  /// A kind of fault that persists for a while: one kind of operation always fails, or every operation is slow.
  enum Streak: CaseIterable {
    case commits, loads, changes, readings
    /// Nothing fails, but every operation takes seconds.
    case everythingSlow
  }

  /// The time that a disk takes for a batch.
  var batchNanoseconds: Int64 {
    guard isTroubled, let end = streakEnds[.everythingSlow], time.now < end else {
      return random(50_000...profile.commitMost)
    }
    return random(500_000_000...10_000_000_000)
  }

  /// Makes one kind of operation fail, or every operation slow, for the given time.
  func beginStreak(_ streak: Streak, nanoseconds: Int64) {
    note("a streak of faults begins: \(streak)")
    streakEnds[streak] = time.now + nanoseconds
  }

  /// Throws throughout a streak and occasionally at other times, as a real disk does.
  func maybeFail(
    _ streak: Streak, _ what: @autoclosure () -> String
  ) throws(StorageFailure) {
    if isTroubled, let end = streakEnds[streak], time.now < end {
      note("\(what()) fails in a streak of faults")
      throw .engine(path: "simulation", operation: "continue", detail: "a streak of faults")
    }
    try maybeFail(what())
  }

  /// True if the stores do not accept new data.
  var isDiskFull: Bool { isTroubled && time.now < fullUntil }

  /// True if consequences of the faults might still be in progress.
  var wasTroubledLately: Bool { time.now < troubleEnd + 120_000_000_000 }

  /// Throws occasionally, as a real disk does.
  func maybeFail(_ what: @autoclosure () -> String) throws(StorageFailure) {
    guard isTroubled, profile.commitFailure > 0, chance(profile.commitFailure) else { return }
    note("\(what()) fails")
    throw .engine(path: "simulation", operation: "continue", detail: "a simulated fault")
  }

  /// The gateway's log.
  ///
  /// An error in the log is a violation, unless a fault was injected.
  func log(of process: SimulatedGatewayProcess) -> Log {
    let prefix = process.node.map { "\($0.name) " } ?? ""
    return Log(
      subsystem: "gateway", level: .info,
      sink: LogSink { [unowned self] line in
        let text = line.split(separator: " ", maxSplits: 1).last.map(String.init) ?? line
        note("\(prefix)log: \(text)")
        cluster?.logged(text)
        guard text.hasPrefix("error") else { return }
        expect(isTroubled || wasTroubledLately, "the gateway logged an unexpected error: \(text)")
      })
  }

  /// The number of times that an older control store was restored.
  private(set) var controlRestorations = 0

  /// Handles the restoration of an older control store, in which all changes made after the copy are lost.
  func controlStoreWasRestored() {
    controlRestorations += 1
    ledger.restored()
    broadcasts.restored()
    for known in knownTokens { markUnwanted(known.target) }
    for device in devices { device.controlStoreWasRestored() }
  }

  /// Records that the gateway refused a push because the older control store does not contain the token or the app.
  func pushRefusedForItsToken(_ number: UInt64, _ reason: String, token: [UInt8]) {
    note("#\(number) was answered with 400 \(reason)")
    knownTokens.removeAll { $0.token == token }
  }

  // MARK: Promises

  /// Returns the device with a number that the gateway assigned; nil if none has it now.
  func recipient(_ number: UInt64) -> (any SimulatedRecipient)? {
    devices.first { $0.number == number } ?? agents.first { $0.number == number }
  }

  /// Returns true if, at any time, the device did not want the app's notifications.
  func wasUnwanted(_ target: DeliveryLedger.Target) -> Bool { unwanted.contains(target) }

  func markUnwanted(_ target: DeliveryLedger.Target) { unwanted.insert(target) }

  /// Checks a push that the gateway sends to a device.
  func sent(_ line: DeliveryLogLine, by process: SimulatedGatewayProcess) {
    if formerNumbers.contains(line.device) { return }
    // A test's browsers are devices that this world does not know.
    if profile.servesWebPush, recipient(line.device) == nil { return }
    guard let device = recipient(line.device) else {
      return fail("a notification was sent to device number \(line.device), which does not exist")
    }
    expect(
      !device.isRevoked || device.isRevocationForgotten
        || cluster?.mayServeRevoked(process) == true,
      "a notification was sent to device \(device.index), which is revoked")
    guard let number = Self.push(line.id), let push = ledger.push(number), push.priority < 10
    else { return }
    expect(
      !device.isKnownAsRestricted(by: process),
      "#\(number) of priority \(push.priority) was sent to a restricted device")
  }

  // MARK: The run

  func play() -> Outcome {
    defer { end() }
    isTroubled = true
    for gateway in gateways { gateway.start() }
    addDevices()
    for _ in 0..<profile.providers { addProvider() }
    plan(every: profile.pushEvery) { [self] in push() }
    plan(every: profile.pushEvery * 5) { [self] in broadcast(isForAll: false) }
    planTrouble()
    planCampaign()
    step(until: time.now + profile.troubled)
    // An administrator's command in a cluster takes time, so the faults can last longer.
    let end = time.now
    isTroubled = false
    troubleEnd = end
    heal()
    if agents.isEmpty {
      rest(until: end + profile.calm * 2 / 3)
      for _ in 0..<4 { broadcast(isForAll: true) }
      step(until: time.now + (isPatient ? profile.calm / 3 : 120_000_000_000))
    } else {
      step(until: end + profile.calm)
      stepInLeaps(until: end + AgentSimulationProfile.calm)
    }
    binaryProvider.settleAccounts()
    if violation == nil { ledger.check() }
    for agent in agents where violation == nil { agent.check() }
    if violation == nil { campaign?.check() }
    if violation == nil, let campaign, let lost = hostedService?.check(campaign.ledger) {
      fail(lost)
    }
    if violation == nil { broadcasts.check() }
    if violation == nil, let unmet = unmetWish { fail(unmet) }
    if violation == nil, let difference = cluster?.difference { fail(difference) }
    if violation == nil { closeEverything() }
    return Outcome(
      seed: seed, length: length, violation: violation,
      trace: SimulationTrace.relevant(journal.lines, violation, ledger),
      pushes: ledger.pushes.count, accepted: ledger.pushes.count { $0.isAnswered },
      shown: ledger.pushes.count { $0.shown > 0 },
      controlRestorations: controlRestorations, events: time.eventsHandled, digest: digest,
      model: cluster != nil ? .cluster : profile.agents > 0 ? .whole : .gateway,
      planted: planted)
  }

  private func addDevices() {
    for index in 0..<profile.devices { addDevice(index + 1) }
    for index in 0..<profile.agents { addAgent(index + 1) }
  }

  func addDevice(_ index: Int) {
    let device = SimulatedDevice(index, in: self)
    devices.append(device)
    for channel in channels where chance(0.8) { device.subscribe(channel) }
    for topic in topics { device.register(topic) }
    device.start()
  }

  private var agentKeysTaken = 0
  /// The former numbers of devices that have lost their identity.
  var formerNumbers: Set<UInt64> = []

  /// True if an agent can take another key.
  var hasAgentKeys: Bool { agentKeysTaken < identities.agentKeys.count }

  /// Returns a key that no agent has used.
  func takeAgentKey() -> ES256PrivateKey {
    assert(hasAgentKeys, "there are fewer keys than agents")
    defer { agentKeysTaken += 1 }
    return identities.agentKeys[agentKeysTaken % identities.agentKeys.count]
  }

  /// Returns the tokens for a topic that apps on devices with the real agent have reported.
  func agentTokens(of topic: LinkTopic) -> [[UInt8]] {
    knownTokens.filter { known in
      known.target.topic == topic && agents.contains { $0.number == known.target.device }
    }.map(\.token)
  }

  /// Returns the recipient of a token, given in hexadecimal; nil if no app has reported the token.
  func target(of text: String) -> DeliveryLedger.Target? {
    reportedTokens[text]
  }

  /// Adds the provider that sends the campaign.
  func addCampaignProvider() -> SimulatedProvider {
    // A provider whose number is a multiple of 3 authenticates with tokens, which are valid for all topics.
    let provider = SimulatedProvider((providers.count + 2) / 3 * 3, in: self)
    campaignProvider = provider
    return provider
  }

  /// Begins a campaign once an app has a token.
  private func planCampaign() {
    guard !agents.isEmpty else { return }
    time.after(random(0...profile.troubled / 2)) { [self] in
      guard isTroubled else { return }
      guard topics.contains(where: { !agentTokens(of: $0).isEmpty }) else { return planCampaign() }
      assert(campaign == nil, "a world has one campaign")
      let campaign = CampaignSimulation(in: self)
      self.campaign = campaign
      campaign.begin()
    }
  }

  private func addAgent(_ index: Int) {
    let agent = AgentDevice(index, in: self)
    agents.append(agent)
    agent.begin()
  }

  /// Handles a crash of the gateway, which loses its memory.
  func gatewayCrashed() { for device in devices { device.gatewayCrashed() } }

  func addProvider() { providers.append(SimulatedProvider(providers.count, in: self)) }

  private func heal() {
    cluster?.heal()
    for device in devices {
      device.discarding = nil
      device.setState([])
      for topic in topics { device.setEnabled(true, topic) }
      device.goOnline()
    }
    for connection in network.connections where connection.isDark { connection.cut() }
    for agent in agents { agent.simulation.calmDown() }
    campaign?.calmDown()
  }

  /// Runs the hours in which the agents finish their work, with a gateway that runs only every five seconds.
  ///
  /// Otherwise, the idle ticks of the gateway's loops would take most of the time.
  private func stepInLeaps(until end: Int64) {
    while time.now < end, violation == nil {
      let next = min(end, time.now + 5_000_000_000)
      for gateway in gateways { gateway.pauseLoops(until: next) }
      step(until: next)
    }
  }

  /// True if this world runs to its end even if nothing remains to be done, as one in eight worlds does.
  private var isPatient: Bool { seed.isMultiple(of: 8) }

  /// Runs the calm period until everything is done, but not beyond `end`.
  ///
  /// Once everything is done, only idle ticks would follow.
  private func rest(until end: Int64) {
    while time.now < end, violation == nil {
      step(until: min(end, time.now + 30_000_000_000))
      if !isPatient, !wasTroubledLately, isAtRest { return }
    }
  }

  /// Disconnects all providers and devices, stops the gateway, and checks that nothing remains.
  private func closeEverything() {
    for provider in providers { provider.goOffline() }
    cluster?.goOffline()
    campaignProvider?.goOffline()
    binaryProvider.goOffline()
    feedbackClient.goOffline()
    for device in devices { device.goOffline() }
    for agent in agents { agent.goOffline() }
    step(until: time.now + 60_000_000_000)
    for gateway in gateways {
      expect(!gateway.hasConnections, "connections remain open: \(gateway.connectionCounts)")
    }
    expect(network.connections.isEmpty, "\(network.connections.count) sockets remain open")
    for gateway in gateways { gateway.drain(backAfter: .max / 4) }
    step(until: time.now + 10_000_000_000)
    for gateway in gateways { expect(!gateway.isUp, "\(gateway.title) did not shut down") }
  }

  func end() {
    isRunning = false
    for agent in agents { agent.end() }
    campaign = nil
    campaignProvider = nil
    for gateway in gateways { gateway.release() }
    cluster?.end()
    network.release()
    time.cancelAll()
  }

  /// Runs all events up to `end` or to the first violation.
  func step(until end: Int64) {
    while violation == nil {
      let wakeup = min(
        gateways.reduce(.max) { min($0, $1.nextWakeup) }, network.clientLoop.nextWakeup)
      let event = time.nextEvent
      guard min(wakeup, event) <= end else { break }
      if event <= wakeup { time.handleNext() } else { time.wakeUp(at: wakeup) }
      settle()
      mix(UInt64(bitPattern: time.now))
      mix(random.fingerprint)
      guard !gateways.contains(where: \.hasPausedLoops) else { continue }
      for device in devices { device.loopsAreAtRest() }
    }
    time.advance(to: end)
  }

  /// Runs turns of all gateways until none has anything left to do at the current time.
  private func settle() {
    guard gateways.count > 1 else {
      gateway.settle()
      return
    }
    var hasWorked = true
    while hasWorked, violation == nil {
      hasWorked = false
      for gateway in gateways where gateway.settle() { hasWorked = true }
    }
  }

  /// Records that near ends of connections might have become ready.
  func nearEndsMayBeReady() { for gateway in gateways { gateway.nearEndsMayBeReady() } }

  /// Repeats `body` at about this interval while faults occur.
  func plan(every interval: Int64, _ body: @escaping () -> Void) {
    guard interval < .max / 8 else { return }
    time.after(random(0...interval * 2)) { [self] in
      guard isTroubled else { return }
      body()
      plan(every: interval, body)
    }
  }

  func fillDisk(_ nanoseconds: Int64) { fullUntil = time.now + nanoseconds }
}
