import BelfryProvider
import BelfryWire
import PushWire
import ProviderService

/// A push service to which a simulated campaign is sent.
protocol CampaignPushService: AnyObject {
  /// The service as the campaign's runner uses it.
  var pushService: PushService { get }
  /// The topic of the campaign, and the tokens of the devices that are registered for it.
  var audience: (topic: String, tokens: [[UInt8]]) { get }

  /// Closes the connections of a provider process that has crashed.
  func providerCrashed()
}

/// A push service with a delivery log, and the network between it and the provider service.
final class SimulatedPushGateway: CampaignPushService, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let world: CampaignSimulation
  private var lines: [GatewayLog.Line] = []
  /// The tokens that the service no longer knows.
  private(set) var gone: Set<String> = []  // text: hexadecimal tokens
  private(set) var bad: Set<String> = []  // text: hexadecimal tokens
  /// The number of the provider's current process; answers to requests from an earlier process are dropped.
  private var process = 0
  private var otherSerial: UInt64 = 0

  /// The maximum time, in milliseconds, after which a request whose connection was lost can still reach the service.
  ///
  /// The campaign waits longer before it reads the log (`Limits.settleNanoseconds`).
  private static let longestPassage: Int64 = 2_500

  init(in world: CampaignSimulation) { self.world = world }

  var audience: (topic: String, tokens: [[UInt8]]) {
    let tokens: [[UInt8]] = (1...world.profile.devices).map { number in
      [UInt8(number >> 8), UInt8(number & 0xFF), 0xAB, 0xCD]
    }
    for token in tokens { add(Hexadecimal.encode(token)) }
    return ("com.example.app", tokens)
  }

  private func add(_ token: String) {
    if world.chance(0.06) { gone.insert(token) } else if world.chance(0.06) { bad.insert(token) }
  }

  func providerCrashed() { process += 1 }

  var pushService: PushService {
    let service = self
    return PushService(
      submit: { push, done in service.submit(push, done) },
      log: world.profile.hasLog ? log : nil, environment: nil)
  }

  private var log: GatewayLog {
    let (world, service) = (world, self)
    return GatewayLog(keptLines: world.profile.keptLines) {
      world.failsNow(.unreadableLog)
        ? nil : world.time.unixMilliseconds + world.profile.aheadMilliseconds
    } read: { receive in
      if world.failsNow(.unreadableLog) { return false }
      for line in service.lines { receive(line) }
      return true
    }
  }

  private func add(_ id: NotificationID, _ state: String) {
    lines.append(
      .init(
        id: id, state: state,
        atMilliseconds: world.time.unixMilliseconds + world.profile.aheadMilliseconds))
    if lines.count > world.profile.keptLines {
      lines.removeFirst(lines.count - world.profile.keptLines)
    }
  }

  private func submit(_ push: Push, _ done: @escaping PushCompletion) {
    let token = push.deviceToken
    world.record {
      $0.submit(
        token, while: world.provider.storedState, isAllowedNow: world.provider.isAllowed(token))
    }
    guard let id = NotificationID((push.id ?? "").utf8Span.span) else {
      return world.fail("a push has no ID")
    }
    if world.failsNow(.unreachable) {
      world.note("\(token) cannot be sent")
      return done(.failure(.unreachable(endpoint: "gateway", reason: "a simulated fault")))
    }
    let answer = answerer(done)
    let isRequestLost = world.failsNow(.lostRequests)
    let isAnswerLost = world.failsNow(.lostAnswers)
    let passage = world.milliseconds(
      isAnswerLost ? Self.longestPassage : world.profile.latencyMilliseconds)
    world.note("\(token) is sent" + (isRequestLost ? " and lost" : ""))
    if isRequestLost || isAnswerLost {
      world.time.after(world.milliseconds(world.profile.latencyMilliseconds)) {
        answer(.failure(.unanswered(reason: "a simulated fault")))
      }
      if isRequestLost { return }
    }
    world.time.after(passage) { [self] in
      let result = receive(push, token, id)
      if isAnswerLost { return }
      world.time.after(world.milliseconds(world.profile.latencyMilliseconds)) { answer(result) }
    }
  }

  /// Returns a function that answers a request, unless the provider's process has crashed in the meantime.
  private func answerer(
    _ done: @escaping PushCompletion
  ) -> (Result<PushOutcome, ProviderFailure>) -> Void {
    let process = process
    return { [unowned self] result in
      if process == self.process { done(result) }
    }
  }

  /// Handles a request and returns the response.
  private func receive(
    _ push: Push, _ token: String, _ id: NotificationID
  ) -> Result<PushOutcome, ProviderFailure> {
    for _ in 0..<world.profile.otherLines {
      otherSerial += 1
      add(NotificationID(high: 1, low: otherSerial, isLowercase: true), "Sent")
    }
    if world.failsNow(.refusals) { return refuse(403, "TopicDisallowed") }
    if gone.contains(token) {
      world.record {
        $0.refuse(token); return nil
      }
      return refuse(410, "Unregistered")
    }
    if bad.contains(token) {
      world.record {
        $0.refuse(token); return nil
      }
      return refuse(400, "BadDeviceToken")
    }
    if world.failsNow(.busy) { return refuse(503, "ServiceUnavailable") }
    add(id, GatewayLog.received)
    if world.failsNow(.internalErrors) {
      // A gateway with a log can send the push to a connected device before its commit fails.
      if world.profile.hasLog, world.chance(0.4) {
        add(id, GatewayLog.sent)
        world.note("\(token) is sent to its device, but not committed")
        if world.chance(0.7) { world.record { $0.accept(token) } }
        if world.ledger.devices[token]?.accepted == 1, world.chance(0.5) {
          add(id, "Delivered to Device")
        }
      }
      return refuse(500, "InternalServerError")
    }
    if world.failsNow(.lostCommits) {
      world.note("\(token) is received, but not committed")
      return .failure(.unanswered(reason: "a simulated fault"))
    }
    add(id, "Stored")
    world.note("\(token) is accepted")
    world.record { $0.accept(token) }
    return .success(.accepted(.init(id: id.text, uniqueID: nil)))
  }

  private func refuse(_ status: Int, _ reason: String) -> Result<PushOutcome, ProviderFailure> {
    .success(
      .rejected(.init(status: status, reason: reason, timestampMilliseconds: nil, id: "")))
  }
}
