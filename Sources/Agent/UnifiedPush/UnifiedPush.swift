import AppWire
import BelfryWire
import PushWire

/// The distributor's decisions (webpush 2): registrations of apps, their subscriptions at the gateway, and the messages
/// that wait for the apps.
///
/// The machine uses no bus, clock or disk. Its owner passes each event with the time to `handle`, and carries out the
/// effects in order, each only after the records before it are durable.
package struct UnifiedPush: Sendable {
  /// The reason that apps cannot reach the distributor.
  package enum Obstacle: Hashable, Sendable {
    /// The user turned the distributor off.
    case off
    case noBus
    /// Another program owns the distributor's name.
    case nameTaken
  }

  enum Service: Hashable {
    case notServed(Obstacle)
    case served(bus: UTF8Text)
  }

  enum Link: Hashable {
    case noGateway(isOff: Bool)
    case down
    /// The origin of the endpoints; empty if the gateway has no Web Push service.
    case up(origin: UTF8Text)
  }

  /// The numbers of the subscriptions of one registration.
  struct Numbers: Hashable {
    /// The subscription whose endpoint the app has.
    var current: UInt32?
    /// The subscription that replaces `current` once the gateway has issued its endpoint.
    var awaited: UInt32?
  }

  var service: Service
  var link: Link
  var subscriptions: [UInt32: PushSubscription] = [:]
  /// The subscriptions of each registration, by token.
  var tokens: [UTF8Text: Numbers] = [:]
  /// The subscriptions that ended, but whose end the gateway has not confirmed.
  var ended: [UInt32: WebPushSubject] = [:]
  /// The numbers of subscriptions that ended, for new subscriptions.
  var free: [UInt32] = []
  /// The requests that wait for the endpoint of each subscription.
  var holds: [UInt32: [UnifiedPushHold]] = [:]
  /// The messages that no app has acknowledged, by their numbers.
  var messages: [UInt64: StoredWebPush] = [:]
  var nextMessage: UInt64 = 1
  /// The calls that wait for each app.
  var channels: [UTF8Text: AppChannel] = [:]
  var nextCall: UInt64 = 1
  /// The unique names with registrations whose connections have ended, in the order of their ends.
  var endedConnections: [UTF8Text] = []
  var effects: [UnifiedPushEffect] = []
  private var random: UInt64
  /// True once registrations of uninstalled apps have been removed in this run of the agent.
  var hasCheckedApps = false
  /// The time of the event that is being handled, in milliseconds since 1970.
  var now: Int64 = 0

  /// Creates a distributor without registrations; `seed` is a random number.
  package init(isOn: Bool, hasGateway: Bool, isGatewayOff: Bool = false, seed: UInt64) {
    service = .notServed(isOn ? .noBus : .off)
    link = hasGateway ? .down : .noGateway(isOff: isGatewayOff)
    random = seed
  }

  /// True unless the user turned the distributor off.
  var isOn: Bool { service != .notServed(.off) }

  /// Returns the name on the bus of the app that has registered this token.
  func service(of token: UTF8Text) -> UTF8Text? { subscription(of: token)?.service }

  /// Returns true if an app with this name on the bus has a registration or a call that waits for it.
  func hasApp(_ name: UTF8Text) -> Bool {
    channels[name] != nil || tokens.keys.contains { service(of: $0) == name }
  }

  /// The number of registrations.
  var registrationCount: Int { tokens.count }

  // MARK: - Events

  /// Handles an event, and returns its effects.
  package mutating func handle(
    _ event: UnifiedPushEvent, at now: Int64
  ) -> [UnifiedPushEffect] {
    self.now = now
    switch event {
    case .served(let bus, let names): onServed(bus, names)
    case .notServed(let obstacle): onNotServed(obstacle)
    case .called(let call): onCall(call)
    case .holdEnded(let hold): onHoldEnded(hold)
    case .nameAppeared(let service): startRound(of: service)
    case .connectionEnded(let name): onConnectionEnded(name)
    case .delivered(let service, let call): onDelivered(service, call)
    case .deliveryFailed(let service, let call, let failure): onFailed(service, call, failure)
    case .linkUp(let origin): onLinkUp(origin)
    case .linkDown: if case .up = link { link = .down }
    case .gatewayFound: if case .noGateway = link { link = .down }
    case .identityReplaced: onIdentityReplaced()
    case .subscribed(let subject, let id): onSubscribed(subject, id)
    case .unsubscribed(let subject): onUnsubscribed(subject)
    case .refused(let subject, let refusal): onRefused(subject, refusal)
    case .received(let message): onMessage(message)
    }
    return takeEffects()
  }

  /// Returns and clears the effects.
  mutating func takeEffects() -> [UnifiedPushEffect] {
    defer { effects = [] }
    return effects
  }

  mutating func emit(_ effect: UnifiedPushEffect) { effects.append(effect) }

  // MARK: - Start

  /// Restores the stored records, and returns the effects of damaged and outdated ones.
  mutating func restore(
    subscriptions records: [(key: String, value: [UInt8])],
    messages messageRecords: [(key: String, value: [UInt8])], at now: Int64
  ) -> [UnifiedPushEffect] {
    assert(subscriptions.isEmpty && messages.isEmpty, "records are restored only once")
    self.now = now
    for (key, value) in records {
      switch PushNumberRecord(key: key, record: value) {
      case nil: emit(.note(.damagedRecord(.subscriptions, key: key)))
      case .free(let number)?: free.append(number)
      case .ended(let subject)?: ended[subject.number] = subject
      case .subscription(let one)? where !one.isConfirmed || one.owner == .test:
        // The app was never told that it is registered, and registers again.
        end(one.subject)
      case .subscription(let one)?:
        // Only a damaged store has two subscriptions of one registration.
        guard tokens[one.token] == nil else {
          end(one.subject)
          continue
        }
        subscriptions[one.number] = one
        tokens[one.token] = Numbers(current: one.number)
      }
    }
    restoreMessages(messageRecords)
    return takeEffects()
  }

  /// Returns the effects that request all subscriptions on a new link.
  mutating func start() -> [UnifiedPushEffect] {
    guard isOn else { return [] }
    for one in subscriptions.values.sorted(by: { $0.number < $1.number }) {
      emit(.subscribe(one.subject))
    }
    for subject in ended.values.sorted(by: { $0.number < $1.number }) {
      emit(.unsubscribe(subject))
    }
    return takeEffects()
  }

  private mutating func onServed(_ bus: UTF8Text, _ names: Set<UTF8Text>?) {
    service = .served(bus: bus)
    // The owner reports again which connections have ended on this bus.
    endedConnections = []
    for (name, tokens) in tokensByService {
      let isOfOtherBus =
        !BusName.isWellKnown(name) && tokens.contains { subscription(of: $0)?.bus != bus }
      let isGone = !hasCheckedApps && names?.contains(name) == false
      guard isOfOtherBus || isGone else { continue }
      for token in tokens { drop(token) }
      channels[name] = nil
      emit(.note(.appGone(name)))
    }
    if names != nil { hasCheckedApps = true }
    for name in tokensByService.keys.sorted() {
      emit(.checkOwner(name))
      startRound(of: name)
    }
  }

  private mutating func onNotServed(_ obstacle: Obstacle) {
    service = .notServed(obstacle)
    // Calls of the lost bus get no result.
    for name in channels.keys { channels[name]?.stop() }
  }

  /// The tokens of each name, in order.
  var tokensByService: [UTF8Text: [UTF8Text]] {
    Dictionary(grouping: tokens.keys.sorted()) { service(of: $0) ?? UTF8Text("") }
  }

  // MARK: - Numbers

  /// Returns the subscription of a registration: the one whose endpoint the app has, or else the awaited one.
  func subscription(of token: UTF8Text) -> PushSubscription? {
    guard let numbers = tokens[token], let number = numbers.current ?? numbers.awaited else {
      return nil
    }
    return subscriptions[number]
  }

  /// Returns an unused number: that of a subscription that ended, or else a random one.
  mutating func takeNumber() -> UInt32 {
    if let number = free.popLast() { return number }
    while true {
      // SplitMix64
      random &+= 0x9E37_79B9_7F4A_7C15
      var bits = random
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      let number = UInt32((bits ^ (bits >> 31)) >> 36)
      if subscriptions[number] == nil, ended[number] == nil { return number }
    }
  }

  mutating func persist(_ record: PushNumberRecord) { emit(.persist(record.change)) }

  /// Stores a changed subscription.
  mutating func update(_ number: UInt32, _ change: (inout PushSubscription) -> Void) {
    guard var one = subscriptions[number] else { return }
    change(&one)
    guard one != subscriptions[number] else { return }
    subscriptions[number] = one
    persist(.subscription(one))
  }

  /// Ends a subscription at the gateway; repeated until the gateway confirms it.
  mutating func end(_ subject: WebPushSubject) {
    assert(ended[subject.number] == nil, "a subscription ends once")
    subscriptions[subject.number] = nil
    ended[subject.number] = subject
    persist(.ended(subject))
    emit(.unsubscribe(subject))
  }

  // MARK: - Invariants

  /// Asserts the invariants that hold between events.
  func checkInvariants() {
    assert(effects.isEmpty, "the effects of an event are taken")
    for (number, one) in subscriptions {
      assert(one.number == number, "a subscription is stored under its number")
      let numbers = tokens[one.token]
      assert(
        one.owner == .test || numbers?.current == number || numbers?.awaited == number,
        "a subscription belongs to a registration")
      assert(
        one.isConfirmed || holds[number]?.isEmpty == false,
        "a request waits for a subscription that the app does not know")
      assert(!one.isAnnounced || one.endpoint != nil, "an announced endpoint exists")
      assert(ended[number] == nil && !free.contains(number), "a number has one state")
    }
    assert(Set(free).isDisjoint(with: ended.keys), "a number in use at the gateway is not free")
    assert(
      subscriptions.count + ended.count <= Limits.pushSubscriptions + Limits.pushKeyChanges,
      "the number of subscriptions is within the limit")
    for (token, numbers) in tokens {
      assert(numbers.current != nil || numbers.awaited != nil, "a registration has a subscription")
      for number in [numbers.current, numbers.awaited].compactMap(\.self) {
        assert(subscriptions[number]?.token == token, "the subscription has the token")
      }
    }
    for (number, waiting) in holds {
      assert(subscriptions[number] != nil, "requests wait for known subscriptions")
      assert(!waiting.isEmpty, "a subscription without requests is not listed")
      assert(Set(waiting).count == waiting.count, "a request waits once")
    }
    checkChannels()
  }
}
