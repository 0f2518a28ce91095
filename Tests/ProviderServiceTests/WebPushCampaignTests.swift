import BelfryProvider
import BelfryWire
import PushWire
import Storage
import Synchronization
import System
import TestSupport
import Testing

@testable import ProviderService

/// A Web Push client with scripted results, which records the messages.
private final class ScriptedWebPush: Sendable {
  typealias Script = @Sendable (String, Int) -> Result<WebPushOutcome, WebPushFailure>

  private let messages = Mutex<[(endpoint: String, content: [UInt8])]>([])
  private let script: Script

  init(_ script: @escaping Script) { self.script = script }

  var sent: [(endpoint: String, content: [UInt8])] { messages.withLock { $0 } }

  var sender: WebPushSender {
    WebPushSender { notification, subscription, done in
      let attempt = self.messages.withLock { messages in
        messages.append((subscription.endpoint, notification.content))
        return messages.count { $0.endpoint == subscription.endpoint }
      }
      done(self.script(subscription.endpoint, attempt))
    }
  }
}

private func refused(_ status: Int) -> Result<WebPushOutcome, WebPushFailure> {
  .success(.rejected(.init(status: status, reason: "Any", message: "any text")))
}

private let accepted: Result<WebPushOutcome, WebPushFailure> = .success(
  .accepted(.init(status: 201, messageURL: nil, ttlSeconds: nil)))

/// Tests of campaigns to Web Push subscriptions.
@Suite(.timeLimit(.minutes(60))) struct WebPushCampaignTests {
  private let test: TestRegistry

  init() throws { test = try TestRegistry() }

  private func register(_ names: [String], language: String? = nil) throws {
    for name in names {
      try test.register(
        TestSubscription.fields(
          "https://\(name).example.net/A", ["language": language.map { .string($0) } ?? .null]))
    }
  }

  private func campaign(_ fields: JSONObject = [:]) throws -> (CampaignRecord, CampaignDocument) {
    var object: JSONObject = [
      "topic": "com.example.app",
      "alert": [
        "en": ["title": "News", "body": "Hello"], "fr": ["title": "Infos", "body": "Salut"],
      ],
    ]
    object.merge(fields)
    let document = try CampaignDocument(object)
    let record = CampaignRecord(
      id: "c1", createdMilliseconds: 0, document: object.bytes, topic: document.topic,
      audience: .all, rate: nil)
    try test.store.addCampaign(record)
    let total = try test.store.tokenCount()
    return (try test.store.start(record, groups: [.any], total: total), document)
  }

  /// Runs a campaign until its thread ends, and returns its tallies.
  private func run(
    _ campaign: CampaignRecord, _ document: CampaignDocument, _ webPush: WebPushSender?,
    devices: @escaping PushService.Submit = { _, done in
      done(.success(.accepted(.init(id: "", uniqueID: nil))))
    }
  ) async throws -> [CampaignTally] {
    var resources = CampaignRunner.Resources(
      registry: test.registry,
      service: PushService(submit: devices, webPush: webPush, log: nil), log: .silent)
    resources.settleNanoseconds = 0
    let ready = resources
    let runner = Mutex<CampaignRunner?>(nil)
    await withCheckedContinuation { continuation in
      runner.withLock {
        $0 = CampaignRunner(campaign, document: document, resources: ready) {
          continuation.resume()
        }
      }
    }
    return try test.store.tallies(of: campaign.id)
  }

  private func lines(_ tallies: [CampaignTally], ofWebPush isWebPush: Bool = true) -> [String] {
    tallies.filter { $0.isWebPush == isWebPush }
      .map { "\($0.outcome.rawValue) \($0.reason) \($0.count)" }.sorted()
  }

  @Test func `one campaign reaches devices and subscriptions, each in its language`() async throws {
    try test.register(["deviceToken": "00ff", "language": "fr"])
    try register(["a"], language: "fr-CA")
    try register(["b"])
    let pushes = Mutex<[Push]>([])
    let web = ScriptedWebPush { _, _ in accepted }
    let (record, document) = try campaign(["payload": ["image-url": "https://a.b/c", "id": 7]])
    let tallies = try await run(record, document, web.sender) { push, done in
      pushes.withLock { $0.append(push) }
      done(.success(.accepted(.init(id: "", uniqueID: nil))))
    }
    #expect(lines(tallies) == ["accepted  1", "accepted  1"])
    #expect(lines(tallies, ofWebPush: false) == ["accepted  1"])
    #expect(pushes.withLock { $0.map(\.deviceToken) } == ["00ff"])
    let messages = try web.sent.map { ($0.endpoint, try JSONValue(parsing: $0.content)) }
    let byEndpoint = Dictionary(uniqueKeysWithValues: messages)
    #expect(
      byEndpoint["https://a.example.net/A"] == [
        "title": "Infos", "body": "Salut", "language": "fr", "image": "https://a.b/c",
        "data": ["id": 7],
      ])
    #expect(
      byEndpoint["https://b.example.net/A"] == [
        "title": "News", "body": "Hello", "language": "en", "image": "https://a.b/c",
        "data": ["id": 7],
      ])
  }

  @Test func `each answer has its outcome, and ended subscriptions leave the registry`()
    async throws
  {
    let statuses: [String: Int] = ["gone": 410, "missing": 404, "denied": 403, "moved": 302]
    try register(statuses.keys.sorted() + ["lost", "busy", "good"])
    let web = ScriptedWebPush { endpoint, attempt in
      let name = endpoint.dropFirst(8).prefix { $0 != "." }
      switch name {
      case "lost": return .failure(.failed(.timedOut(seconds: 15)))
      case "busy": return attempt == 1 ? refused(503) : accepted
      default: return statuses["\(name)"].map(refused) ?? accepted
      }
    }
    let (record, document) = try campaign()
    let tallies = try await run(record, document, web.sender)
    #expect(
      lines(tallies) == [
        "accepted  2", "dead status 404 1", "dead status 410 1", "failed status 302 1",
        "failed status 403 1", "unknown AnswerLost 1",
      ])
    let left = try test.lines().compactMap { $0["endpoint"]?.stringValue }
    #expect(left.count == 5 && !left.contains { $0.contains("gone") || $0.contains("missing") })
    // A message without an answer is not repeated.
    #expect(web.sent.count { $0.endpoint.contains("lost") } == 1)
    #expect(try test.store.campaign("c1")?.state == .completed)
  }

  @Test func `without a sender for Web Push, a campaign still reaches the devices`() async throws {
    try test.register(["deviceToken": "00ff"])
    try register(["a"])
    let (record, document) = try campaign()
    let tallies = try await run(record, document, nil)
    #expect(lines(tallies) == ["failed WebPushNotSupported 1"])
    #expect(lines(tallies, ofWebPush: false) == ["accepted  1"])
  }

  @Test func `a message has the lifetime, urgency and topic of the campaign`() throws {
    func message(_ fields: JSONObject) throws -> WebPushNotification {
      var object: JSONObject = ["topic": "a.b", "alert": ["en": ["body": "Hello"]]]
      object.merge(fields)
      return try CampaignDocument(object).webPushNotification(in: "en")
    }
    let plain = try message([:])
    #expect(plain.ttlSeconds == 2_419_200 && plain.urgency.rawValue == 3 && plain.topic == nil)
    let other = try message(["expiration": 60, "priority": 1, "collapseID": "news"])
    #expect(other.ttlSeconds == 60 && other.urgency.rawValue < 2 && other.topic == "news")
    #expect(try JSONValue(parsing: other.content).objectValue?["tag"] == "news")
    // A collapse ID can have characters that a topic cannot have, and Apple's service refuses some lengths.
    let long = try message(["collapseID": "news of the day"]).topic
    #expect(long?.utf8.count == 32)
    #expect(try message(["collapseID": "spike"]).topic?.utf8.count == 32)
    #expect(try message(["collapseID": "other news"]).topic != long)
  }

  @Test func `a message that no Web Push service accepts is a problem of its campaign`() throws {
    let text = String(repeating: "x", count: 4_000)
    let document = try CampaignDocument([
      "topic": "a.b", "alert": ["en": ["body": .string(text)]],
    ])
    func problems(isWebPush: Bool) -> [String?] {
      let share = AudienceShare(
        language: nil, timeZone: nil, environment: nil, isWebPush: isWebPush, count: 1)
      return AudienceCheck(document, [share], service: nil).problems.map(\.field)
    }
    #expect(problems(isWebPush: false).isEmpty)
    #expect(problems(isWebPush: true) == ["alert.en"])
  }

  @Test func `subscriptions have no environment, so a campaign for one environment reaches them`() {
    let shares = [
      AudienceShare(
        language: nil, timeZone: nil, environment: nil, isWebPush: true, count: 1),
      AudienceShare(language: nil, timeZone: nil, environment: "sandbox", count: 1),
    ]
    let document = try? CampaignDocument(["topic": "a.b", "alert": ["en": ["body": "Hello"]]])
    #expect(document.map { AudienceCheck($0, shares, service: .sandbox).warnings } == [])
  }
}
