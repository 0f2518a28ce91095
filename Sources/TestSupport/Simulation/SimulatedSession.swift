import BelfryWire
import Gateway
import Storage

/// One device's connection at the simulated gateway: what `DeviceConnection` is to a real one.
final class SimulatedSession: SimulatedEnd {
  let id: SessionID
  let device: UInt64
  var connection: SimulatedConnection?
  private(set) var topics: Set<NotificationKey> = []
  /// In the order in which they were confirmed.
  private var channels: [LinkChannel] = []
  private unowned let gateway: SimulatedGateway
  private unowned let world: DeliverySimulation
  private var link: DeviceLinkServer
  private var output: [UInt8] = []
  private var isReady = false
  private var isClosed = false
  private var armed: Int64 = .max
  private var state: DeviceState = []
  /// The sequence of the last one of highest priority that came from the store.
  private var lastStored: UInt64 = 0
  private var isOrdered = true

  init(_ id: SessionID, device: UInt64, of gateway: SimulatedGateway, in world: DeliverySimulation)
  {
    self.id = id
    self.device = device
    self.gateway = gateway
    self.world = world
    var settings = DeviceLinkServer.Settings()
    settings.keepAlive = KeepAliveInterval.Policy(
      firstSeconds: 30, leastSeconds: 15, mostSeconds: 120)
    link = DeviceLinkServer(
      peer: .device(device), nonce: NotificationID(high: 1, low: id.number), settings: settings,
      at: world.time.now)
  }

  var freeWindow: Int { link.freeWindow }

  // MARK: Connection

  func received(_ bytes: [UInt8], on connection: SimulatedConnection) {
    bytes.withUnsafeBytes { raw in
      var input = raw
      while !isClosed, let action = link.next(&input, at: world.time.now, output: &output) {
        perform(action)
      }
    }
    settle()
  }

  func closed(_ connection: SimulatedConnection) {
    isClosed = true
    gateway.forget(self)
  }

  private func perform(_ action: DeviceLinkServer.Action?) {
    switch action {
    case nil, .proceed: break
    case .enrol: world.fail("device \(device) enrols again")
    case .connected:
      link.accept(unixMilliseconds: UInt64(world.time.unixMilliseconds), output: &output)
    case .ready(let state):
      isReady = true
      self.state = state
      gateway.isReady(self, state: state)
      for channel in channels { gateway.listen(to: channel, on: self) }
    case .request(let number, let request): decide(number, request)
    case .settled:
      while let sequence = link.takeSettled() { gateway.acknowledge(sequence, on: self) }
    case .discarded(let sequence, let reason):
      world.ledger.discarded(by: device, reason)
      gateway.acknowledge(sequence, on: self)
    case .stateChanged(let state):
      self.state = state
      if isReady { gateway.setState(state, of: self) }
    case .pinged: if isReady { gateway.stirred(self) }
    case .close(let fault):
      world.expect(
        fault.reason.isHarmless, "the gateway's link to device \(device) closed: \(fault)")
      isClosed = true
      send()
      connection?.close(from: .gateway)
      world.time.after(0) { [self] in gateway.forget(self) }
    }
  }

  private func decide(_ number: UInt16, _ request: DeviceLinkServer.Request) {
    // What changes something is on disk before it is answered, which takes a while; answers keep the
    // order of their requests.
    let delay = world.chance(0.5) ? 0 : world.random(0...world.profile.commitMost)
    answerAt = max(answerAt, world.time.now + delay)
    guard answerAt > world.time.now else { return answer(number, request) }
    world.time.at(answerAt) { [self] in
      guard !isClosed else { return }
      answer(number, request)
      settle()
    }
  }

  private var answerAt: Int64 = 0

  private func answer(_ number: UInt16, _ request: DeviceLinkServer.Request) {
    switch request {
    case .topic(let verb, let topic): answer(number, verb, topic)
    case .subscribe(let bundleID, let channel):
      answer(number, subscribing: LinkChannel(bundleID: bundleID, identifier: channel))
    case .unsubscribe(let bundleID, let channel):
      let channel = LinkChannel(bundleID: bundleID, identifier: channel)
      channels.removeAll { $0 == channel }
      let wasThere = gateway.unsubscribe(channel, for: self)
      link.answer(number, with: wasThere ? .done : .refused(.notRegistered), output: &output)
    }
  }

  private func answer(_ number: UInt16, subscribing channel: LinkChannel) {
    guard let handle = gateway.subscribe(channel, for: self) else {
      return link.answer(number, with: .refused(.unknownChannel), output: &output)
    }
    link.answer(number, with: .subscribed(handle: handle), output: &output)
    channels.append(channel)
    if isReady { gateway.listen(to: channel, on: self) }
  }

  private func answer(_ number: UInt16, _ verb: LinkFrame.TopicVerb, _ topic: LinkTopic) {
    let decision = gateway.decide(verb, topic, for: self)
    link.answer(number, with: decision, output: &output)
    guard case .token = decision, let key = gateway.key(topic, of: device) else { return }
    topics.insert(key)
    if isReady {
      isOrdered = false
      gateway.add(key, on: self)
    }
  }

  // MARK: What the gateway says

  func deliver(_ notification: DeliveryEntry) {
    guard !isClosed else { return }
    world.expect(
      notification.priority == 10 || !state.contains(.powerRestricted),
      "#\(notification.uniqueID.low) of priority \(notification.priority) is sent to a restricted device"
    )
    checkOrder(notification)
    let isSent = link.deliver(
      LinkNotification(
        handle: notification.broadcast == nil ? notification.key.app : notification.channelHandle,
        id: notification.id, uniqueID: notification.uniqueID,
        acceptedMilliseconds: UInt64(notification.acceptedMilliseconds),
        expiration: UInt64(clamping: notification.expiration),
        isFromStorage: notification.isFromStore, isBroadcast: notification.broadcast != nil,
        priority: notification.priority, pushTypeCode: notification.pushType.rawValue,
        collapseID: notification.collapseID, payload: notification.payload),
      reference: notification.sequence, at: world.time.now, output: &output)
    world.expect(
      isSent || link.isClosed || link.isDraining,
      "the window of device \(device) has no room for #\(notification.uniqueID.low)")
    settle()
  }

  /// What was stored comes in the order of acceptance, across apps.
  private func checkOrder(_ notification: DeliveryEntry) {
    guard notification.isFromStore, notification.priority == 10, isOrdered,
      notification.broadcast == nil, !world.ledger.wasSent(notification.uniqueID)
    else { return }
    world.expect(
      notification.sequence > lastStored,
      "#\(notification.uniqueID.low) comes out of order on session \(id.number)")
    lastStored = notification.sequence
  }

  func drain(_ hint: LinkFrame.ReconnectHint) {
    guard !isClosed else { return }
    perform(
      link.drain(hint: hint, milliseconds: 2_000, at: world.time.now, output: &output))
    armed = .max
    settle()
  }

  func end(_ reason: LinkCloseReason) {
    guard !isClosed else { return }
    perform(link.close(reason, output: &output))
  }

  // MARK: Output and time

  private func send() {
    guard !output.isEmpty else { return }
    connection?.send(output, from: .gateway)
    output.removeAll(keepingCapacity: true)
  }

  func settle() {
    link.checkInvariants()
    send()
    let deadline = link.deadline
    guard !isClosed, deadline < armed else { return }
    armed = deadline
    world.time.at(deadline) { [weak self] in
      guard let self, !isClosed, armed == deadline else { return }
      armed = .max
      perform(link.timerFired(at: world.time.now, output: &output))
      settle()
    }
  }
}
