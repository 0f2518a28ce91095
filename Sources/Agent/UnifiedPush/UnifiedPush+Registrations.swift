import AppWire
import BelfryWire
import PushWire

// Registrations: calls of apps, and the answers of the gateway.
extension UnifiedPush {
  // MARK: - Calls of apps

  mutating func onCall(_ call: UnifiedPushCall) {
    switch call.request.action {
    case .register(let registration):
      register(
        call.number, registration, call.request.version, isAllowed: call.isAllowed,
        isTokenHeld: call.isTokenHeld)
    case .unregister(let token):
      unregister(
        call.number, token, call.request.version,
        isAllowed: call.isAllowed, isTokenHeld: call.isTokenHeld)
    }
  }

  mutating func onConnectionEnded(_ name: UTF8Text) {
    assert(!BusName.isWellKnown(name), "a connection has a unique name")
    let names = tokensByService
    endedConnections.removeAll { $0 == name || names[$0] == nil }
    if names[name] != nil { endedConnections.append(name) }
  }

  private mutating func register(
    _ call: UInt64, _ registration: UnifiedPushRequest.Registration,
    _ version: UnifiedPushVersion, isAllowed: Bool, isTokenHeld: Bool
  ) {
    let service = registration.service
    guard isAllowed else {
      return refuse(call, .unauthorized, .unauthorized(service))
    }
    if case .up(let origin) = link, origin.isEmpty {
      return refuse(call, .actionRequired, .noWebPush(service))
    }
    if case .noGateway(isOff: true) = link {
      return refuse(call, .actionRequired, .noGateway(service, isOff: true))
    }
    // A registration under a unique name, which is never used again, moves to the app's next name once the connection
    // has ended.
    if let known = subscription(of: registration.token), known.service != service,
      BusName.isWellKnown(known.service) || isTokenHeld
    {
      return refuse(call, .unauthorized, .tokenInUse(service))
    }
    let numbers = tokens[registration.token]
    if let current = numbers?.current, hasKey(registration.vapid, current) {
      if let awaited = numbers?.awaited { abandon(awaited, .internalError) }
      let former = apply(registration, version, to: current)
      if subscriptions[current]?.endpoint == nil {
        hold(.call(call), for: current)
      } else {
        emit(.answer(call, .registered))
        announce(current)
      }
      // The endpoint precedes the messages that wait.
      return move(registration.token, from: former, to: service)
    }
    if let awaited = numbers?.awaited {
      guard !hasKey(registration.vapid, awaited) else {
        let former = apply(registration, version, to: awaited)
        hold(.call(call), for: awaited)
        return move(registration.token, from: former, to: service)
      }
      abandon(awaited, .internalError)
    }
    guard makeRoom(for: registration) else {
      return refuse(call, .actionRequired, .tooMany(service))
    }
    let number = takeNumber()
    var one = PushSubscription(number: number, registration, version)
    one.bus = bus(of: service)
    tokens[registration.token, default: Numbers()].awaited = number
    subscribe(one, for: .call(call))
    emit(.checkOwner(service))
  }

  private func hasKey(_ vapid: UTF8Text, _ number: UInt32) -> Bool {
    subscriptions[number]?.request.vapid == vapid
  }

  /// Returns true if there is room for another subscription.
  ///
  /// All unnamed programs share a limit. If they have reached it, the registration whose connection ended first makes
  /// room.
  private mutating func makeRoom(for registration: UnifiedPushRequest.Registration) -> Bool {
    let count = subscriptions.count + ended.count
    // The app has no additional registration: the former subscription ends once the gateway has issued the endpoint.
    guard tokens[registration.token] == nil else {
      return count < Limits.pushSubscriptions + Limits.pushKeyChanges
    }
    guard count < Limits.pushSubscriptions else { return false }
    let service = registration.service
    let isNamed = BusName.isWellKnown(service)
    let own = tokens.keys.count { token in
      guard let known = self.service(of: token) else { return false }
      return isNamed ? known == service : !BusName.isWellKnown(known)
    }
    guard own >= Limits.pushSubscriptionsPerApp else { return true }
    return !isNamed && dropOfEndedConnection()
  }

  /// Ends one registration of the connection that ended first, or returns false if all connections are open.
  private mutating func dropOfEndedConnection() -> Bool {
    let names = tokensByService
    endedConnections.removeAll { names[$0] == nil }
    guard let name = endedConnections.first, let token = names[name]?.first else { return false }
    drop(token)
    emit(.note(.displaced(name)))
    return true
  }

  /// Returns the ID of the bus on which a name is valid; empty for a well-known name, which is valid on every bus.
  private func bus(of service: UTF8Text) -> UTF8Text {
    guard case .served(let bus) = self.service, !BusName.isWellKnown(service) else {
      return UTF8Text("")
    }
    return bus
  }

  /// Stores the values with which a known app registers again, and returns the app's former name.
  private mutating func apply(
    _ registration: UnifiedPushRequest.Registration, _ version: UnifiedPushVersion,
    to number: UInt32
  ) -> UTF8Text? {
    let former = subscriptions[number]?.service
    let bus = bus(of: registration.service)
    update(number) { one in
      one.request = registration
      one.version = version
      one.bus = bus
    }
    return former
  }

  private mutating func move(
    _ token: UTF8Text, from former: UTF8Text?, to service: UTF8Text
  ) {
    guard let former, former != service else { return }
    emit(.checkOwner(service))
    moveEntries(of: token, from: former, to: service)
    startRound(of: service)
  }

  private mutating func refuse(
    _ call: UInt64, _ reason: UnifiedPushAnswer.Reason, _ note: UnifiedPushNote
  ) {
    emit(.note(note))
    emit(.answer(call, .failed(reason)))
  }

  private mutating func unregister(
    _ call: UInt64, _ token: UTF8Text, _ version: UnifiedPushVersion, isAllowed: Bool,
    isTokenHeld: Bool
  ) {
    guard let known = subscription(of: token) else { return emit(.answer(call, .unregistered)) }
    // No program can own the unique name of a connection that has ended.
    guard isAllowed || !BusName.isWellKnown(known.service) && !isTokenHeld else {
      emit(.note(.unauthorized(known.service)))
      return emit(.answer(call, .denied))
    }
    drop(token)
    emit(.answer(call, .unregistered))
    // Version 1 confirms with an empty token (webpush 2.3).
    enqueue(
      .farewell(token: version == .one ? UTF8Text("") : token, version, mayStart: false),
      for: known.service)
    startRound(of: known.service)
  }

  // MARK: - Waiting for the gateway

  private mutating func subscribe(_ one: PushSubscription, for hold: UnifiedPushHold) {
    subscriptions[one.number] = one
    persist(.subscription(one))
    emit(.subscribe(one.subject))
    self.hold(hold, for: one.number)
  }

  private mutating func hold(_ hold: UnifiedPushHold, for number: UInt32) {
    holds[number, default: []].append(hold)
    emit(.hold(hold, milliseconds: Limits.pushHoldMilliseconds))
  }

  mutating func onHoldEnded(_ hold: UnifiedPushHold) {
    guard let number = holds.first(where: { $0.value.contains(hold) })?.key else { return }
    holds[number]?.removeAll { $0 == hold }
    fail(hold, whyNoEndpoint, subscriptions[number])
    if holds[number]?.isEmpty == true { holds[number] = nil }
    settle(number)
  }

  /// The reason that the gateway has not issued an endpoint in time.
  private var whyNoEndpoint: UnifiedPushAnswer.Reason {
    switch link {
    case .noGateway: .actionRequired
    case .down, .up: .network
    }
  }

  private mutating func fail(
    _ hold: UnifiedPushHold, _ reason: UnifiedPushAnswer.Reason, _ one: PushSubscription?
  ) {
    switch hold {
    case .call(let call):
      if case .noGateway(let isOff) = link, let one {
        emit(.note(.noGateway(one.service, isOff: isOff)))
      }
      emit(.answer(call, .failed(reason)))
    case .test(let requestID): emit(.answerTest(requestID, testRows(endpoint: nil)))
    }
  }

  /// Fails all requests that wait for a subscription, and ends the subscription unless its app knows it.
  mutating func abandon(_ number: UInt32, _ reason: UnifiedPushAnswer.Reason) {
    for hold in holds.removeValue(forKey: number) ?? [] {
      fail(hold, reason, subscriptions[number])
    }
    settle(number)
  }

  /// Ends a subscription that its app does not know and for which no request waits.
  private mutating func settle(_ number: UInt32) {
    guard let one = subscriptions[number], !one.isConfirmed, holds[number] == nil else { return }
    forget(one)
    end(one.subject)
  }

  /// Removes a subscription from its registration.
  private mutating func forget(_ one: PushSubscription) {
    guard var numbers = tokens[one.token] else { return }
    if numbers.awaited == one.number { numbers.awaited = nil }
    if numbers.current == one.number { numbers.current = nil }
    tokens[one.token] = numbers == Numbers() ? nil : numbers
    if tokens[one.token] == nil { dropEntries(of: one.token, service: one.service) }
  }

  /// Ends a registration, without informing its app.
  mutating func drop(_ token: UTF8Text) {
    guard let numbers = tokens[token] else { return }
    for number in [numbers.awaited, numbers.current].compactMap(\.self) {
      for hold in holds.removeValue(forKey: number) ?? [] {
        fail(hold, .internalError, subscriptions[number])
      }
      guard let one = subscriptions[number] else { continue }
      forget(one)
      end(one.subject)
    }
  }

  // MARK: - The gateway

  mutating func onLinkUp(_ origin: UTF8Text) {
    link = .up(origin: origin)
    guard origin.isEmpty else { return }
    for number in holds.keys.sorted() {
      if let service = subscriptions[number]?.service, !service.isEmpty {
        emit(.note(.noWebPush(service)))
      }
      abandon(number, .actionRequired)
    }
  }

  mutating func onIdentityReplaced() {
    for subject in ended.values.sorted(by: { $0.number < $1.number }) { release(subject.number) }
    for number in subscriptions.keys.sorted() {
      update(number) { one in
        one.endpoint = nil
        one.isAnnounced = false
      }
    }
  }

  mutating func onSubscribed(_ subject: WebPushSubject, _ id: [UInt8]) {
    guard let one = subscriptions[subject.number], one.subject == subject else {
      // The registration ended while the endpoint was being requested.
      return emit(.unsubscribe(subject))
    }
    guard case .up(let origin) = link else { return }
    let endpoint = UTF8Text(origin.string + "/push/" + Base64.encode(id, url: true))
    guard endpoint.utf8.count <= Limits.pushEndpointBytes else {
      emit(.note(.endpointTooLong(one.service)))
      return abandon(one.number, .internalError)
    }
    let waiting = holds.removeValue(forKey: one.number) ?? []
    guard one.owner == .app else {
      for case .test(let requestID) in waiting {
        emit(.answerTest(requestID, testRows(endpoint: endpoint)))
      }
      return end(subject)
    }
    let isNew = one.endpoint != endpoint
    guard isNew || !waiting.isEmpty else { return }
    update(one.number) { one in
      one.endpoint = endpoint
      one.isConfirmed = true
      one.isAnnounced = false
    }
    if let former = tokens[one.token]?.current, former != one.number {
      for hold in holds.removeValue(forKey: former) ?? [] {
        fail(hold, .internalError, subscriptions[former])
      }
      if let subject = subscriptions[former]?.subject { end(subject) }
    }
    tokens[one.token] = Numbers(current: one.number)
    for case .call(let call) in waiting { emit(.answer(call, .registered)) }
    announce(one.number)
  }

  /// Sends a subscription's endpoint to its app.
  private mutating func announce(_ number: UInt32) {
    update(number) { $0.isAnnounced = false }
    guard let one = subscriptions[number] else { return }
    enqueue(.endpoint(token: one.token), for: one.service)
    startRound(of: one.service)
  }

  mutating func onUnsubscribed(_ subject: WebPushSubject) {
    if ended[subject.number] == subject { release(subject.number) }
  }

  private mutating func release(_ number: UInt32) {
    ended[number] = nil
    free.append(number)
    persist(.free(number))
  }

  mutating func onRefused(_ subject: WebPushSubject, _ refusal: LinkRefusal) {
    // The link retries after a temporary refusal.
    guard refusal != .tryLater, let one = subscriptions[subject.number], one.subject == subject
    else { return }
    if !one.service.isEmpty { emit(.note(.refusedByGateway(one.service, refusal))) }
    let needsOperator = refusal == .tooMany || refusal == .unknownApp
    abandon(one.number, needsOperator ? .actionRequired : .internalError)
  }

  // MARK: - Commands

  /// Ends the registration with this token, and informs its app; returns nil for an unknown token.
  mutating func remove(_ token: UTF8Text, at now: Int64) -> [UnifiedPushEffect]? {
    self.now = now
    guard let one = subscription(of: token) else { return nil }
    drop(token)
    enqueue(.farewell(token: token, one.version, mayStart: true), for: one.service)
    startRound(of: one.service)
    return takeEffects()
  }

  /// Requests a subscription that ends as soon as the gateway has issued its endpoint.
  mutating func test(_ requestID: RequestID, at now: Int64) -> [UnifiedPushEffect] {
    self.now = now
    let rows = testRows(endpoint: nil)
    let isPossible = rows.allSatisfy { $0["step"] == "subscription" || $0["state"] == "ok" }
    guard isPossible else { return [.answerTest(requestID, rows)] }
    guard subscriptions.count + ended.count < Limits.pushSubscriptions else {
      return [.answerTest(requestID, testRows(endpoint: nil, isFull: true))]
    }
    let request = UnifiedPushRequest.Registration(service: UTF8Text(""), token: UTF8Text(""))
    subscribe(
      PushSubscription(number: takeNumber(), owner: .test, request, .two), for: .test(requestID))
    return takeEffects()
  }
}
