import PushWire
import Gateway
import Storage
import Transport

/// A device with its agent: the real ``DeviceLinkClient``, storage that survives crashes, and apps that record the
/// notifications that they display.
final class SimulatedDevice: SimulatedClient, SimulatedRecipient {
  /// The data that survives a power failure.
  private struct Disk {
    var certificate: PeerCertificate?
    var number: UInt64 = 0
    var memory: [NotificationID] = []
    var wanted: [LinkTopic: Bool] = [:]
    var disabled: Set<LinkTopic> = []
    var channels: [LinkChannel: Bool] = [:]
  }

  /// The index of the device in the world.
  let index: Int
  /// The number that the gateway assigned to the device; 0 before the device has enrolled.
  var number: UInt64 { disk.number }
  /// True if an administrator has revoked the device.
  private(set) var isRevoked = false
  /// True if a restored control store does not contain the revocation of the device.
  private(set) var isRevocationForgotten = false
  /// True if an administrator's command revokes the device, or will when it succeeds.
  private(set) var isBeingRevoked = false
  private let key: ES256PrivateKey
  private unowned let world: GatewaySimulation
  private var disk = Disk()
  private var client: DeviceLinkClient
  private var output: [UInt8] = []
  private var connection: SimulatedConnection? {
    didSet {
      if connection == nil, oldValue != nil { abandoned.formUnion(client.unanswered) }
    }
  }
  /// The subjects of requests on connections that ended before the requests were answered.
  private(set) var abandoned: Set<LinkSubject> = []
  private var armed: Int64 = .max
  private var life = 0
  private var isPowered = true
  private var isReceiving = false
  /// The reason that the device currently discards notifications; nil if it accepts them.
  var discarding: LinkDiscardReason?
  /// True if the device has ever lacked storage space.
  private(set) var hasLackedRoom = false
  /// The number of times that the device has left each channel.
  private(set) var departures: [LinkChannel: Int] = [:]

  init(_ index: Int, in world: GatewaySimulation) {
    self.index = index
    self.world = world
    key = world.identities.deviceKeys[index % world.identities.deviceKeys.count]
    client = DeviceLinkClient(enrollment: nil)
    restart()
  }

  /// True if the device can receive notifications now.
  var isUp: Bool { client.isUp }

  /// True if the device can find that it is revoked.
  var mayBeRevoked: Bool { isRevoked || isBeingRevoked }

  /// The process to which the device is connected; nil if the device is not connected.
  var process: SimulatedGatewayProcess? { connection?.process }

  /// Records that an administrator begins to revoke the device.
  func beginRevocation() { isBeingRevoked = true }

  /// Revokes the device as an administrator does.
  ///
  /// Notifications that were sent earlier can still arrive.
  func revoke() { isRevoked = true }

  /// Handles the restoration of an older control store at the gateway, which might not contain the device or its
  /// revocation.
  func controlStoreWasRestored() {
    if isRevoked, !world.gateway.controlStore.isRevoked(number) { isRevocationForgotten = true }
  }

  private var now: Int64 { world.time.now }

  // MARK: Events

  func start() { perform(client.goOnline()) }

  /// Returns true if the device must recognize that it has already stored this notification.
  func remembers(_ id: NotificationID) -> Bool { disk.memory.contains(id) }

  func wants(_ topic: LinkTopic) -> Bool { disk.wanted[topic] == true }

  func register(_ topic: LinkTopic) {
    guard isPowered, disk.wanted[topic] != true else { return }
    disk.wanted[topic] = true
    noteChangedWish()
    isOrdered = false
    client.register(.topic(topic), at: now, output: &output)
    settle()
  }

  func unregister(_ topic: LinkTopic) {
    guard isPowered, disk.wanted[topic] == true else { return }
    disk.wanted[topic] = false
    noteChangedWish()
    client.cancel(.topic(topic), at: now, output: &output)
    settle()
  }

  func wants(_ channel: LinkChannel) -> Bool { disk.channels[channel] == true }

  func subscribe(_ channel: LinkChannel) {
    guard isPowered, disk.channels[channel] != true else { return }
    disk.channels[channel] = true
    client.register(.channel(channel), at: now, output: &output)
    settle()
  }

  func unsubscribe(_ channel: LinkChannel) {
    guard isPowered, disk.channels[channel] == true else { return }
    disk.channels[channel] = false
    departures[channel, default: 0] += 1
    client.cancel(.channel(channel), at: now, output: &output)
    settle()
  }

  func setEnabled(_ isEnabled: Bool, _ topic: LinkTopic) {
    guard isPowered, disk.disabled.contains(topic) == isEnabled else { return }
    if isEnabled { disk.disabled.remove(topic) } else { disk.disabled.insert(topic) }
    noteChangedWish()
    client.setEnabled(isEnabled, topic, at: now, output: &output)
    settle()
  }

  func isDisabled(_ topic: LinkTopic) -> Bool { disk.disabled.contains(topic) }

  func setState(_ state: DeviceState) {
    guard isPowered else { return }
    client.setState(state, at: now, output: &output)
    settle()
    restrictions.append((connection?.sentBytes ?? 0, state.contains(.powerRestricted)))
  }

  func goOffline() {
    guard isPowered else { return }
    perform(client.goOffline(at: now, output: &output))
    settle()
  }

  func goOnline() {
    guard isPowered else { return }
    perform(client.goOnline())
    settle()
  }

  func cutConnection() { connection?.cut() }
  func darkenConnection() { connection?.goDark() }
  func stallConnection(_ nanoseconds: Int64) { connection?.stall(nanoseconds) }

  /// The power restrictions that the device has reported on this connection.
  ///
  /// For each report, `bytes` is the number of bytes that the gateway must read from the connection to receive the
  /// report.
  private var restrictions: [(bytes: Int, isRestricted: Bool)] = []
  /// The number of bytes on the connection that the gateway had read when all loops were last idle.
  private var readBytes = 0

  /// Records the number of bytes that the gateway has read, at a time when all loops are idle.
  func loopsAreAtRest() { readBytes = connection?.deliveredBytes ?? 0 }

  /// True if the last report that the gateway has read restricts the device to urgent notifications, and no later
  /// report lifts the restriction.
  func isKnownAsRestricted(by process: SimulatedGatewayProcess) -> Bool {
    // The device sends the reports that it made while offline on the next connection. Until then, the gateway can use
    // the last report that it read.
    guard connection?.process === process,
      let last = restrictions.last(where: { $0.bytes <= readBytes })
    else { return false }
    return last.isRestricted && restrictions.allSatisfy { $0.bytes <= readBytes || $0.isRestricted }
  }

  /// Simulates a power failure, in which data that was not on disk is lost.
  func crash(backAfter pause: Int64) {
    guard isPowered else { return }
    world.note("device \(index) crashes")
    isPowered = false
    life += 1
    connection?.abandon()
    connection = nil
    output = []
    world.time.after(pause) { [self] in
      world.note("device \(index) restarts")
      isPowered = true
      restart()
      start()
      settle()
    }
  }

  /// The minimum number of notifications that a device must remember.
  private var memoryMost: Int { Int(world.profile.window) + world.channels.count }

  private func restart() {
    var settings = DeviceLinkClient.Settings()
    settings.window = world.profile.window
    settings.memory = memoryMost
    client = DeviceLinkClient(
      enrollment: disk.certificate == nil ? enrollment : nil, memory: disk.memory,
      settings: settings)
    armed = .max
    for (topic, isWanted) in disk.wanted.sorted(by: { $0.key.bundleID < $1.key.bundleID }) {
      if isWanted {
        client.register(.topic(topic), at: now, output: &output)
      } else {
        client.cancel(.topic(topic), at: now, output: &output)
      }
      client.setEnabled(!disk.disabled.contains(topic), topic, at: now, output: &output)
    }
    restartChannels()
  }

  private var enrollment: LinkFrame.Enrollment {
    LinkFrame.Enrollment(
      publicKey: key.publicKey.spkiDER, proof: [], code: SimulatedIdentities.enrollmentCode,
      name: "device \(index)")
  }

  /// Handles the gateway's report that it does not know the device.
  ///
  /// The device enrolls again and gets a new number.
  private func forgetNumber() {
    disk.certificate = nil
    disk.number = 0
    noteChangedWish()
    client.enrollAnew(enrollment)
  }

  private func restartChannels() {
    for channel in world.channels {
      if disk.channels[channel] == true {
        client.register(.channel(channel), at: now, output: &output)
      } else if disk.channels[channel] == false {
        client.cancel(.channel(channel), at: now, output: &output)
      }
    }
  }

  // MARK: Connection

  func received(_ bytes: [UInt8], on connection: SimulatedConnection) {
    guard connection === self.connection else { return }
    if !hasLostWishes, now > max(connectedAt, lastChangedWish) + 5_000_000_000 {
      hasSettledWishes = true
    }
    isReceiving = true
    bytes.withUnsafeBytes { raw in
      var input = raw
      while connection === self.connection,
        let action = client.next(&input, at: now, output: &output)
      { perform(action) }
    }
    isReceiving = false
    settle()
  }

  func closed(_ connection: SimulatedConnection) {
    guard connection === self.connection else { return }
    ended()
  }

  private func ended() {
    connection = nil
    client.lost(at: now, random: world.random.next())
    settle()
  }

  private func perform(_ action: DeviceLinkClient.Action?) {
    switch action {
    case nil, .proceed, .alive, .switched, .renewed, .renewalRefused: break
    case .cancelled(let subject): world.note("device \(index) is told that \(subject) is cancelled")
    case .connected(let device, _):
      world.expect(device == number, "device \(index) was identified as device number \(device)")
    case .registered(.topic(let topic), let token):
      world.note("device \(index) receives a token for \(topic.bundleID)")
      world.registered(topic, token: token, on: self)
    case .registered(.channel, _): break
    case .refused(let subject, let refusal):
      world.note("device \(index) receives a refusal for \(subject): \(refusal)")
      world.expect(
        refusal == .tryLater || refusal == .notRegistered,
        "device \(index) received an unexpected refusal for \(subject): \(refusal)")
      noteChangedWish()
      isOrdered = false
    case .connect: dial()
    case .received(let notification, let subject):
      receive(notification, subject)
    case .disconnect(let fault):
      world.note("device \(index) disconnects: \(fault.reason)")
      world.expect(
        fault.reason.isHarmless || fault.reason == .revoked && mayBeRevoked
          || fault.reason == .unknownDevice && world.controlRestorations > 0,
        "device \(index) closed its link for an unexpected reason: \(fault)")
      if fault.reason == .unknownDevice, !client.isUp { forgetNumber() }
      send()
      guard let connection else { return ended() }
      connection.close()
      self.connection = nil
      let current = life
      world.time.after(world.random(0...1_000_000)) { [self] in
        if life == current { ended() }
      }
    case .sign(let bytes):
      client.signed((try? key.sign(bytes)) ?? [], at: now, output: &output)
    case .enrolled(let device, let chainPEM):
      world.note("device \(index) is enrolled with number \(device)")
      world.expect(
        world.gateway.controlStore.durableDevices.contains(device),
        "device \(index) was enrolled with number \(device), which is not on disk")
      world.expect(number == 0, "device \(index) was enrolled twice")
      disk.certificate = try? PeerCertificate(pem: chainPEM)
      disk.number = device
      world.expect(
        disk.certificate?.commonName == "\(device)",
        "device \(index) received another device's certificate")
    case .enrollmentRefused(let refusal):
      world.note("device \(index) receives a refusal of its enrollment: \(refusal)")
      world.expect(
        refusal == .tryLater,
        "device \(index) received an unexpected refusal of its enrollment: \(refusal)")
    }
  }

  private func dial() {
    let current = life
    world.time.after(world.random(500_000...world.profile.latencyMost * 3)) { [self] in
      guard life == current, client.isDialling else { return }
      let identity = StreamIdentity(
        certificate: disk.certificate, negotiatedProtocol: LinkLimits.applicationProtocol)
      guard
        let connection = world.network.connect(to: world.ports.device, as: identity, self)
      else { return ended() }
      self.connection = connection
      restrictions = []
      readBytes = 0
      lastStored = 0
      lastStoredOfTopic = [:]
      connectedAt = now
      hasLostWishes = false
      isOrdered = hasSettledWishes
      world.note("device \(index) opens connection \(connection.number)")
      client.opened(at: now, output: &output)
      settle()
    }
  }

  // MARK: Notifications

  /// The position, in the order of acceptance, of the last high-priority push that arrived from the gateway's store.
  private var lastStored = 0
  private var lastStoredOfTopic: [LinkTopic: Int] = [:]
  /// True if the gateway knew every topic when the connection was opened, so that a single load returned all rows.
  private var isOrdered = false
  private var connectedAt: Int64 = 0
  private var lastChangedWish: Int64 = 0
  /// True if the gateway has received and persisted the device's latest subscriptions.
  private var hasSettledWishes = false

  /// True if the gateway crashed before it had persisted the device's latest subscriptions.
  ///
  /// Bytes that the gateway sent before the crash can still arrive.
  private var hasLostWishes = false

  func gatewayCrashed() { if !hasSettledWishes { hasLostWishes = true } }

  private func noteChangedWish() {
    lastChangedWish = now
    hasSettledWishes = false
  }

  /// Checks that stored pushes arrive in the order of acceptance.
  ///
  /// The order also applies across apps if a single load returned all pushes.
  private func checkOrder(_ number: UInt64, _ notification: LinkNotification) {
    guard notification.isFromStorage, notification.priority == 10,
      let push = world.ledger.push(number), let acceptance = push.acceptance,
      push.states.filter({ $0 == .sent }).count == 1,
      // A push that several nodes have received has several positions in the order of acceptance.
      world.cluster == nil || push.receptions == 1,
      // Ignore a push that was replaced. If the newer push is then refused, the gateway sends the replaced push again,
      // after pushes that arrived in the meantime.
      !push.states.contains(.replaced)
    else { return }
    let last = isOrdered ? lastStored : lastStoredOfTopic[push.target.topic, default: 0]
    // docs/cluster.md, "The path of a push": the store decides the order of two pushes that wait for it at the same time.
    let isOvertaken = world.cluster != nil && push.placesAtAnswer ?? .max > last
    world.expect(
      acceptance > last || isOvertaken, "#\(number) arrived out of order on device \(index)")
    lastStored = max(lastStored, acceptance)
    lastStoredOfTopic[push.target.topic] = max(last, acceptance)
  }

  private func receive(_ notification: LinkNotification, _ subject: LinkSubject) {
    let id = notification.uniqueID
    let payload = Array(notification.payload)
    let number: UInt64
    switch subject {
    case .topic(let topic):
      guard let push = GatewaySimulation.push(payload) else {
        return world.fail("device \(index) received a notification that no provider sent")
      }
      number = push
      world.note("device \(index) receives #\(number)")
      checkOrder(number, notification)
      world.ledger.arrived(number, for: topic, on: self, notification)
    case .channel(let channel):
      number = GatewaySimulation.broadcast(payload) ?? .max
      world.note("device \(index) receives broadcast \(number)")
      world.broadcasts.arrived(notification, for: channel, on: self)
    }
    if let reason = discarding, reason == .noRoom || subject.isTopic {
      world.note("device \(index) discards #\(number): \(reason)")
      if reason == .noRoom { hasLackedRoom = true } else { world.ledger.thrownAway(number) }
      client.onDiscarded(id, reason, at: now, output: &output)
      if !isReceiving { settle() }
      return
    }
    let current = life
    let keeping = world.chance(0.3) ? 0 : world.random(0...world.profile.keepMost)
    let keep = { [self] in
      guard life == current else { return }
      if case .channel = subject {
        world.note("device \(index) displays broadcast \(number)")
        world.broadcasts.shown(number, id, on: self)
      } else {
        world.note("device \(index) displays #\(number)")
        world.ledger.shown(number, id, on: self)
      }
      disk.memory.append(id)
      if disk.memory.count > memoryMost { disk.memory.removeFirst() }
      client.onPersisted(id, at: now)
      if !isReceiving { settle() }
    }
    if keeping == 0 { keep() } else { world.time.after(keeping, keep) }
  }

  // MARK: Output and time

  private func send() {
    guard !output.isEmpty else { return }
    connection?.send(output)
    output.removeAll(keepingCapacity: true)
  }

  private func settle() {
    client.flush(at: now, output: &output)
    client.checkInvariants()
    send()
    let deadline = client.deadline
    guard deadline < armed else { return }
    armed = deadline
    let current = life
    world.time.at(deadline) { [self] in
      guard life == current, isPowered, armed == deadline else { return }
      armed = .max
      perform(client.timerFired(at: now, output: &output))
      settle()
    }
  }
}

extension LinkCloseReason {
  /// True if a link can be closed for this reason without a fault in the code of either end.
  var isHarmless: Bool {
    [.goodbye, .draining, .replaced, .silent, .tooSlow, .internalFailure, .enrolled]
      .contains(self)
  }
}

extension LinkSubject {
  fileprivate var isTopic: Bool {
    if case .topic = self { true } else { false }
  }
}
