import AppWire
import BelfryWire
import PushWire
import WebPush

@testable import Agent

/// A test bench for the distributor's decisions, with a disk, a gateway, and apps that the test controls.
final class UnifiedPushBench {
  static let tooth: UTF8Text = "org.example.Tooth"
  static let fluffy: UTF8Text = "org.example.Fluffy"
  static let origin: UTF8Text = "https://push.example.org"
  static let bus: UTF8Text = "bus"
  /// Two VAPID keys.
  static let keys = (1...2).compactMap { _ in try? VAPIDKey().publicKey }.map { UTF8Text($0.text) }

  private(set) var machine: UnifiedPush
  private(set) var disk: [RecordCollection: [String: [UInt8]]]
  var now: Int64 = 1_000_000
  private var nextCall: UInt64 = 1
  private var nextMessage: UInt64 = 1
  /// The subscriptions that the distributor wants at the gateway.
  private(set) var subscribed: Set<WebPushSubject> = []
  /// All subscriptions that the distributor has requested, oldest first.
  private(set) var requested: [WebPushSubject] = []
  private(set) var cancelled: [WebPushSubject] = []
  private(set) var answers: [UInt64: UnifiedPushAnswer] = [:]
  /// The calls to apps that have no result yet.
  private(set) var calls: [ConnectorCall] = []
  private(set) var notes: [UnifiedPushNote] = []
  private(set) var acknowledged: [NotificationID] = []
  private(set) var held: [UnifiedPushHold] = []
  private(set) var checkedOwners: Set<UTF8Text> = []
  private(set) var testRows: [[JSONObject]] = []

  /// Creates a distributor that has its name, and a gateway that the test answers for.
  init(
    disk: [RecordCollection: [String: [UInt8]]] = [:], origin: UTF8Text? = origin,
    isServed: Bool = true, names: Set<UTF8Text> = [tooth, fluffy], hasGateway: Bool = true,
    isGatewayOff: Bool = false, seed: UInt64 = 1, now: Int64 = 1_000_000
  ) {
    self.disk = disk
    self.now = now
    machine = UnifiedPush(
      isOn: true, hasGateway: hasGateway, isGatewayOff: isGatewayOff, seed: seed)
    func records(_ collection: RecordCollection) -> [(key: String, value: [UInt8])] {
      (disk[collection] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    carryOut(
      machine.restore(
        subscriptions: records(.subscriptions), messages: records(.messages), at: now))
    carryOut(machine.start())
    if isServed { handle(.served(bus: Self.bus, names: names)) }
    if let origin { handle(.linkUp(origin: origin)) }
  }

  /// Returns the agent's next run, with the same disk.
  func restarted(
    origin: UTF8Text? = origin, names: Set<UTF8Text> = [tooth, fluffy], bus: UTF8Text = bus
  ) -> UnifiedPushBench {
    let next = UnifiedPushBench(disk: disk, origin: origin, isServed: false, seed: 2, now: now)
    next.handle(.served(bus: bus, names: names))
    return next
  }

  func handle(_ event: UnifiedPushEvent) {
    carryOut(machine.handle(event, at: now))
    machine.checkInvariants()
  }

  private func carryOut(_ effects: [UnifiedPushEffect]) {
    for effect in effects {
      switch effect {
      case .persist(.put(let collection, let key, let value)):
        disk[collection, default: [:]][key] = value
      case .persist(.remove(let collection, let key)):
        disk[collection, default: [:]][key] = nil
      case .acknowledge(let id): acknowledged.append(id)
      case .subscribe(let subject):
        subscribed.insert(subject)
        requested.append(subject)
      case .unsubscribe(let subject):
        subscribed.remove(subject)
        cancelled.append(subject)
      case .answer(let call, let answer): answers[call] = answer
      case .answerTest(_, let rows): testRows.append(rows)
      case .call(let call): calls.append(call)
      case .checkOwner(let name): checkedOwners.insert(name)
      case .hold(let hold, _): held.append(hold)
      case .note(let note): notes.append(note)
      }
    }
  }

  // MARK: Apps

  /// Returns the answer to a call; nil if it is held.
  func answer(_ call: UInt64) -> UnifiedPushAnswer? { answers[call] }

  /// Registers an app, and returns the number of the call.
  @discardableResult
  func register(
    _ token: UTF8Text = "t", service: UTF8Text = tooth, vapid: UTF8Text = "",
    description: UTF8Text = "", version: UnifiedPushVersion = .two, isAllowed: Bool = true,
    isTokenHeld: Bool = false
  ) -> UInt64 {
    let registration = UnifiedPushRequest.Registration(
      service: service, token: token, description: description, vapid: vapid)
    return call(
      .register(registration), version, isAllowed: isAllowed, isTokenHeld: isTokenHeld)
  }

  @discardableResult
  func unregister(
    _ token: UTF8Text = "t", version: UnifiedPushVersion = .two, isAllowed: Bool = true,
    isTokenHeld: Bool = false
  ) -> UInt64 {
    call(.unregister(token: token), version, isAllowed: isAllowed, isTokenHeld: isTokenHeld)
  }

  private func call(
    _ action: UnifiedPushRequest.Action, _ version: UnifiedPushVersion, isAllowed: Bool,
    isTokenHeld: Bool
  ) -> UInt64 {
    let number = nextCall
    nextCall += 1
    handle(
      .called(
        UnifiedPushCall(
          number: number, UnifiedPushRequest(version: version, action: action),
          isAllowed: isAllowed, isTokenHeld: isTokenHeld)))
    return number
  }

  /// Returns the contents of the calls that wait for a result.
  var contents: [ConnectorCall.Content] { calls.map(\.content) }

  /// Reports that the oldest call was delivered.
  func deliver(to service: UTF8Text? = nil) {
    guard let call = takeCall(service) else { return }
    handle(.delivered(service: call.service, call: call.number))
  }

  func fail(_ failure: UnifiedPushFailure, of service: UTF8Text? = nil) {
    guard let call = takeCall(service) else { return }
    handle(.deliveryFailed(service: call.service, call: call.number, failure))
  }

  private func takeCall(_ service: UTF8Text?) -> ConnectorCall? {
    guard let index = calls.firstIndex(where: { service == nil || $0.service == service }) else {
      return nil
    }
    return calls.remove(at: index)
  }

  /// Ends a registration as a command does; returns false for an unknown token.
  func remove(_ token: UTF8Text) -> Bool {
    guard let effects = machine.remove(token, at: now) else { return false }
    carryOut(effects)
    machine.checkInvariants()
    return true
  }

  /// Requests a test, and returns its answer if the answer is immediate.
  func test(_ requestID: RequestID) -> [JSONObject]? {
    let count = testRows.count
    carryOut(machine.test(requestID, at: now))
    machine.checkInvariants()
    return testRows.count > count ? testRows.last : nil
  }

  // MARK: The gateway

  /// Answers the request for the latest subscription, as the gateway would.
  func issue(_ subject: WebPushSubject? = nil, id: [UInt8] = [1, 2, 3]) {
    guard let subject = subject ?? requested.last else { return }
    handle(.subscribed(subject, id: id))
  }

  /// Registers an app whose endpoint it has.
  func registered(
    _ token: UTF8Text = "t", service: UTF8Text = tooth, version: UnifiedPushVersion = .two
  ) -> WebPushSubject? {
    register(token, service: service, version: version)
    issue()
    deliver(to: service)
    return requested.last
  }

  /// Sends a message to a subscription, and returns its ID.
  @discardableResult
  func send(
    _ subject: WebPushSubject?, _ payload: [UInt8] = [7],
    expiration: UInt64 = LinkNotification.expirationNone
  ) -> NotificationID {
    let id = NotificationID(high: 5, low: nextMessage)
    nextMessage += 1
    if let subject {
      handle(
        .received(
          ReceivedWebPush(subject: subject, id: id, payload: payload, expiration: expiration)))
    }
    return id
  }
}
