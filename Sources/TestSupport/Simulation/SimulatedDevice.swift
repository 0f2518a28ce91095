import BelfryWire

/// A device with its agent: the real ``DeviceLinkClient``, a memory that survives crashes, and apps that
/// note what they are shown.
final class SimulatedDevice: SimulatedEnd {
  /// What would still be there after a loss of power.
  private struct Disk {
    var memory: [NotificationID] = []
    var wanted: [LinkTopic: Bool] = [:]
    var disabled: Set<LinkTopic> = []
    var channels: [LinkChannel: Bool] = [:]
  }

  let number: UInt64
  private unowned let world: DeliverySimulation
  private var disk = Disk()
  private var client: DeviceLinkClient
  private var output: [UInt8] = []
  private var connection: SimulatedConnection?
  private var armed: Int64 = .max
  private var life = 0
  private var isPowered = true
  private var isReceiving = false
  /// Since when each topic has been wanted without a break.
  private(set) var wantedSince: [LinkTopic: Int64] = [:]
  /// How often it left each channel.
  private(set) var departures: [LinkChannel: Int] = [:]

  init(_ number: UInt64, in world: DeliverySimulation) {
    self.number = number
    self.world = world
    client = DeviceLinkClient(enrolment: nil)
    restart()
  }

  private var now: Int64 { world.time.now }

  // MARK: What happens to it

  func start() { perform(client.goOnline()) }

  /// Whether it has to tell that it kept this before.
  func remembers(_ id: NotificationID) -> Bool { disk.memory.contains(id) }

  func wants(_ topic: LinkTopic) -> Bool { disk.wanted[topic] == true }

  func register(_ topic: LinkTopic) {
    guard isPowered, disk.wanted[topic] != true else { return }
    disk.wanted[topic] = true
    wantedSince[topic] = now
    client.register(.topic(topic), at: now, output: &output)
    settle()
  }

  func unregister(_ topic: LinkTopic) {
    guard isPowered, disk.wanted[topic] == true else { return }
    disk.wanted[topic] = false
    wantedSince[topic] = nil
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
    client.setEnabled(isEnabled, topic, at: now, output: &output)
    settle()
  }

  func isDisabled(_ topic: LinkTopic) -> Bool { disk.disabled.contains(topic) }

  func setState(_ state: DeviceState) {
    guard isPowered else { return }
    client.setState(state, at: now, output: &output)
    settle()
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

  /// Power is lost: what was not on disk is gone.
  func crash(backAfter pause: Int64) {
    guard isPowered else { return }
    world.note("device \(number) crashes")
    isPowered = false
    life += 1
    connection?.abandon(from: .device)
    connection = nil
    output = []
    world.time.after(pause) { [self] in
      world.note("device \(number) is back")
      isPowered = true
      restart()
      start()
      settle()
    }
  }

  private func restart() {
    var settings = DeviceLinkClient.Settings()
    settings.window = world.profile.window
    settings.memory = 256
    client = DeviceLinkClient(enrolment: nil, memory: disk.memory, settings: settings)
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
    isReceiving = true
    bytes.withUnsafeBytes { raw in
      var input = raw
      while let action = client.next(&input, at: now, output: &output) { perform(action) }
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
    case nil, .proceed, .alive, .connected, .registered, .cancelled, .switched, .refused: break
    case .connect: dial()
    case .received(let notification, let subject):
      receive(notification, subject)
    case .disconnect(let fault):
      world.note("device \(number) disconnects: \(fault.reason)")
      world.expect(fault.reason.isHarmless, "device \(number) closed its link: \(fault)")
      send()
      guard let connection else { return ended() }
      connection.close(from: .device)
      self.connection = nil
      let current = life
      world.time.after(world.random(0...1_000_000)) { [self] in
        if life == current { ended() }
      }
    case .sign, .enrolled, .enrolmentRefused:
      world.fail("device \(number) was asked to enrol")
    }
  }

  private func dial() {
    let current = life
    world.time.after(world.random(500_000...world.profile.latencyMost * 3)) { [self] in
      guard life == current, client.isDialling else { return }
      guard let connection = world.gateway.accept(self) else { return ended() }
      self.connection = connection
      world.note("device \(number) opens connection \(connection.number)")
      client.opened(at: now, output: &output)
      settle()
    }
  }

  // MARK: Notifications

  private func receive(_ notification: LinkNotification, _ subject: LinkSubject) {
    let id = notification.uniqueID
    switch subject {
    case .topic(let topic):
      world.note("device \(number) got #\(id.low)")
      world.ledger.arrived(id, for: topic, on: self, notification)
    case .channel(let channel):
      world.note("device \(number) got broadcast \(id.low)")
      world.broadcasts.arrived(notification, for: channel, on: self)
    }
    let current = life
    let keeping = world.chance(0.3) ? 0 : world.random(0...world.profile.keepMost)
    let keep = { [self] in
      guard life == current else { return }
      if case .channel = subject {
        world.note("device \(number) shows broadcast \(id.low)")
        world.broadcasts.shown(id.low, on: self)
      } else {
        world.note("device \(number) shows #\(id.low)")
        world.ledger.shown(id, on: self)
      }
      disk.memory.append(id)
      if disk.memory.count > 256 { disk.memory.removeFirst() }
      client.kept(id, at: now)
      if !isReceiving { settle() }
    }
    if keeping == 0 { keep() } else { world.time.after(keeping, keep) }
  }

  // MARK: Output and time

  private func send() {
    guard !output.isEmpty else { return }
    connection?.send(output, from: .device)
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
  /// What may end a link without a fault of either end's code.
  var isHarmless: Bool {
    [.goodbye, .draining, .replaced, .silent, .tooSlow, .internalFailure].contains(self)
  }
}
