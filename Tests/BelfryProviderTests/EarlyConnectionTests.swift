import Testing
import Transport

@testable import BelfryProvider

/// Tests of a connection that opens before the first push, to check that the service is available.
@Suite struct EarlyConnectionTests {
  private static let minute: Int64 = 60_000_000_000

  @Test func `one that its service ends unused makes the next push wait for nothing`() {
    var pool = ConnectionPool(size: 1)
    for round in 1...10 as ClosedRange<UInt64> {
      let number = ConnectionNumber(value: round)
      let connects = pool.connect(now: 0)
      let another = pool.connect(now: 0)
      let isWanted = pool.opened(number, limit: 1)
      let third = pool.connect(now: 0)
      let end = pool.ended(number, now: 0, jitter: 0)
      #expect(
        connects == number && another == nil && third == nil, "only one connection opens at a time")
      #expect(isWanted && end == .reconnect)
    }
    let next = pool.requestWaits(1, now: 0)
    #expect(next == .connect(ConnectionNumber(value: 11)))
  }

  @Test func `one that a push has used counts as every other`() {
    var pool = ConnectionPool(size: 1)
    let number = ConnectionNumber(value: 1)
    let connects = pool.connect(now: 0)
    _ = pool.opened(number, limit: 1)
    let action = pool.requestWaits(1, now: 0)
    _ = pool.ended(number, now: 0, jitter: 0)
    #expect(connects == number && action == .send(number))
    guard case .waitUntil(let moment) = pool.requestWaits(1, now: 0) else {
      Issue.record("the next request must wait after one that was cut off")
      return
    }
    let early = pool.connect(now: 0)
    let later = pool.connect(now: moment)
    #expect(
      early == nil && later == ConnectionNumber(value: 2), "the connection opens after the pause")
  }

  @Test func `one that cannot be made is tried again after growing pauses`() {
    var pool = ConnectionPool(size: 1)
    var now: Int64 = 0
    var attempts = 0
    while now < 10 * Self.minute {
      if let number = pool.connect(now: now) {
        attempts += 1
        _ = pool.ended(number, now: now, jitter: 0)
      }
      now += 1_000_000_000
    }
    #expect((20...60).contains(attempts), "\(attempts) attempts in ten minutes")
  }

  @Test func `the state says how the last connection stood`() async throws {
    let service = try FakeService { _, _ in .accept }
    let client = try service.client()
    #expect(client.connection == .idle)
    let outcome = try await client.send(
      Push(to: "00ff", topic: "com.example.app", payload: Array("{}".utf8)))
    guard case .accepted = outcome, case .connected = client.connection else {
      Issue.record("\(outcome) \(client.connection)")
      return
    }
  }
}
