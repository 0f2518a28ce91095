import BelfryWire
import PushWire
import System
import TestSupport

@testable import Agent

/// A distributor on a test's own bus: the agent's model, its service, a disk, and a gateway that answers at once.
final class UnifiedPushScenario {
  let bus: ServiceScenario
  let connection: BusConnection
  let disk: BenchDisk
  private let bench: ModelBench
  private var service: UnifiedPushService?
  /// True if the gateway issues endpoints.
  var isGatewayUp = true
  private(set) var subscribed: [WebPushSubject] = []
  private(set) var ended: [WebPushSubject] = []
  private(set) var acknowledged: [NotificationID] = []
  private(set) var notes: [UnifiedPushNote] = []
  private(set) var holds: [UnifiedPushHold] = []
  private(set) var isServed = false
  private(set) var obstacle: UnifiedPush.Obstacle?
  private var nextMessage: UInt64 = 1
  private var isEnded = false

  init(
    _ bus: ServiceScenario, disk: BenchDisk = BenchDisk(), isGatewayUp: Bool = true,
    answerSeconds: UInt64 = 30
  ) throws {
    self.bus = bus
    self.disk = disk
    self.isGatewayUp = isGatewayUp
    connection = try bus.connect()
    bench = ModelBench(
      isLinkUp: false, disk: disk, now: SystemClock.unixMilliseconds, isStarted: false,
      servesUnifiedPush: true)
    carryOut(bench.start())
    let service = UnifiedPushService(
      log: .silent, answerSeconds: answerSeconds,
      inspect: { ProcessIdentity(pid: $0, uid: .max, obstacle: .ended) },
      findService: { [unowned self] in bench.model.unifiedPushService(of: $0) },
      isRegistered: { [unowned self] in bench.model.hasUnifiedPushApp($0) },
      report: { [unowned self] in report($0) })
    self.service = service
    if isGatewayUp { gatewayAppears() }
    service.use(connection)
  }

  /// Ends the agent's run: its name on the bus disappears, and the disk remains.
  func end() {
    isEnded = true
    connection.close()
  }

  func gatewayAppears() {
    isGatewayUp = true
    report(.linkUp(origin: UnifiedPushBench.origin))
    for subject in subscribed { report(.subscribed(subject, id: Self.id(subject))) }
  }

  static func id(_ subject: WebPushSubject) -> [UInt8] { Array(subject.topic.bundleID.utf8) }

  static func endpoint(_ subject: WebPushSubject) -> String {
    UnifiedPushBench.origin.string + "/push/" + Base64.encode(id(subject), url: true)
  }

  func report(_ event: UnifiedPushEvent) {
    guard !isEnded else { return }
    switch event {
    case .served: isServed = true
    case .notServed(let why): obstacle = why
    default: break
    }
    carryOut(bench.handle(.unifiedPush(event)))
  }

  private func carryOut(_ effects: [AgentEffect]) {
    for effect in effects {
      switch effect {
      case .acknowledge(let id): acknowledged.append(id)
      case .unifiedPush(.subscribe(let subject)):
        if !subscribed.contains(subject) { subscribed.append(subject) }
        if isGatewayUp { report(.subscribed(subject, id: Self.id(subject))) }
      case .unifiedPush(.unsubscribe(let subject)):
        subscribed.removeAll { $0 == subject }
        ended.append(subject)
        if isGatewayUp { report(.unsubscribed(subject)) }
      case .unifiedPush(.answer(let call, let answer)): service?.answer(call, answer)
      case .unifiedPush(.call(let call)): service?.call(call)
      case .unifiedPush(.checkOwner(let name)): service?.checkOwner(name)
      case .unifiedPush(.hold(let hold, _)): holds.append(hold)
      case .unifiedPush(.note(let note)): notes.append(note)
      default: break
      }
    }
  }

  /// Sends a message to a subscription, and returns the ID that its app gets.
  @discardableResult
  func send(_ subject: WebPushSubject, _ payload: [UInt8] = [7]) -> String {
    let id = NotificationID(
      high: UInt64(SystemClock.unixMilliseconds), low: nextMessage)
    nextMessage += 1
    report(.received(ReceivedWebPush(subject: subject, id: id, payload: payload)))
    return id.text.lowercased()
  }

  /// The number of messages on the disk.
  var storedCount: Int { disk.keys(.messages).count }
}

/// An app with its own connection to the bus, which records what the distributor sends.
final class TestConnector {
  /// The behavior of an app when it gets a message.
  enum Behavior {
    case acknowledges, refuses, answersWithoutID
    /// Never answers, as a program that is stopped in a debugger.
    case hangs
  }

  let bus: BusConnection
  let name: String
  var behavior = Behavior.acknowledges
  private(set) var endpoints: [(token: String, endpoint: String)] = []
  private(set) var messages: [(token: String, payload: [UInt8], id: String)] = []
  private(set) var unregistered: [String] = []
  private(set) var results: [[BusValue]] = []
  private(set) var failures: [BusFailure] = []
  private(set) var isNamed = false
  private var held: [BusCall] = []

  /// Connects an app; without a name, only its unique name leads to it.
  init(_ scenario: ServiceScenario, name: String = "") throws {
    bus = try scenario.connect()
    self.name = name
    try bus.serve("/org/unifiedpush/Connector") { [unowned self] call in handle(call) }
    guard !name.isEmpty else { return }
    bus.call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      [.string(name), .uint32(4)]
    ) { [weak self] in self?.isNamed = (try? $0.get())?.first?.unsignedValue == 1 }
  }

  private func handle(_ call: BusCall) -> Bool {
    guard let values = try? call.message.read() else { return false }
    let isSecond = call.message.interface == "org.unifiedpush.Connector2"
    func text(_ key: String, _ index: Int) -> String {
      (isSecond ? values.first?[key] : values[index])?.stringValue ?? ""
    }
    switch call.message.member {
    case "NewEndpoint":
      endpoints.append((text("token", 0), text("endpoint", 1)))
      call.reply(.success(isSecond ? [.vardict([])] : []))
    case "Unregistered":
      unregistered.append(text("token", 0))
      call.reply(.success(isSecond ? [.vardict([])] : []))
    case "Message":
      let payload = (isSecond ? values.first?["message"] : values[1])?.bytesValue ?? []
      messages.append((text("token", 0), payload, text("id", 2)))
      switch behavior {
      case .acknowledges:
        call.reply(.success(isSecond ? [.vardict([("id", .string(text("id", 2)))])] : []))
      case .answersWithoutID: call.reply(.success([.vardict([])]))
      case .refuses:
        call.reply(.failure(BusFailure(name: "org.example.Error.Failed", message: "no")))
      case .hangs: held.append(call)
      }
    default: return false
    }
    return true
  }

  func call(_ version: Int, _ member: String, _ arguments: [BusValue]) {
    bus.call(
      UnifiedPushService.name, UnifiedPushService.path,
      "org.unifiedpush.Distributor\(version)", member, arguments
    ) { [weak self] result in
      switch result {
      case .success(let values): self?.results.append(values)
      case .failure(let failure): self?.failures.append(failure)
      }
    }
  }

  /// Registers with version 2.
  func register(
    _ token: String = "t", service: String? = nil, vapid: String? = nil
  ) {
    var pairs: [(String, BusValue)] = [
      ("service", .string(service ?? name)), ("token", .string(token)),
    ]
    if let vapid { pairs.append(("vapid", .string(vapid))) }
    call(2, "Register", [.vardict(pairs)])
  }

  func unregister(_ token: String = "t") {
    call(2, "Unregister", [.vardict([("token", .string(token))])])
  }

  /// The words of the latest result of version 2: success and reason.
  var outcome: [String?] {
    [results.last?.first?["success"]?.stringValue, results.last?.first?["reason"]?.stringValue]
  }
}
