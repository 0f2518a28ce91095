import BelfryWire
import Gateway
import Storage

/// Providers, a gateway with its store, and devices, in one thread, under one seed and a virtual clock.
///
/// The gateway's delivery core and both ends of the device link are the real ones. For a while the gateway
/// and the devices crash, connections break or fall silent, disks are slow; then all is well for a while,
/// and every promise has to have been kept. The same seed gives the same run.
public final class DeliverySimulation {
  /// What a run showed.
  public struct Outcome: Sendable {
    /// The seed.
    public let seed: UInt64
    /// What was broken, the first of it; `nil` where nothing was.
    public let violation: String?
    /// The last events that have to do with the violation.
    public let trace: [String]
    /// Pushes that were made.
    public let pushes: Int
    /// Pushes that were answered with 200.
    public let accepted: Int
    /// Notifications that were shown.
    public let shown: Int
    /// Events on the virtual clock.
    public let events: Int

    /// What to tell a person, with the command that replays the run.
    public var report: String {
      guard let violation else {
        return
          "seed \(seed): \(pushes) pushes, \(accepted) accepted, \(shown) shown, \(events) events"
      }
      let lines = trace.map { "  " + $0 }.joined(separator: "\n")
      return "seed \(seed): \(violation)\n\(lines)\nreplay it with: make simulate SEED=\(seed)"
    }
  }

  /// Plays the world of `seed` to its end, or to the first broken promise.
  public static func run(seed: UInt64) -> Outcome {
    let outcome = DeliverySimulation(seed: seed, isTracing: false).play()
    guard outcome.violation != nil else { return outcome }
    return DeliverySimulation(seed: seed, isTracing: true).play()
  }

  let time = VirtualTime()
  let profile: SimulationProfile
  var random: SeededGenerator
  let topics: [LinkTopic]
  /// One that keeps its newest message, and one that keeps nothing.
  let channels = (0...1).map { number in
    LinkChannel(
      bundleID: "com.example.app1", identifier: ChannelID(high: 3, low: number).bytes)
  }
  private(set) var devices: [SimulatedDevice] = []
  private(set) lazy var gateway = SimulatedGateway(in: self, topics: topics)
  private(set) lazy var ledger = DeliveryLedger(in: self)
  private(set) lazy var broadcasts = BroadcastLedger(in: self)
  private let seed: UInt64
  private let isTracing: Bool
  private var lines: [String] = []
  private var violation: String?
  private var isTroubled = true
  private var unwanted: Set<NotificationKey> = []

  private init(seed: UInt64, isTracing: Bool) {
    self.seed = seed
    self.isTracing = isTracing
    random = SeededGenerator(seed: seed)
    profile = SimulationProfile(&random)
    topics = (1...profile.apps).map { LinkTopic(bundleID: "com.example.app\($0)") }
  }

  // MARK: Chance

  func random(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
  func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

  // MARK: Promises

  func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds { fail(promise()) }
  }

  func fail(_ promise: String) {
    guard violation == nil else { return }
    violation = promise
    note("BROKEN: \(promise)")
  }

  func note(_ line: @autoclosure () -> String) {
    guard isTracing, violation == nil || lines.last?.contains("BROKEN") != true else { return }
    lines.append("\(Double(time.now / 1_000) / 1e6) s  \(line())")
  }

  /// Whether the device at some time did not want the app's notifications.
  func wasUnwanted(_ key: NotificationKey) -> Bool { unwanted.contains(key) }

  // MARK: The play

  private func play() -> Outcome {
    devices = (1...profile.devices).map { SimulatedDevice(UInt64($0), in: self) }
    gateway.restoreChannels()
    gateway.start()
    for device in devices {
      for channel in channels where chance(0.8) { device.subscribe(channel) }
      for topic in topics { device.register(topic) }
      device.start()
    }
    plan(every: profile.pushEvery) { [self] in push() }
    plan(every: profile.pushEvery * 5) { [self] in broadcast(isForAll: false) }
    planTrouble()
    let end = time.now + profile.troubled
    step(until: end)
    isTroubled = false
    for device in devices {
      device.setState([])
      for topic in topics { device.setEnabled(true, topic) }
      device.goOnline()
    }
    step(until: end + profile.calm * 2 / 3)
    for _ in 0..<4 { broadcast(isForAll: true) }
    step(until: end + profile.calm)
    if violation == nil { ledger.check() }
    if violation == nil { broadcasts.check() }
    return Outcome(
      seed: seed, violation: violation, trace: relevantLines, pushes: ledger.pushes.count,
      accepted: ledger.pushes.count { $0.isAnswered },
      shown: ledger.pushes.count { $0.shown > 0 }, events: time.eventsHandled)
  }

  private func step(until end: Int64) {
    while time.now < end, violation == nil { time.run(until: min(end, time.now + 1_000_000_000)) }
  }

  /// Does `body` again and again while things go wrong, `nanoseconds` apart on average.
  private func plan(every nanoseconds: Int64, _ body: @escaping () -> Void) {
    guard nanoseconds < Int64.max / 8 else { return }
    time.after(random(nanoseconds / 10...nanoseconds * 2)) { [self] in
      guard isTroubled else { return }
      body()
      plan(every: nanoseconds, body)
    }
  }

  private func planTrouble() {
    plan(every: profile.gatewayCrashEvery) { [self] in
      gateway.crash(backAfter: random(10_000_000...8_000_000_000))
    }
    plan(every: profile.drainEvery) { [self] in gateway.drain() }
    for device in devices {
      plan(every: profile.deviceCrashEvery) { [self] in
        device.crash(backAfter: random(10_000_000...20_000_000_000))
      }
      plan(every: profile.cutEvery) { device.cutConnection() }
      plan(every: profile.darkEvery) { [self] in
        note("device \(device.number) goes dark")
        device.darkenConnection()
      }
      plan(every: profile.stateEvery) { [self] in
        device.setState(DeviceState(rawValue: UInt8(random(0...3))))
      }
      plan(every: profile.offlineEvery) { [self] in
        device.goOffline()
        time.after(random(100_000_000...30_000_000_000)) { device.goOnline() }
      }
      plan(every: profile.topicEvery) { [self] in changeTopic(of: device) }
      plan(every: profile.topicEvery) { [self] in changeChannel(of: device) }
    }
  }

  private func changeTopic(of device: SimulatedDevice) {
    let topic = topics[random(0...topics.count - 1)]
    guard let key = gateway.key(topic, of: device.number) else { return }
    if chance(0.3) {
      note("device \(device.number) \(topic.bundleID) is switched")
      unwanted.insert(key)
      device.setEnabled(device.isDisabled(topic), topic)
    } else if device.wants(topic) {
      note("device \(device.number) unregisters \(topic.bundleID)")
      unwanted.insert(key)
      device.unregister(topic)
      time.after(random(0...10_000_000_000)) { device.register(topic) }
    } else {
      device.register(topic)
    }
  }

  private func changeChannel(of device: SimulatedDevice) {
    let channel = channels[random(0...1)]
    note("device \(device.number) changes channel \(channel.identifier[15])")
    if device.wants(channel) { device.unsubscribe(channel) } else { device.subscribe(channel) }
  }

  private func broadcast(isForAll: Bool) {
    let channel = channels[random(0...1)]
    guard let id = ChannelID(channel.identifier) else { return }
    let isKept = channel == channels[0] && chance(0.8)
    let seconds = time.unixMilliseconds / 1_000
    let expiration = isKept ? seconds + (isForAll ? 28_800 : random(1...7_200)) : 0
    let priority: UInt8 = isForAll ? 10 : [10, 10, 5, 1][random(0...3)]
    let number = broadcasts.open(
      channel, isKept: isKept, priority: priority, expiration: expiration, isForAll: isForAll)
    note("broadcast \(number) to channel \(channel.identifier[15]): kept \(isKept)")
    gateway.broadcast(
      Broadcast(
        channel: id, app: 1, id: NotificationID(high: 7, low: 7),
        uniqueID: NotificationID(high: BroadcastLedger.idHigh, low: number),
        expiration: expiration, priority: priority, payload: Array("broadcast \(number)".utf8),
        acceptedMilliseconds: time.unixMilliseconds, isKept: isKept))
  }

  private func push() {
    let device = devices[random(0...devices.count - 1)].number
    let app = UInt32(random(1...topics.count))
    let key = NotificationKey(device: device, app: app, kind: TokenKind.alert.rawValue)
    guard let registration = gateway.registrations[key] else { return }
    let seconds = time.unixMilliseconds / 1_000
    let expiration: Int64 =
      switch random(0...9) {
      case 0: 0
      case 1: seconds - 10
      case 2, 3: seconds + random(1...60)
      default: seconds + 30 * 86_400
      }
    let priority: UInt8 = [10, 10, 5, 1][random(0...3)]
    let collapseID = chance(0.3) ? "c\(random(1...3))" : ""
    // The number of those kept is the app's, so it is one for all of its pushes.
    let keep: UInt32 = [1, 3, .max, 1][Int(app - 1)]
    let number = ledger.open(
      key, priority: priority, expiration: expiration, collapseID: collapseID, keep: keep)
    let notification = AcceptedNotification(
      key: key, generation: registration.generation, id: NotificationID(high: 7, low: 7),
      uniqueID: NotificationID(high: 0, low: number), expiration: expiration, priority: priority,
      pushType: .alert, collapseID: Array(collapseID.utf8), payload: Array("push \(number)".utf8),
      acceptedMilliseconds: time.unixMilliseconds, keep: keep,
      reply: ReplyRoute(loop: 0, connection: 1, stream: 1))
    note(
      "#\(number) to device \(device) app \(app): priority \(priority), keep \(keep), "
        + "expires in \(expiration - seconds) s, collapse '\(collapseID)'")
    if gateway.push(notification) != .accepted { ledger.refused(number) }
  }

  /// The lines about the push at fault, its device and the gateway.
  private var relevantLines: [String] {
    guard let violation else { return [] }
    let words = violation.split(whereSeparator: { " :,".contains($0) })
    guard let number = words.first(where: { $0.hasPrefix("#") }),
      let index = Int(number.dropFirst()),
      ledger.pushes.indices.contains(index)
    else { return lines.suffix(60) }
    let push = ledger.pushes[index]
    let same = Set(ledger.pushes.filter { $0.key == push.key }.map { "#\($0.number)" })
    let relevant = lines.filter { line in
      let words = line.split(whereSeparator: { " :,".contains($0) })
      guard let mark = words.first(where: { $0.hasPrefix("#") }) else {
        return !line.contains("device ") || line.contains("device \(push.key.device)")
      }
      return mark == number
        || same.contains(String(mark)) && index + 12 > (Int(mark.dropFirst()) ?? 0)
    }
    guard let first = relevant.firstIndex(where: { $0.contains("\(number) to device") }) else {
      return relevant.suffix(80)
    }
    // How it began, what became of the push itself, and how it ended.
    let beginning = min(relevant.count, first + 50)
    let end = max(beginning, relevant.count - 60)
    return Array(relevant[max(0, first - 10)..<beginning])
      + relevant[beginning..<end].filter { $0.contains("\(number) ") || $0.hasSuffix(number) }
      + relevant[end...]
  }
}
