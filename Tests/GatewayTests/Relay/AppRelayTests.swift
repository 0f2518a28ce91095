import PushWire
import Synchronization
import Testing

@testable import Gateway

@Suite struct AppRelayTests {
  private let carrier = FakeCarrier()
  private let clock = SettableClock()
  private let relay: AppRelay
  private let outcomes = Outcomes()

  /// The outcomes that the relay reported, in order.
  private final class Outcomes: Sendable {
    private let all = Mutex<[RelayOutcome]>([])
    var list: [RelayOutcome] { all.withLock { $0 } }
    func add(_ outcome: RelayOutcome) { all.withLock { $0.append(outcome) } }
  }

  init() {
    let clock = clock
    relay = AppRelay(
      topic: "com.example.app", access: .link(UpstreamLink(carrier)), now: { clock.now })
  }

  private func send() -> RelayOutcome? {
    let push = UpstreamPush(token: "ab", topic: "com.example.app", payload: [], id: "i")
    return relay.send(push) { [outcomes] in outcomes.add($0) }
  }

  private static func answer(_ status: Int, _ reason: String = "") -> UpstreamAnswer {
    UpstreamAnswer(status: status, reason: reason, id: "i")
  }

  /// Each result of a carrier, and the outcome that follows from it.
  private static let results: [(UpstreamResult, RelayOutcome)] = {
    var results: [(UpstreamResult, RelayOutcome)] = []
    for (status, reason) in passed {
      let answer = answer(status, reason)
      results.append((UpstreamResult.answered(answer), RelayOutcome.answered(answer)))
    }
    for (status, reason) in withheld {
      let answer = answer(status, reason)
      results.append((UpstreamResult.answered(answer), RelayOutcome.withheld(answer)))
    }
    for status in [201, 302, 502] {
      let reason = "the upstream answered with status \(status) and no reason"
      results.append(
        (UpstreamResult.answered(answer(status)), RelayOutcome.unknown(reason: reason)))
    }
    results.append(
      (UpstreamResult.unreachable(reason: "x"), RelayOutcome.unreachable(reason: "x")))
    results.append((UpstreamResult.unknown(reason: "x"), RelayOutcome.unknown(reason: "x")))
    return results
  }()

  private static let passed: [(Int, String)] = [
    (200, ""), (400, "BadDeviceToken"), (410, "Unregistered"), (429, "TooManyRequests"),
    (400, "SomethingNew"), (503, "Shutdown"),
  ]

  private static let withheld: [(Int, String)] = [
    (403, "InvalidProviderToken"), (403, "ExpiredProviderToken"), (403, "SomethingNew"),
    (429, "TooManyProviderTokenUpdates"),
  ]

  @Test(arguments: results)
  func `Only answers about the push itself reach the sender`(
    result: UpstreamResult, outcome: RelayOutcome
  ) {
    #expect(send() == nil)
    carrier.answer(result)
    #expect(outcomes.list == [outcome])
    #expect(relay.unansweredCount == 0)
  }

  @Test func `An upstream that answers nothing has a bounded number of pushes`() {
    for _ in 0..<Limits.relayUnansweredMax { #expect(send() == nil) }
    #expect(send() == .busy)
    #expect(carrier.waiting.count == Limits.relayUnansweredMax)
    carrier.answer(.answered(Self.answer(200)))
    #expect(send() == nil, "an answer makes room for one push")
    #expect(send() == .busy)
  }

  @Test
  func `While the upstream cannot be reached, a push fails at once and asks for a connection`() {
    carrier.state = .failed(reason: "refused")
    #expect(send() == .unreachable(reason: "refused"))
    #expect(carrier.connects == 1 && carrier.waiting.isEmpty)
    carrier.state = .connected
    #expect(send() == nil)
  }

  @Test func `After a refusal of the credentials, nothing is sent for ten seconds`() {
    #expect(send() == nil)
    carrier.answer(.answered(Self.answer(403, "InvalidProviderToken")))
    #expect(send() == .unreachable(reason: "the upstream has refused the publisher's credentials"))
    clock.now += Limits.relayPauseNanoseconds
    #expect(send() == nil)
  }

  @Test func `A problem is logged at once, and then once per minute for each kind`() {
    let refused = RelayOutcome.withheld(Self.answer(403, "InvalidProviderToken"))
    #expect(relay.problemToLog(refused)?.why == "403 InvalidProviderToken")
    #expect(relay.problemToLog(refused) == nil)
    #expect(relay.problemToLog(.unreachable(reason: "x"))?.kind == .unreachable)
    #expect(relay.problemToLog(.answered(Self.answer(410, "Unregistered"))) == nil)
    #expect(relay.problemToLog(.answered(Self.answer(400, "TopicDisallowed"))) == nil)
    clock.now += Limits.relayAlarmNanoseconds
    #expect(relay.problemToLog(.answered(Self.answer(400, "TopicDisallowed"))) != nil)
  }

  @Test func `A removed upstream gets no further pushes, but its answers still arrive`() {
    #expect(send() == nil)
    relay.withdraw()
    #expect(send() == .unreachable(reason: "the upstream was removed"))
    carrier.answer(.answered(Self.answer(200)))
    #expect(outcomes.list == [.answered(Self.answer(200))])
  }
}
