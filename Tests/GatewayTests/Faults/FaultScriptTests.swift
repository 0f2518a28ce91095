import PushWire
@testable import Gateway
import TestSupport
import Testing

@Suite struct FaultScriptTests {
  private let token: [UInt8] = Array(repeating: 1, count: 32)
  private let other: [UInt8] = Array(repeating: 2, count: 32)
  private let topic = Array("com.example.app".utf8)
  private let now: Int64 = 1_700_000_000_000

  private func effects(_ rules: [FaultRule], token: [UInt8]? = nil) -> FaultScript.Effects {
    let token = token ?? self.token
    return FaultScript(rules).effects(
      token: token.span, topic: topic.span, .request(3, hasSentGoAway: false))
  }

  private func answer(
    _ rules: [FaultRule], token: [UInt8]? = nil, random: inout SeededGenerator
  ) -> FaultScript.Answer? {
    let token = token ?? self.token
    return FaultScript(rules).answer(
      token: token.span, topic: topic.span, at: now, random: &random)
  }

  private func reason(
    _ rejection: Rejection, since: Int64? = nil, share: Double = 1
  ) -> FaultRule.Effect { .answer(rejection, timestampMilliseconds: since, share: share) }

  @Test func `of each kind the first rule wins, and kinds go together`() {
    let rules = [
      FaultRule(effect: .delay(milliseconds: 5)), FaultRule(effect: .streams(1)),
      FaultRule(effect: .delay(milliseconds: 9)), FaultRule(effect: .window(bytes: 0)),
      FaultRule(effect: .goAway(afterRequests: 3)),
    ]
    var wanted = FaultScript.Effects()
    wanted.delayMilliseconds = 5
    wanted.streams = 1
    wanted.window = 0
    wanted.goesAway = true
    #expect(effects(rules) == wanted)
    #expect(effects([FaultRule(effect: .close)]).closes)
    #expect(!effects([FaultRule(effect: .goAway(afterRequests: 4))]).goesAway)
  }

  @Test func `A rule with a limit ends after that many requests, and the next one takes over`() {
    var random = SeededGenerator(seed: 1)
    let registry = FaultRegistry([
      ScriptedFault(id: 1, FaultRule(effect: reason(.tooManyRequests), times: 2)),
      ScriptedFault(id: 2, FaultRule(effect: reason(.serviceUnavailable), times: 3), used: 2),
      ScriptedFault(id: 3, FaultRule(effect: .delay(milliseconds: 5), times: 1)),
      ScriptedFault(id: 4, FaultRule(effect: .goAway(afterRequests: 2), times: 1)),
    ])
    let script = registry.script
    let reasons = (0..<4).map { _ in
      script.answer(token: token.span, topic: topic.span, at: now, random: &random)?.rejection
    }
    #expect(reasons == [.tooManyRequests, .tooManyRequests, .serviceUnavailable, nil])
    #expect(registry.all.map(\.id) == [3, 4])
    func effects(_ occasion: FaultScript.Occasion) -> FaultScript.Effects {
      script.effects(token: token.span, topic: topic.span, occasion)
    }
    #expect(effects(.request(1, hasSentGoAway: false)).delayMilliseconds == 5)
    #expect(effects(.request(1, hasSentGoAway: false)) == FaultScript.Effects())
    #expect(effects(.request(2, hasSentGoAway: true)) == FaultScript.Effects())
    #expect(registry.all.map(\.id) == [4])
    #expect(effects(.request(2, hasSentGoAway: false)).goesAway)
    #expect(!effects(.request(2, hasSentGoAway: false)).goesAway)
    #expect(!registry.isActive)
  }

  @Test func `Loops together do not use a rule more often than its limit`() async {
    let fault = ScriptedFault(id: 1, FaultRule(effect: .close, times: 1_000))
    let uses = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var uses = 0
          for _ in 0..<500 where fault.use() { uses += 1 }
          return uses
        }
      }
      return await group.reduce(0, +)
    }
    #expect(uses == 1_000 && fault.remaining == 0)
  }

  @Test func `a rule for a token or a topic does not affect others`() {
    var random = SeededGenerator(seed: 1)
    let rules = [
      FaultRule(token: token, effect: reason(.unregistered, since: 1_700_000_000_123)),
      FaultRule(topic: "com.example.other", effect: .close),
    ]
    #expect(
      answer(rules, random: &random)
        == .init(rejection: .unregistered, timestampMilliseconds: 1_700_000_000_123))
    #expect(answer(rules, token: other, random: &random) == nil)
    #expect(effects(rules) == FaultScript.Effects())
  }

  @Test func `only a 410 answer has a timestamp, by default the current time`() {
    var random = SeededGenerator(seed: 1)
    let gone = answer([FaultRule(effect: reason(.expiredToken))], random: &random)
    #expect(gone?.timestampMilliseconds == now)
    let rule = FaultRule(effect: reason(.internalServerError, since: 1))
    #expect(answer([rule], random: &random)?.timestampMilliseconds == nil)
  }

  @Test func `a share of the requests is about that share`() {
    var random = SeededGenerator(seed: 7)
    let rules = [
      FaultRule(effect: reason(.tooManyRequests, share: 0.25)),
      FaultRule(effect: reason(.serviceUnavailable, share: 0.5)),
    ]
    var counts: [Rejection?: Int] = [:]
    for _ in 0..<10_000 { counts[answer(rules, random: &random)?.rejection, default: 0] += 1 }
    #expect((2_300...2_700).contains(counts[.tooManyRequests] ?? 0))
    #expect((3_500...4_000).contains(counts[.serviceUnavailable] ?? 0))
    #expect(answer([FaultRule(effect: reason(.forbidden, share: 0))], random: &random) == nil)
  }
}

extension FaultScript {
  /// Creates a script in which every rule has the ID 1, because the tests do not use the IDs.
  fileprivate init(_ rules: [FaultRule]) {
    self.init(rules.map { ScriptedFault(id: 1, $0) })
  }
}
