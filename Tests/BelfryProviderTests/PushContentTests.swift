import BelfryWire
import Foundation
import Testing

@testable import BelfryProvider

private func text(_ content: PushContent) throws -> String {
  String(decoding: try content.payload(), as: UTF8.self)
}

private func fault(_ body: () throws -> Void) -> PushFault? {
  do {
    try body()
    return nil
  } catch {
    return error as? PushFault
  }
}

@Suite struct PushContentTests {
  @Test func `an alert has the members that its fields name`() throws {
    var alert = AlertContent(
      title: "Lunch", subtitle: .key("WITH", arguments: ["Ann"]), body: .key("SOON"), badge: 3,
      sound: .critical(volume: 0.5), category: "MEAL", threadID: "t", custom: ["order": 7])
    alert.interruptionLevel = .timeSensitive
    alert.relevanceScore = 0.25
    alert.isMutable = true
    #expect(
      try text(.alert(alert))
        == #"{"aps":{"alert":{"title":"Lunch","subtitle-loc-key":"WITH","#
        + #""subtitle-loc-args":["Ann"],"loc-key":"SOON"},"badge":3,"#
        + #""sound":{"critical":1,"name":"default","volume":0.5},"thread-id":"t","#
        + #""category":"MEAL","mutable-content":1,"interruption-level":"time-sensitive","#
        + #""relevance-score":0.25},"order":7}"#)
  }

  @Test func `each type has its payload, its topic and its priority`() throws {
    struct Score: Encodable { var home = 1 }
    let state = try JSONObject(encoding: Score())
    let moment = Date(timeIntervalSince1970: 1_000)
    let activity = LiveActivityContent(
      .end(dismissal: Date(timeIntervalSince1970: 2_000)), state: state, timestamp: moment)
    let expected: [(PushContent, topic: String, payload: String)] = [
      (.background(custom: ["x": 1]), "a.b", #"{"aps":{"content-available":1},"x":1}"#),
      (
        .liveActivity(activity), "a.b.push-type.liveactivity",
        #"{"aps":{"timestamp":1000,"content-state":{"home":1},"event":"end","dismissal-date":2000}}"#
      ),
      (.voip(custom: ["call": "c"]), "a.b.voip", #"{"aps":{},"call":"c"}"#),
      (.complication(custom: [:]), "a.b.complication", #"{"aps":{}}"#),
      (
        .fileProvider(container: "c", domain: "d"), "a.b.pushkit.fileprovider",
        #"{"container-identifier":"c","domain":"d"}"#
      ),
      (.mdm(pushMagic: "m"), "a.b", #"{"mdm":"m"}"#),
      (.location(), "a.b.location-query", #"{"aps":{}}"#),
      (.pushToTalk(custom: ["who": "Ann"]), "a.b.voip-ptt", #"{"aps":{},"who":"Ann"}"#),
      (.widgets, "a.b.push-type.widgets", #"{"aps":{"content-changed":true}}"#),
      (.controls, "a.b.push-type.controls", #"{"aps":{"content-changed":true}}"#),
    ]
    for (content, topic, payload) in expected {
      let push = try Push(content, to: "00ff", app: "a.b")
      #expect(push.topic == topic && push.type == content.type)
      #expect(String(decoding: push.payload, as: UTF8.self) == payload)
      #expect(push.priority == (content.type == .background ? 5 : nil))
    }
  }

  @Test func `a push that the service would refuse cannot be created`() throws {
    let alert = PushContent.alert(AlertContent(body: "b"))
    func push(
      _ content: PushContent = .alert(AlertContent(body: "b")), to token: String = "00ff",
      app: String = "a.b", priority: Push.Priority? = nil, collapseID: String? = nil,
      id: String? = nil
    ) -> PushFault? {
      fault {
        _ = try Push(
          content, to: token, app: app, priority: priority, collapseID: collapseID, id: id)
      }
    }
    #expect(push() == nil)
    #expect(push(to: "xyz") == .badToken)
    #expect(push(to: "") == .badToken)
    #expect(push(app: "a b") == .badApp("a b"))
    #expect(
      push(.background(), priority: .immediate) == .badPriority(.immediate, type: "background"))
    #expect(push(alert, collapseID: String(repeating: "é", count: 33)) == .badCollapseID)
    #expect(push(alert, collapseID: String(repeating: "é", count: 32)) == nil)
    #expect(push(alert, id: "1") == .badID("1"))
    let long = String(repeating: "x", count: 5_000)
    #expect(
      push(.alert(AlertContent(body: .text(long))))
        == .payloadTooLarge(bytes: 5_029, limit: 4_096))
    #expect(push(.voip(custom: ["x": .string(long)])) == nil)
    #expect(push(.background(custom: ["aps": 1])) == .reservedMember("aps"))
    let values: [AlertContent] = [
      AlertContent(), AlertContent(body: "b", badge: -1),
      AlertContent(body: "b", sound: .critical(volume: 2)),
      AlertContent(body: "b", sound: .named("")),
    ]
    for value in values {
      guard case .badValue? = push(.alert(value)) else {
        Issue.record("\(value)")
        continue
      }
    }
    #expect(fault { _ = try JSONObject(encoding: [1, 2]) } != nil)
  }

  @Test func `moments and durations become the service's numbers`() {
    #expect(Push.Expiration.at(Date(timeIntervalSince1970: 1_000.9)) == .until(unixSeconds: 1_000))
    #expect(Push.Expiration.at(Date(timeIntervalSince1970: -5)) == .once)
    let policy = RetryPolicy(longestPause: .milliseconds(1_500), timeout: .seconds(60))
    #expect(policy.longestPauseNanoseconds == 1_500_000_000)
    #expect(policy.timeoutNanoseconds == 60_000_000_000)
  }

  @Test func `only 410 says that a token is dead`() {
    func verdict(_ status: Int, _ reason: String) -> PushOutcome.Refusal.TokenVerdict {
      PushOutcome.Refusal(status: status, reason: reason, timestampMilliseconds: 7, id: "")
        .tokenVerdict
    }
    #expect(verdict(410, "Unregistered") == .dead(sinceMilliseconds: 7))
    #expect(verdict(410, "ExpiredToken") == .dead(sinceMilliseconds: 7))
    #expect(verdict(400, "BadDeviceToken") == .doubtful)
    #expect(verdict(400, "DeviceTokenNotForTopic") == .doubtful)
    #expect(verdict(413, "PayloadTooLarge") == .unaffected)
  }

  @Test func `a pause that the service asks for is kept, within the policy`() {
    func decision(_ status: Int, _ reason: String, after seconds: Int64?) -> RetryDecision {
      RetryDecision(
        .rejected(
          .init(
            status: status, reason: reason, timestampMilliseconds: nil, id: "",
            retryAfterSeconds: seconds)), attempts: 1, policy: RetryPolicy(), jitter: 0,
        renewsTokens: false)
    }
    #expect(decision(503, "ServiceUnavailable", after: nil) == .final)
    #expect(
      decision(503, "ServiceUnavailable", after: 5) == .retry(afterNanoseconds: 5_000_000_000))
    #expect(decision(503, "ServiceUnavailable", after: 900) == .final)
    #expect(decision(429, "TooManyRequests", after: 7) == .retry(afterNanoseconds: 7_000_000_000))
    #expect(decision(429, "TooManyRequests", after: 900) == .final)
    #expect(decision(400, "BadDeviceToken", after: 5) == .final)
    guard case .retry(let pause) = decision(429, "TooManyRequests", after: nil) else {
      Issue.record("the push must be retried")
      return
    }
    #expect(pause <= 1_000_000_000)
  }
}
