import BelfryWire
import PushWire
import Gateway

/// The actions of providers and devices, and the faults that affect all of them.
extension GatewaySimulation {
  // MARK: Identifiers

  /// Returns the `apns-id` of a push.
  static func pushID(_ number: UInt64) -> NotificationID { NotificationID(high: 7, low: number) }

  /// Returns the number of the push with this `apns-id`, or nil if the gateway generated the ID.
  static func push(_ id: NotificationID) -> UInt64? { id.high == 7 ? id.low : nil }

  /// Returns the shortest payload for a push.
  static func payload(push number: UInt64) -> [UInt8] { Array(#"{"push":\#(number)}"#.utf8) }

  /// Returns the payload of a push that a simulated provider sends.
  ///
  /// One in eleven payloads has the maximum size and consists mostly of combining marks in a key. The time to normalize
  /// such text grows faster than its length.
  func payload(push number: UInt64, limit: Int) -> [UInt8] {
    if let target = ledger.push(number)?.target.device,
      let agent = agents.first(where: { $0.number == target })
    {
      return agent.payload(push: number)
    }
    return profile.sendsExtremes && number % 11 == 3
      ? Self.longPayload(push: number, bytes: limit) : Self.payload(push: number)
  }

  /// Returns a payload of `count` bytes.
  static func longPayload(push number: UInt64, bytes count: Int) -> [UInt8] {
    let (start, end) = (#"{"push":\#(number),""#, #"":1}"#)
    return Array(
      (start + CostGrowth.combiningMarks(count - start.utf8.count - end.utf8.count) + end).utf8)
  }

  static func payload(broadcast number: UInt64) -> [UInt8] {
    Array(#"{"broadcast":\#(number)}"#.utf8)
  }

  static func push(_ payload: [UInt8]) -> UInt64? { number(payload, after: #"{"push":"#) }

  static func broadcast(_ payload: [UInt8]) -> UInt64? { number(payload, after: #"{"broadcast":"#) }

  private static func number(_ payload: [UInt8], after name: String) -> UInt64? {
    let text = String(decoding: payload, as: UTF8.self)
    guard text.utf8.starts(with: name.utf8), text.utf8.last == UInt8(ascii: "}") else { return nil }
    return UInt64(
      String(
        decoding: payload.dropFirst(name.utf8.count).prefix { (0x30...0x39).contains($0) },
        as: UTF8.self))
  }

  func name(of payload: [UInt8]) -> String {
    Self.push(payload).map { "#\($0)" } ?? "a notification that no provider sent"
  }

  /// Returns a description of where an unanswered push currently is.
  func whereabouts(of push: UInt64) -> String {
    providers.lazy.compactMap { $0.whereabouts(of: push) }.first
      ?? binaryProvider.whereabouts(of: push) ?? "no provider has it"
  }

  // MARK: Faults

  func planTrouble() {
    plan(every: profile.gatewayCrashEvery) { [self] in
      anyGateway.crash(
        afterTurns: random(0...12), backAfter: random(10_000_000...8_000_000_000))
    }
    plan(every: profile.drainEvery) { [self] in
      anyGateway.drain(backAfter: random(10_000_000...8_000_000_000))
    }
    plan(every: profile.pauseEvery) { [self] in
      anyGateway.pauseLoop(random(1_000_000...500_000_000))
    }
    plan(every: profile.fullEvery) { [self] in
      note("the disk is full")
      fillDisk(random(1_000_000...10_000_000_000))
    }
    plan(every: profile.clockStepEvery) { [self] in setWallClock() }
    plan(every: profile.streakEvery) { [self] in
      beginStreak(pick(Streak.allCases), nanoseconds: random(100_000_000...15_000_000_000))
    }
    if profile.restoreShare > 0 {
      if profile.hasEarlyCopy {
        time.after(random(0...3_000_000_000)) { [self] in copyFolder() }
      } else {
        plan(every: 10_000_000_000 / length.intervalDivisor) { [self] in copyFolder() }
      }
    }
    if profile.backlog > 0 {
      time.after(random(profile.troubled / 4...profile.troubled / 2)) { [self] in fillBacklog() }
    }
    plan(every: profile.feedbackEvery) { [self] in feedbackClient.ask() }
    plan(every: profile.revokeEvery) { [self] in revokeDevice() }
    plan(every: profile.topicEvery * 2) { [self] in changeExtraChannels() }
    plan(every: profile.cutEvery) { [self] in troubleProvider { $0.cut() } }
    plan(every: profile.darkEvery) { [self] in troubleProvider { $0.goDark() } }
    plan(every: profile.stallEvery) { [self] in
      let nanoseconds: Int64 = random(1_000_000...30_000_000_000)
      troubleProvider { $0.stall(nanoseconds) }
    }
    cluster?.planTrouble()
    for device in devices { planTrouble(of: device) }
    for agent in agents { planTrouble(of: agent) }
  }

  /// The gateway, or one of the nodes of a cluster.
  private var anyGateway: SimulatedGatewayProcess { cluster == nil ? gateway : pick(gateways) }

  private func planTrouble(of device: SimulatedDevice) {
    plan(every: profile.deviceCrashEvery) { [self] in
      device.crash(backAfter: random(10_000_000...20_000_000_000))
    }
    plan(every: profile.cutEvery) { device.cutConnection() }
    plan(every: profile.darkEvery) { [self] in
      note("device \(device.index) goes dark")
      device.darkenConnection()
    }
    plan(every: profile.stallEvery) { [self] in
      device.stallConnection(random(1_000_000...30_000_000_000))
    }
    plan(every: profile.stateEvery) { [self] in
      device.setState(DeviceState(rawValue: UInt8(random(0...3))))
    }
    plan(every: profile.offlineEvery) { [self] in
      device.goOffline()
      time.after(random(100_000_000...30_000_000_000)) { device.goOnline() }
    }
    plan(every: profile.discardEvery) { [self] in
      let reasons: [LinkDiscardReason] = [
        .noRoom, .noRoom, .noRoom, .disabled, .appGone, .unknownHandle,
        LinkDiscardReason(rawValue: 9),
      ]
      device.discarding = pick(reasons)
      time.after(random(100_000_000...30_000_000_000)) { device.discarding = nil }
    }
    plan(every: profile.topicEvery) { [self] in changeTopic(of: device) }
    plan(every: profile.topicEvery) { [self] in changeChannel(of: device) }
  }

  private func planTrouble(of agent: AgentDevice) {
    plan(every: profile.cutEvery) { agent.connection?.cut() }
    plan(every: profile.darkEvery) { agent.connection?.goDark() }
    plan(every: profile.stallEvery) { [self] in
      agent.connection?.stall(random(1_000_000...30_000_000_000))
    }
  }

  private func copyFolder() {
    note("the folder is copied")
    gateway.notificationStore.makeCopy()
    gateway.controlStore.makeCopy()
  }

  /// Sometimes restores an old copy of one or both stores before a start, as an operator does after losing a disk.
  func restoreCopyNowAndThen() {
    guard isTroubled, profile.restoreShare > 0, chance(profile.restoreShare) else { return }
    if profile.restoredPart != .control, gateway.notificationStore.restoreCopy() {
      note("a copy of the notifications is restored")
      ledger.restored()
    }
    if profile.restoredPart != .notifications, gateway.controlStore.restoreCopy() {
      note("a copy of the control store is restored")
      controlStoreWasRestored()
    }
  }

  /// Sets the wall clock.
  ///
  /// In some worlds, the clock is wrong by forty days for a while.
  private func setWallClock() {
    func step(by milliseconds: Int64) {
      note("the wall clock steps by \(milliseconds) ms")
      for gateway in gateways { gateway.wallClockSteps() }
      time.stepWallClock(byMilliseconds: milliseconds)
    }
    guard profile.hasLongJumps, chance(0.5) else {
      return step(by: random(-7_200_000...7_200_000))
    }
    let days: Int64 = chance(0.5) ? 40 : -40
    step(by: days * 86_400_000)
    time.after(random(1_000_000...90_000_000_000)) { step(by: -days * 86_400_000) }
  }

  /// Sends many pushes to an offline device in a single burst.
  ///
  /// The device must receive all of the pushes later.
  private func fillBacklog() {
    guard let device = devices.first, let topic = topics.first(where: { keep(of: $0) == .max }),
      let known = knownToken(of: topic, on: device)
    else { return }
    note("device \(device.index) goes offline, and \(profile.backlog) pushes are sent to it")
    device.goOffline()
    for _ in 0..<profile.backlog {
      let number = ledger.open(
        known.target, priority: 10, expiration: nil, collapseID: "", keep: .max)
      let able = providers.filter { $0.serves(topic) }
      able[random(0...able.count - 1)].push(
        number, to: known.token, topic: topic, priority: 10, expiration: nil, collapseID: "")
    }
    time.after(random(1_000_000_000...30_000_000_000)) { device.goOnline() }
  }

  private func troubleProvider(_ body: (SimulatedConnection) -> Void) {
    let number = random(0...providers.count)
    let connection = number < providers.count ? providers[number].current : binaryProvider.current
    if let connection { body(connection) }
  }

  private func changeTopic(of device: SimulatedDevice) {
    let topic = topics[random(0...topics.count - 1)]
    guard device.number != 0 else { return }
    let target = DeliveryLedger.Target(device: device.number, topic: topic)
    if chance(0.3) {
      note("device \(device.index) toggles the notifications of \(topic.bundleID)")
      markUnwanted(target)
      device.setEnabled(device.isDisabled(topic), topic)
    } else if device.wants(topic) {
      note("device \(device.index) unregisters \(topic.bundleID)")
      markUnwanted(target)
      device.unregister(topic)
      time.after(random(0...10_000_000_000)) { device.register(topic) }
    } else {
      device.register(topic)
    }
  }

  private func changeChannel(of device: SimulatedDevice) {
    let channel = channels[random(0...1)]
    note("device \(device.index) toggles its subscription to channel \(channel.identifier[15])")
    if device.wants(channel) { device.unsubscribe(channel) } else { device.subscribe(channel) }
  }

  private func changeExtraChannels() {
    guard let provider = providers.first else { return }
    if chance(0.5), let id = takeExtraChannel() {
      provider.removeChannel(id)
    } else {
      provider.makeChannel()
    }
  }

  /// Revokes a device as an administrator does.
  ///
  /// Another device replaces the revoked device.
  private func revokeDevice() {
    let candidates = devices.filter { $0.number != 0 && !$0.mayBeRevoked }
    guard gateway.isReady, devices.count < 6, !candidates.isEmpty else { return }
    let device = candidates[random(0...candidates.count - 1)]
    if let cluster {
      addDevice(devices.count + 1)
      if let new = devices.last { planTrouble(of: new) }
      return cluster.revoke(device)
    }
    do {
      _ = try gateway.administer(.revokeDevice(number: device.number))
    } catch {
      return note("device \(device.index) could not be revoked: \(error)")
    }
    note("device \(device.index) is revoked")
    device.revoke()
    addDevice(devices.count + 1)
    if let new = devices.last { planTrouble(of: new) }
  }

  // MARK: Pushes and broadcasts

  func broadcast(isForAll: Bool) {
    let channel = channels[random(0...1)]
    guard let id = ChannelID(channel.identifier) else { return }
    let isKept = channel == channels[0] && chance(0.8)
    let seconds = time.unixMilliseconds / 1_000
    let expiration = isKept ? seconds + (isForAll ? 28_000 : random(60...7_200)) : 0
    let priority: UInt8 = isForAll ? 10 : [10, 10, 5, 1][random(0...3)]
    let number = broadcasts.open(
      channel, isKept: isKept, priority: priority, expiration: expiration, isForAll: isForAll)
    note("broadcast \(number) to channel \(channel.identifier[15]): storable \(isKept)")
    let provider = providers[random(0...providers.count - 1)]
    provider.broadcast(number, to: id, priority: priority, expiration: expiration)
  }

  /// The collapse IDs: common IDs, two IDs that are equal only after Unicode normalization, and an ID of the maximum
  /// length.
  private static let collapseIDs = [
    "c1", "c2", "c3", "caf\u{E9}", "cafe\u{301}",
    CostGrowth.combiningMarks(WireLimits.collapseIDBytesMax),
  ]

  func push() { push(by: providers) }

  /// Sends a push with one of the providers.
  func push(by providers: [SimulatedProvider]) {
    guard let (target, token) = anyToken() else { return }
    let seconds = time.unixMilliseconds / 1_000
    let given: Int64? =
      switch random(0...9) {
      case 0: 0
      case 1: max(0, seconds - 10)
      case 2, 3: seconds + random(1...60)
      case 4: nil
      // Use the largest number that the gateway reads.
      case 5: 999_999_999_999_999_999
      default: seconds + 30 * 86_400
      }
    let expiration = given ?? seconds + 30 * 86_400
    let priority: UInt8 = [10, 10, 5, 1][random(0...3)]
    let collapseID = chance(0.3) ? Self.collapseIDs[random(0...Self.collapseIDs.count - 1)] : ""
    let keep = keep(of: target.topic)
    let isUsual = providers.first === self.providers.first
    let isBinary = target.topic == topics[0] && chance(0.2) && isUsual
    let number = ledger.open(
      target, priority: isBinary && priority == 1 ? 5 : priority,
      expiration: isBinary ? expiration : given, collapseID: isBinary ? "" : collapseID, keep: keep)
    note(
      "#\(number) to device number \(target.device) \(target.topic.bundleID): "
        + "priority \(priority), keep \(keep), expires in \(expiration - max(0, seconds)) s, "
        + "collapse '\(collapseID)', binary \(isBinary)")
    guard !isBinary else {
      return binaryProvider.push(
        number, to: token, priority: priority == 1 ? 5 : priority,
        expiration: UInt32(clamping: expiration))
    }
    let able = providers.filter { $0.serves(target.topic) }
    if chance(0.05), isUsual {
      able[random(0...able.count - 1)].pushTooMuch(to: token, topic: target.topic)
    }
    able[random(0...able.count - 1)].push(
      number, to: token, topic: target.topic, priority: priority, expiration: given,
      collapseID: collapseID)
  }

  /// Returns the number of notifications that the gateway stores for an app on a device.
  func keep(of topic: LinkTopic) -> UInt32 {
    let index = topics.firstIndex(of: topic) ?? 3
    return [1, 3, .max, 1][min(index, 3)]
  }
}
