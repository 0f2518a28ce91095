import BelfryWire
import ProviderService
import Storage
import System

/// A provider service that sends one campaign, and its operator.
final class SimulatedProviderService {
  private static let id = "c1"
  private static let zones = ["Europe/Paris", "Asia/Tokyo", "America/New_York", "UTC"]

  private unowned let world: CampaignSimulation
  private var store: SimulatedRegistryStore?
  private var document: CampaignDocument?
  private var registry: Registry?
  /// The name of each device's time zone, by token.
  private var zoneNames: [String: String] = [:]  // text: hexadecimal tokens
  private var sealed: [String: [UInt8]] = [:]  // text: hexadecimal tokens
  private var clock = CampaignClock(log: .silent)
  private var work: CampaignWork?
  private var inbox: [CampaignMessage] = []
  /// The number of the next turn; a turn with an earlier number was replaced.
  private var turn = 0
  private(set) var starts = 0
  private var runs = 0
  private var isUp = false

  init(in world: CampaignSimulation) { self.world = world }

  /// The state of the campaign in the store.
  var storedState: CampaignRecord.State? {
    (try? store?.contents.campaign(Self.id, documentBytesMax: 0))?.state
  }

  /// Returns true if the campaign may be sent to a device now.
  func isAllowed(_ token: String) -> Bool {
    guard let document, let registry, let name = zoneNames[token],
      let zone = registry.zones.zone(named: name)
    else { return true }
    let now = Int(clock.unixSeconds)
    return document.sendTime.earliest(from: now, in: zone) <= now
  }

  /// Registers the devices, and starts the campaign in the store.
  func prepare() throws(StorageFailure) {
    let store = try SimulatedRegistryStore(in: world)
    self.store = store
    let key = [UInt8](repeating: 1, count: 64)
    let otherKey = [UInt8](repeating: 2, count: 64)
    guard let sealer = try? TokenSealer(key: key), let other = try? TokenSealer(key: otherKey)
    else {
      return world.fail("a sealer cannot be created")
    }
    registry = Registry(store: store, sealer: sealer)
    var tokens: [TokenRegistration] = []
    let audience = world.service.audience
    for token in audience.tokens {
      let text = Hexadecimal.encode(token)
      let zone = world.pick(Self.zones)
      zoneNames[text] = zone
      let isReadable = !world.chance(0.03)
      sealed[text] = (isReadable ? sealer : other).seal(token)
      world.record {
        $0.add(text); return nil
      }
      tokens.append(
        TokenRegistration(
          sealed: sealed[text] ?? [], topic: audience.topic,
          language: world.pick(["en", "fr", nil]),
          timeZone: zone))
    }
    _ = try store.register(tokens, at: world.time.unixMilliseconds, limit: nil)
    var object: JSONObject = [
      "topic": .string(audience.topic),
      "alert": ["en": ["body": "Hello"], "fr": ["body": "Salut"]],
    ]
    if world.profile.hasQuietHours {
      // Let the quiet hours begin soon, so that some pushes are still in flight when they begin.
      let minute = (world.time.unixMilliseconds / 60_000 + 60 + world.random(0...3)) % 1_440
      object["quietHours"] = [
        "from": .string(Self.clockText(minute)),
        "to": .string(Self.clockText((minute + 480) % 1_440)),
      ]
    }
    guard let document = try? CampaignDocument(object) else {
      return world.fail("the campaign's document is invalid")
    }
    self.document = document
    let record = CampaignRecord(
      id: Self.id, createdMilliseconds: world.time.unixMilliseconds, document: object.bytes,
      topic: audience.topic, audience: .all, rate: world.profile.rate)
    try store.addCampaign(record)
    _ = try store.start(
      record,
      groups: document.sendTime.dependsOnZone ? Self.zones.map { .named($0) } : [.any],
      total: Int64(audience.tokens.count))
  }

  private static func clockText(_ minute: Int64) -> String {
    func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + "\(number)" }
    return two(minute / 60) + ":" + two(minute % 60)
  }

  // MARK: The process

  func start() {
    isUp = true
    starts += 1
    world.note("the provider service starts")
    let world = world
    clock = CampaignClock(log: .silent) { (world.time.now, world.time.unixMilliseconds) }
    guard let campaign = read() else { return }
    let hasBatches = (try? store?.contents.batches(of: Self.id).isEmpty) == false
    perform(.serviceStarted(isWhole: true, hasBatches: hasBatches), of: campaign)
  }

  private func read() -> CampaignRecord? {
    (try? store?.contents.campaign(Self.id, documentBytesMax: .max)) ?? nil
  }

  /// Lets the real lifecycle decide, and performs its actions as the service does.
  private func perform(_ event: CampaignLifecycle.Event, of campaign: CampaignRecord) {
    var campaign = campaign
    var lifecycle = CampaignLifecycle(state: campaign.state, isRunning: work != nil)
    guard case .success(let actions) = lifecycle.handle(event) else { return }
    for action in actions {
      switch action {
      case .storeState:
        campaign.state = lifecycle.state
        campaign.problem = nil
        guard (try? store?.contents.update(campaign)) != nil else {
          return world.fail("the operator's change cannot be stored")
        }
        world.note("the operator sets the state \(campaign.state)")
      case .run: run(campaign)
      case .stopRunner(let state):
        world.note("the operator asks for the state \(state)")
        post(.stop(state))
      case .checkAudience, .replaceContent, .start, .remove:
        world.fail("unexpected action \(action)")
      }
    }
  }

  private func run(_ campaign: CampaignRecord) {
    guard let registry, let document else { return }
    let world = world
    var resources = CampaignRunner.Resources(
      registry: registry, service: world.service.pushService, log: .silent)
    resources.clock = clock
    resources.random = { SeededGenerator(seed: UInt64(world.random(0...Int64.max))) }
    resources.time = { (world.time.now, world.time.unixMilliseconds) }
    runs += 1
    let number = runs
    work = CampaignWork(campaign, document, resources) { batch, answers in
      // As in the product, the answers to an earlier run's pushes do not reach a later run.
      guard number == world.provider.runs, world.provider.isUp else { return }
      world.provider.post(.answered(batch: batch, answers))
    }
    plan(after: 0)
  }

  private func post(_ message: CampaignMessage) {
    inbox.append(message)
    plan(after: 0)
  }

  private func plan(after nanoseconds: Int64) {
    turn += 1
    let number = turn
    world.time.after(nanoseconds) { [unowned self] in
      if number == turn { pump() }
    }
  }

  private func pump() {
    guard var work else { return }
    self.work = nil
    for message in inbox { work.handle(message) }
    inbox = []
    // Answers that arrive during the turn are handled in the next one.
    let due = work.turn()
    if world.failsNow(.crashes) { return crash() }
    guard let due else {
      return world.note("the run ends in the state \(storedState.map { "\($0)" } ?? "none")")
    }
    self.work = work
    plan(after: inbox.isEmpty ? max(0, due - world.time.now) : 0)
  }

  private func crash() {
    world.note("the provider service crashes")
    isUp = false
    work = nil
    inbox = []
    turn += 1
    world.service.providerCrashed()
    world.time.after(world.milliseconds(20_000)) { [unowned self] in start() }
  }

  /// Shuts the process down gracefully and starts it again.
  private func restart() {
    guard isUp else { return }
    if work != nil { post(.stop(.running)) }
    world.note("the provider service is asked to exit")
    world.time.after(4_000_000_000) { [unowned self] in
      guard isUp else { return }
      crash()
    }
  }

  // MARK: The operator and the apps

  /// Schedules everything that happens in the period with faults.
  func plan() {
    every(world.profile.operatorEvery) { [unowned self] in act() }
    every(world.profile.restartEvery) { [unowned self] in restart() }
    every(world.profile.unregisterEvery) { [unowned self] in unregister() }
  }

  private func every(_ nanoseconds: Int64, _ body: @escaping () -> Void) {
    guard nanoseconds < Int64.max / 100 else { return }
    world.time.after(world.random(0...2 * nanoseconds)) { [unowned self] in
      guard world.isTroubled else { return }
      body()
      every(nanoseconds, body)
    }
  }

  private func act() {
    guard isUp, let campaign = read() else { return }
    perform(
      world.pick([
        .pauseRequested, .pauseRequested, .sendRequested(startsLater: false),
        .sendRequested(startsLater: false), .sendRequested(startsLater: false), .cancelRequested,
      ]), of: campaign)
  }

  private func unregister() {
    guard let token = sealed.keys.sorted().randomElement(using: &world.random),
      let bytes = sealed[token]
    else { return }
    world.record {
      $0.removed(token); return nil
    }
    world.note("\(token) is unregistered")
    _ = try? store?.contents.remove(bytes, topic: nil)
  }

  /// Resumes the campaign until it has ended.
  func calmDown() {
    if isUp, work == nil, let campaign = read(), campaign.state == .paused {
      perform(.sendRequested(startsLater: false), of: campaign)
    }
    guard storedState == .paused || work != nil || !isUp else { return }
    world.time.after(60_000_000_000) { [unowned self] in calmDown() }
  }

  func checkEnd(_ ledger: CampaignLedger) throws(StorageFailure) -> String? {
    guard let store, let campaign = read() else { return "the campaign is not in the store" }
    guard campaign.state == .completed || campaign.state == .cancelled, work == nil else {
      return "the campaign is still \(campaign.state) long after the last fault"
    }
    if !(try store.contents.batches(of: Self.id).isEmpty) { return "a batch was never finished" }
    return ledger.check(try store.contents.tallies(of: Self.id), of: campaign)
  }
}
