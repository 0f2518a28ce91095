import Storage
import Synchronization
import Testing

@testable import Gateway

/// Tests of the relay's limits on the pushes of a sender.
@Suite struct RelayBudgetTests {
  private let carrier = FakeCarrier()
  private let clock = SettableClock()
  private let relay: AppRelay
  private let outcomes = Outcomes()
  private let store = FakeStore()

  /// The outcomes that the relay reported later, in order.
  private final class Outcomes: Sendable {
    private let all = Mutex<[RelayOutcome]>([])
    var list: [RelayOutcome] { all.withLock { $0 } }
    func add(_ outcome: RelayOutcome) { all.withLock { $0.append(outcome) } }
  }

  /// A store whose test decides when it answers.
  private final class FakeStore: Sendable {
    typealias Answer = @Sendable (BudgetRecord?) -> Void
    private let waiting = Mutex<[(count: DailyBudget<SenderBudget.Waiter>.Count, answer: Answer)]>(
      [])

    func add(_ count: DailyBudget<SenderBudget.Waiter>.Count, _ answer: @escaping Answer) {
      waiting.withLock { $0.append((count, answer)) }
    }

    /// Answers the oldest count with a row.
    func answer(_ row: BudgetRecord?) {
      let first = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      first?.answer(row)
    }

    var counts: [Int64] { waiting.withLock { $0.map(\.count.pushes) } }
  }

  init() {
    let clock = clock
    relay = AppRelay(
      topic: "com.example.app", access: .link(UpstreamLink(carrier)), now: { clock.now })
  }

  private func budget(_ record: BudgetRecord?) -> SenderBudget {
    SenderBudget(record) { [store] in store.add($0, $1) }
  }

  private func send(_ budget: SenderBudget, atSeconds now: Int64 = 86_390) -> RelayOutcome? {
    let push = UpstreamPush(token: "ab", topic: "com.example.app", payload: [], id: "i")
    return relay.send(push, within: budget, atUnixMilliseconds: now * 1_000) { [outcomes] in
      outcomes.add($0)
    }
  }

  @Test func `A push is sent after it is counted, and one over the daily limit is not sent`() {
    let budget = budget(BudgetRecord(key: "K", perDay: 2, used: 1))
    #expect(send(budget) == nil)
    #expect(carrier.waiting.isEmpty && store.counts == [1])
    #expect(send(budget) == .overBudget(retryAfterSeconds: 10), "the day ends in ten seconds")
    store.answer(BudgetRecord(key: "K", perDay: 2, used: 2))
    #expect(carrier.waiting.count == 1 && outcomes.list.isEmpty)
    #expect(send(budget, atSeconds: 86_400) == nil, "a new day has begun")
    #expect(store.counts == [1])
  }

  @Test func `A push is not sent if the store cannot count it`() {
    let budget = budget(BudgetRecord(key: "K", perDay: 2))
    #expect(send(budget) == nil)
    store.answer(nil)
    #expect(outcomes.list == [.uncounted] && carrier.waiting.isEmpty)
    #expect(send(self.budget(nil)) == .uncounted, "the row is damaged, so its limits are unknown")
  }

  @Test func `A push that cannot be sent is not counted`() {
    carrier.state = .failed(reason: "refused")
    #expect(
      send(budget(BudgetRecord(key: "K", perDay: 2))) == .unreachable(reason: "refused"))
    #expect(store.counts.isEmpty)
  }

  @Test func `Only the given number of pushes is sent in a second`() {
    let budget = budget(BudgetRecord(key: "K", perSecond: 2))
    #expect(send(budget) == nil && send(budget) == nil)
    #expect(send(budget) == .overBudget(retryAfterSeconds: 1))
    #expect(carrier.waiting.count == 2 && store.counts.isEmpty)
    clock.now += 1_000_000_000
    #expect(send(budget) == nil)
  }
}
