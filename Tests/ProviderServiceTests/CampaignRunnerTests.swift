import BelfryProvider
import BelfryWire
import Storage
import Synchronization
import System
import TestSupport
import Testing

@testable import ProviderService

/// A service with scripted answers, which records the requests.
private final class ScriptedService: Sendable {
  typealias Script = @Sendable (Push, Int) -> Result<PushOutcome, ProviderFailure>

  private let pushes = Mutex<[Push]>([])
  private let script: Script

  init(_ script: @escaping Script) { self.script = script }

  var sent: [Push] { pushes.withLock { $0 } }

  func service(log: GatewayLog? = nil, environment: Environment? = nil) -> PushService {
    PushService(
      submit: { push, done in
        let attempt = self.pushes.withLock { pushes in
          pushes.append(push)
          return pushes.count { $0.deviceToken == push.deviceToken }
        }
        done(self.script(push, attempt))
      }, log: log, environment: environment)
  }
}

private func rejected(_ status: Int, _ reason: String, at milliseconds: Int64? = nil) -> Result<
  PushOutcome, ProviderFailure
> {
  .success(
    .rejected(.init(status: status, reason: reason, timestampMilliseconds: milliseconds, id: "")))
}

private let accepted: Result<PushOutcome, ProviderFailure> = .success(
  .accepted(.init(id: "", uniqueID: nil)))

@Suite(.timeLimit(.minutes(60))) struct CampaignRunnerTests {
  private let test: TestRegistry

  init() throws {
    test = try TestRegistry()
    for number in 10..<40 { try test.register(["deviceToken": .string("\(number)")]) }
  }

  private func campaign() throws -> (CampaignRecord, CampaignDocument) {
    let object: JSONObject = [
      "topic": "com.example.app", "alert": ["en": ["body": "Hello"]],
    ]
    let document = try CampaignDocument(object)
    let record = CampaignRecord(
      id: "c1", createdMilliseconds: 0, document: object.bytes, topic: document.topic,
      audience: .all, rate: nil)
    try test.store.addCampaign(record)
    return (try test.store.start(record, groups: [.any], total: 30), document)
  }

  /// Runs a campaign until its thread ends, and returns its final state in the store.
  private func run(
    _ campaign: CampaignRecord, _ document: CampaignDocument, _ service: PushService,
    settleMilliseconds: Int64 = 0
  ) async throws -> (record: CampaignRecord, counts: [String: Int64]) {
    var resources = CampaignRunner.Resources(
      registry: test.registry, service: service, log: .silent)
    resources.settleNanoseconds = settleMilliseconds * 1_000_000
    let ready = resources
    let runner = Mutex<CampaignRunner?>(nil)
    await withCheckedContinuation { continuation in
      runner.withLock {
        $0 = CampaignRunner(campaign, document: document, resources: ready) {
          continuation.resume()
        }
      }
    }
    let counts = try test.store.tallies(of: campaign.id).map {
      ("\($0.outcome.rawValue) \($0.reason)", $0.count)
    }
    let record = try #require(try test.store.campaign(campaign.id))
    return (record, Dictionary(uniqueKeysWithValues: counts))
  }

  /// Returns a log with these lines, from a gateway whose clock is ahead by the given time.
  private func log(
    _ lines: [GatewayLog.Line], kept: Int = 1_000, aheadMilliseconds: Int64 = 0
  ) -> GatewayLog {
    GatewayLog(keptLines: kept) {
      SystemClock.unixMilliseconds + aheadMilliseconds
    } read: { receive in
      for line in lines { receive(line) }
      return true
    }
  }

  @Test func `each device has one push and one outcome; dead tokens leave, bad ones stay`()
    async throws
  {
    let (record, document) = try campaign()
    test.clock.milliseconds = 5_000
    try test.register(["deviceToken": "12"])
    let service = ScriptedService { push, attempt in
      switch push.deviceToken {
      case "10": rejected(410, "Unregistered", at: 1_000)
      case "11": rejected(400, "BadDeviceToken")
      // The token was registered again after it expired.
      case "12": rejected(410, "Unregistered", at: 4_000)
      case "13": attempt < 3 ? rejected(503, "ServiceUnavailable") : accepted
      case "14": attempt < 2 ? .failure(.unreachable(endpoint: "x", reason: "y")) : accepted
      default: accepted
      }
    }
    let end = try await run(record, document, service.service())
    #expect(end.record.state == .completed)
    #expect(
      end.counts == [
        "accepted ": 27, "dead Unregistered": 2, "kept ": 1, "failed BadDeviceToken": 1,
      ])
    #expect(Set(service.sent.compactMap(\.id)).count == 30)
    let tokens = try test.tokens()
    #expect(!tokens.contains("10") && tokens.contains("11") && tokens.contains("12"))
    #expect(try test.store.batches(of: "c1").isEmpty)
  }

  @Test func `a lost answer is looked up: what the gateway has is not sent again`() async throws {
    let (record, document) = try campaign()
    let identity = CampaignIdentity(campaign: "c1")
    let lost = ScriptedService { push, attempt in
      attempt == 1 && ["10", "11", "12", "13", "14"].contains(push.deviceToken)
        ? .failure(.unanswered(reason: "cut")) : accepted
    }
    let end = try await run(
      record, document,
      lost.service(
        log: log(
          lines(of: identity, 0x10, "Received by APNs", "Sent", "Delivered to Device")
            + lines(of: identity, 0x12, "Received by APNs")
            // The gateway sends a push to a connected device before it commits the push, and the commit can fail.
            + lines(of: identity, 0x13, "Received by APNs", "Sent")
            + lines(of: identity, 0x14, "Discarded – Token Unregistered"))))
    #expect(end.counts == ["accepted ": 28, "unknown AnswerLost": 2])
    let times = Dictionary(grouping: lost.sent, by: \.deviceToken).mapValues(\.count)
    #expect(times["10"] == 1 && times["11"] == 2 && times["12"] == 1 && times["13"] == 1)
    #expect(times["14"] == 2, "a push to an unregistered token was refused")
    #expect(Set(lost.sent.filter { $0.deviceToken == "11" }.map(\.id)).count == 1)
  }

  private func lines(
    of identity: CampaignIdentity, _ token: UInt8, _ states: String...
  ) -> [GatewayLog.Line] {
    let now = SystemClock.unixMilliseconds
    return states.map {
      .init(id: identity.notification(to: [token]), state: $0, atMilliseconds: now)
    }
  }

  @Test(arguments: [true, false])
  func `after an internal error, only a device that cannot have the push is sent it again`(
    _ hasLog: Bool
  ) async throws {
    let (record, document) = try campaign()
    let identity = CampaignIdentity(campaign: "c1")
    let broken = ScriptedService { push, attempt in
      attempt == 1 && ["10", "11", "12", "13"].contains(push.deviceToken)
        ? rejected(500, "InternalServerError") : accepted
    }
    let log = log(
      lines(of: identity, 0x10, "Received by APNs", "Sent", "Delivered to Device")
        + lines(of: identity, 0x11, "Received by APNs")
        + lines(of: identity, 0x12, "Received by APNs", "Sent"))
    let end = try await run(record, document, broken.service(log: hasLog ? log : nil))
    let times = Dictionary(grouping: broken.sent, by: \.deviceToken).mapValues(\.count)
    if hasLog {
      #expect(end.counts == ["accepted ": 29, "unknown AnswerLost": 1])
      #expect(times["10"] == 1 && times["11"] == 2 && times["12"] == 1 && times["13"] == 2)
    } else {
      #expect(end.counts == ["accepted ": 30])
      #expect(["10", "11", "12", "13"].allSatisfy { times[$0] == 2 })
    }
  }

  @Test
  func
    `pushes that an earlier run left in flight are settled from the log before anything is sent`()
    async throws
  {
    let (record, document) = try campaign()
    let group = try #require(try test.store.groups(of: "c1").first)
    let now = SystemClock.unixMilliseconds
    // Imitate a program that exited after it claimed a batch; any part of the batch might have been sent.
    let claimed = try test.store.claim(of: record, group: group, limit: 8, at: now)
    #expect(claimed?.recipients.count == 8)
    let identity = CampaignIdentity(campaign: "c1")
    let lines = (0x10...0x14).map { token in
      GatewayLog.Line(
        id: identity.notification(to: [UInt8(token)]), state: "Delivered to Device",
        atMilliseconds: now)
    }
    let service = ScriptedService { _, _ in accepted }
    let end = try await run(record, document, service.service(log: log(lines)))
    #expect(end.counts == ["accepted ": 30])
    #expect(service.sent.count == 25)
    #expect(service.sent.allSatisfy { !["10", "11", "12", "13", "14"].contains($0.deviceToken) })
  }

  @Test(arguments: [0, 3_600_000, -3_600_000])
  func `older lines show that the log reaches back, whatever the clocks`(
    _ ahead: Int64
  ) async throws {
    let (record, document) = try campaign()
    let group = try #require(try test.store.groups(of: "c1").first)
    let now = SystemClock.unixMilliseconds
    _ = try test.store.claim(of: record, group: group, limit: 8, at: now)
    let other = CampaignIdentity(campaign: "c2")
    // The log is full. All of its lines are older than the claim, by more than the longest delay of a line.
    let lines = (0..<1_000).map { number in
      GatewayLog.Line(
        id: other.notification(to: [UInt8(number % 256)]), state: "Sent",
        atMilliseconds: now + ahead - Limits.lateLineMilliseconds - 2_000)
    }
    let service = ScriptedService { _, _ in accepted }
    let end = try await run(
      record, document, service.service(log: log(lines, aheadMilliseconds: ahead)))
    #expect(end.counts == ["accepted ": 30])
    #expect(service.sent.count == 30)
  }

  /// A line states when the push was received, which can be seconds before the line is written.
  @Test func `a full log with lines of the seconds before is not taken for complete`() async throws
  {
    let (record, document) = try campaign()
    let group = try #require(try test.store.groups(of: "c1").first)
    let now = SystemClock.unixMilliseconds
    _ = try test.store.claim(of: record, group: group, limit: 8, at: now)
    let other = CampaignIdentity(campaign: "c2")
    let lines = (0..<1_000).map { number in
      GatewayLog.Line(
        id: other.notification(to: [UInt8(number % 256)]), state: "Sent",
        atMilliseconds: number < 2 ? now - 2_000 : now + 1_000)
    }
    let service = ScriptedService { _, _ in accepted }
    let end = try await run(record, document, service.service(log: log(lines)))
    #expect(end.counts == ["accepted ": 22, "unknown AnswerLost": 8])
    #expect(service.sent.count == 22)
  }

  @Test func `nothing else is sent until the log has been read for the pushes in flight`()
    async throws
  {
    let (record, document) = try campaign()
    let group = try #require(try test.store.groups(of: "c1").first)
    _ = try test.store.claim(of: record, group: group, limit: 8, at: SystemClock.unixMilliseconds)
    let service = ScriptedService { _, _ in accepted }
    let sentBefore = Mutex<Int?>(nil)
    let log = GatewayLog(keptLines: 1_000) {
      SystemClock.unixMilliseconds
    } read: { _ in
      sentBefore.withLock { $0 = $0 ?? service.sent.count }
      return true
    }
    let end = try await run(record, document, service.service(log: log), settleMilliseconds: 50)
    #expect(end.counts == ["accepted ": 30])
    #expect(sentBefore.withLock { $0 } == 0)
  }

  @Test func `without a log that reaches back, what was in flight is held back`() async throws {
    for log in [nil, log([], kept: 0)] {
      let test = try CampaignRunnerTests()
      let (record, document) = try test.campaign()
      let group = try #require(try test.test.store.groups(of: "c1").first)
      _ = try test.test.store.claim(
        of: record, group: group, limit: 8, at: SystemClock.unixMilliseconds)
      let service = ScriptedService { _, _ in accepted }
      let end = try await test.run(record, document, service.service(log: log))
      #expect(end.counts == ["accepted ": 22, "unknown AnswerLost": 8])
      #expect(service.sent.count == 22)
    }
  }

  @Test func `refused credentials pause the campaign, and no recipient is lost`() async throws {
    let (record, document) = try campaign()
    let isMended = Mutex(false)
    let service = ScriptedService { push, _ in
      isMended.withLock { $0 } || push.deviceToken < "15"
        ? accepted : rejected(403, "InvalidProviderToken")
    }
    let held = try await run(record, document, service.service())
    #expect(held.record.state == .paused)
    #expect(held.record.problem?.contains("InvalidProviderToken") == true)
    #expect(held.counts == ["accepted ": 5])
    isMended.withLock { $0 = true }
    var resumed = held.record
    resumed.state = .running
    let end = try await run(resumed, document, service.service())
    #expect(end.record.state == .completed && end.record.problem == nil)
    #expect(end.counts == ["accepted ": 30])
    let times = Dictionary(grouping: service.sent, by: \.deviceToken).mapValues(\.count)
    #expect(times["14"] == 1 && times["15"] == 2)
  }

  @Test func `Unknown tokens do not keep a campaign from the valid tokens after them`()
    async throws
  {
    for number in 100..<900 { try test.register(["deviceToken": .string("0\(number)")]) }
    for number in 10..<15 { try test.register(["deviceToken": .string("ee\(number)")]) }
    let (record, document) = try campaign()
    let service = ScriptedService { push, _ in
      push.deviceToken.hasPrefix("ee") ? accepted : rejected(400, "BadDeviceToken")
    }
    let end = try await run(record, document, service.service(environment: .sandbox))
    #expect(end.record.state == .completed)
    #expect(end.counts == ["accepted ": 5, "failed BadDeviceToken": 830])
    #expect(end.record.problem?.contains("BadDeviceToken") == true)
    // No app reported its environment, so the tokens might be valid in another environment.
    #expect(try test.store.tokenCount() == 835)
    #expect(service.sent.count == 835)
  }

  @Test func `A bad token leaves whose app named the environment of the service`() async throws {
    for (token, environment) in [
      ("ee01", "sandbox"), ("ee02", "sandbox"), ("ee03", "production"), ("ee04", ""),
    ] {
      var fields: JSONObject = ["deviceToken": .string(token)]
      if !environment.isEmpty { fields["environment"] = .string(environment) }
      try test.register(fields)
    }
    let (record, document) = try campaign()
    let service = ScriptedService { push, _ in
      ["ee01", "ee03", "ee04"].contains(push.deviceToken)
        ? rejected(400, "BadDeviceToken") : accepted
    }
    let end = try await run(record, document, service.service(environment: .sandbox))
    #expect(end.counts == ["accepted ": 31, "failed BadDeviceToken": 3])
    let tokens = try test.tokens()
    #expect(!tokens.contains("ee01"))
    #expect(tokens.contains("ee02") && tokens.contains("ee03") && tokens.contains("ee04"))
  }

  @Test func `A campaign for tomorrow is not sent while the clock is two days ahead`() throws {
    let day: Int64 = 86_400_000
    let wall = Mutex<Int64>(1_795_000_000_000)
    let elapsed = Mutex<Int64>(5_000)
    let clock = CampaignClock(log: .silent) {
      (elapsed.withLock { $0 } * 1_000_000, wall.withLock { $0 })
    }
    func pass(milliseconds: Int64) {
      wall.withLock { $0 += milliseconds }
      elapsed.withLock { $0 += milliseconds }
    }
    let at = Timestamp.rfc3339(unixMilliseconds: wall.withLock { $0 } + day)
    let object: JSONObject = [
      "topic": "com.example.app", "alert": ["en": ["body": "Hello"]],
      "at": .string(at.prefix(19) + "Z"),
    ]
    let document = try CampaignDocument(object)
    let record = CampaignRecord(
      id: "c1", createdMilliseconds: 0, document: object.bytes, topic: document.topic,
      audience: .all, rate: nil)
    try test.store.addCampaign(record)
    let started = try test.store.start(record, groups: [.any], total: 30)
    let service = ScriptedService { _, _ in accepted }
    // This test ignores the answers, because only the requests that are sent matter.
    var resources = CampaignRunner.Resources(
      registry: test.registry, service: service.service(), log: .silent)
    resources.clock = clock
    var run = CampaignRun(started, document, resources) { _, _ in }
    try run.recover()
    #expect(try run.advance() != nil && service.sent.isEmpty)
    wall.withLock { $0 += 2 * day }
    for _ in 0..<34 {
      pass(milliseconds: 1_000)
      #expect(try run.advance() != nil && service.sent.isEmpty)
    }
    wall.withLock { $0 -= 2 * day }
    pass(milliseconds: 1_000)
    #expect(try run.advance() != nil && service.sent.isEmpty)
    pass(milliseconds: day)
    _ = try run.advance()
    #expect(service.sent.count == 30)
  }

  @Test func `A machine that slept believes its clock`() {
    let day: Int64 = 86_400
    let wall = Mutex<Int64>(1_795_000_000)
    let elapsed = Mutex<Int64>(5)
    let clock = CampaignClock(log: .silent) {
      (elapsed.withLock { $0 } * 1_000_000_000, wall.withLock { $0 } * 1_000)
    }
    wall.withLock { $0 += day }
    elapsed.withLock { $0 += day }
    #expect(clock.unixSeconds == 1_795_000_000 + day)
    // Set the clock ahead. The campaign clock trusts the new time after a day.
    wall.withLock { $0 += 2 * day }
    #expect(clock.unixSeconds == 1_795_000_000 + day)
    for _ in 0..<2 {
      wall.withLock { $0 += day + 60 }
      elapsed.withLock { $0 += day + 60 }
      clock.compare()
    }
    #expect(clock.unixSeconds == 1_795_000_000 + 5 * day + 120)
  }

  @Test func `a notification's id follows from the campaign and the token`() {
    let one = CampaignIdentity(campaign: "c1")
    let id = one.notification(to: [1, 2, 3])
    #expect(id == CampaignIdentity(campaign: "c1").notification(to: [1, 2, 3]))
    #expect(id != one.notification(to: [1, 2, 4]))
    #expect(one.owns(id) && !CampaignIdentity(campaign: "c2").owns(id))
    let text = id.text
    #expect(text == text.lowercased() && Array(text)[14] == "8" && "89ab".contains(Array(text)[19]))
  }
}
