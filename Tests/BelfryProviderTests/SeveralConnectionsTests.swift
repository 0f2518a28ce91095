import PushWire
import Foundation
import Testing
import Transport

@testable import BelfryProvider

private struct Constant: RandomNumberGenerator {
  func next() -> UInt64 { 0 }
}

private func request(_ value: UInt64) -> RequestNumber { RequestNumber(value: value) }
private func connection(_ value: UInt64) -> ConnectionNumber { ConnectionNumber(value: value) }
private let accepted = PushOutcome.accepted(.init(id: "A", uniqueID: nil))

/// Tests of the state machine of a client with several connections.
@Suite struct SeveralConnectionsTests {
  /// Returns a session in which every connection has this limit.
  private func openSession(_ connections: UInt64, limit: Int) -> ClientSession {
    var session = ClientSession(
      policy: RetryPolicy(), endpoint: "localhost:2197", connections: Int(connections),
      random: Constant())
    session.connect(now: 0)
    #expect(session.steps() == (1...connections).map { .connect(connection($0)) })
    for number in 1...connections { session.opened(connection(number), limit: limit) }
    return session
  }

  @Test func `one push makes one connection, and more pushes as many as they need`() {
    var session = ClientSession(
      policy: RetryPolicy(), endpoint: "localhost:2197", connections: 4, random: Constant())
    session.submit(request(1), now: 0)
    #expect(session.steps() == [.connect(connection(1))])
    session.opened(connection(1), limit: 1)
    #expect(session.steps() == [.send(request(1), on: connection(1))])
    for number in 2...10 as ClosedRange<UInt64> { session.submit(request(number), now: 0) }
    #expect(
      session.steps()
        == [.connect(connection(2)), .connect(connection(3)), .connect(connection(4))],
      "at most four connections are opened")
  }

  @Test func `a push goes where the smallest share of the limit is in use`() {
    var session = openSession(2, limit: 10)
    session.limited(connection(1), to: 3)
    for number in 1...9 as ClosedRange<UInt64> { session.submit(request(number), now: 0) }
    var sent: [ConnectionNumber: Int] = [:]
    for step in session.steps() {
      if case .send(_, let connection) = step { sent[connection, default: 0] += 1 }
    }
    #expect(
      sent == [connection(1): 2, connection(2): 7], "requests are divided by the limits of 3 and 10"
    )
  }

  @Test func `a lost connection blocks no requests and is reopened after growing pauses`() {
    var session = openSession(2, limit: 1)
    for number in 1...2 as ClosedRange<UInt64> { session.submit(request(number), now: 0) }
    #expect(session.steps().count == 2)
    for number in 1...2 as ClosedRange<UInt64> {
      _ = session.answered(request(number), accepted, renewsTokens: true, now: 0)
    }
    for number in 3...5 as ClosedRange<UInt64> { session.submit(request(number), now: 0) }
    #expect(session.steps().count == 2)
    session.ended(connection(1), reason: "reset", now: 0)
    #expect(session.steps() == [.connect(connection(3))])
    _ = session.answered(request(4), accepted, renewsTokens: true, now: 0)
    #expect(
      session.steps() == [.send(request(3), on: connection(2))],
      "the request that was cut off is sent first")
    session.ended(connection(3), reason: "refused", now: 0)
    var pauses: [Int64] = []
    var now: Int64 = 0
    for _ in 1...5 {
      var attempt: ConnectionNumber?
      while attempt == nil {
        switch session.next(now: now) {
        case .connect(let number): attempt = number
        case .wait(let until):
          guard let until else { break }
          pauses.append(until - now)
          now = until
        case let other:
          Issue.record("\(other)")
          return
        }
      }
      if let attempt { session.ended(attempt, reason: "refused", now: now) }
      session.checkInvariants()
    }
    #expect(pauses == pauses.sorted() && Set(pauses).count > 2, "\(pauses)")
    let after = session.answered(request(3), accepted, renewsTokens: true, now: now)
    #expect(after == .deliver, "no request fails while another connection is open")
    #expect(session.next(now: now) == .send(request(5), on: connection(2)))
  }

  @Test func `a service that is down is tried three times, not three times a connection`() {
    var session = ClientSession(
      policy: RetryPolicy(), endpoint: "localhost:2197", connections: 4, random: Constant())
    for number in 1...8 as ClosedRange<UInt64> { session.submit(request(number), now: 0) }
    var now: Int64 = 0
    var attempts = 0
    var rounds: Set<Int64> = []
    var failed = 0
    while failed == 0 {
      var made: [ConnectionNumber] = []
      var due: Int64?
      rest: while true {
        switch session.next(now: now) {
        case .connect(let number): made.append(number)
        case .fail: failed += 1
        case .wait(let until):
          due = until
          break rest
        case let other:
          Issue.record("\(other)")
          return
        }
      }
      if !made.isEmpty { rounds.insert(now) }
      attempts += made.count
      for number in made { session.ended(number, reason: "refused", now: now) }
      if made.isEmpty, let due { now = due }
    }
    #expect(failed == 8 && rounds.count == 3 && attempts == 12)
  }

  @Test func `a refused provider token leaves every connection that has sent it, once`() {
    var session = openSession(3, limit: 2)
    for number in 1...3 as ClosedRange<UInt64> { session.submit(request(number), now: 0) }
    #expect(session.steps().count == 3)
    let expired = PushOutcome.rejected(
      .init(
        status: Rejection.expiredProviderToken.status,
        reason: Rejection.expiredProviderToken.reason, timestampMilliseconds: nil, id: ""))
    let first = session.answered(request(1), expired, renewsTokens: true, now: 0)
    #expect(first == .retryWithNewToken)
    let after = session.steps()
    #expect(after.contains(.connect(connection(4))) && after.contains(.close(connection(1))))
    #expect(!after.contains(.close(connection(2))), "the connection still owes an answer")
    session.opened(connection(4), limit: 10)
    #expect(session.steps() == [.send(request(1), on: connection(4))])
    let second = session.answered(request(2), expired, renewsTokens: true, now: 0)
    #expect(second == .retryWithNewToken)
    #expect(
      session.steps() == [.close(connection(2)), .send(request(2), on: connection(4))],
      "the new connection stays open")
  }
}

/// Tests of a client with several connections, and of several clients on one thread, connected to a service.
@Suite(.timeLimit(.minutes(60))) struct SeveralConnectionsClientTests {
  private func pushes(_ count: Int) -> [Push] {
    (0..<count).map { number in
      Push(to: String(number + 1_000), topic: "com.example.app", payload: Array("{}".utf8))
    }
  }

  @Test func `pushes spread over the connections, and each is answered once`() async throws {
    let service = try FakeService { _, _ in .accept }
    let client = try service.client(connections: 4)
    var tokens: [String] = []
    for try await one in client.send(pushes(4_000)) {
      guard case .success(.accepted) = one.result else {
        Issue.record("\(one.result)")
        return
      }
      tokens.append(one.push.deviceToken)
    }
    #expect(tokens.count == 4_000 && Set(tokens).count == 4_000)
    #expect(service.requests.count == 4_000)
    let used = Set(service.requests.map(\.connection))
    #expect(used.count > 1 && used.isSubset(of: [1, 2, 3, 4]))
    guard case .connected = client.connection else {
      Issue.record("\(client.connection)")
      return
    }
  }

  /// Sends pushes while GOAWAY frames, cut connections, and refused streams occur repeatedly on different connections.
  @Test func `faults on some connections lose nothing and change no identity`() async throws {
    let service = try FakeService { request, index in
      switch index % 97 {
      case 31: .goAwayUnprocessed
      case 63: .cut
      case 81: .reset(HTTP2ErrorCode.refusedStream)
      default: .accept
      }
    }
    let client = try service.client(
      policy: RetryPolicy(attemptsMax: 100, timeoutNanoseconds: 600_000_000_000),
      connections: 3)
    var accepted: [String: String] = [:]
    for try await one in client.send(pushes(1_000), window: 60) {
      guard case .success(.accepted(let receipt)) = one.result else {
        Issue.record("\(one.result)")
        return
      }
      #expect(accepted.updateValue(receipt.id, forKey: one.push.deviceToken) == nil)
    }
    #expect(accepted.count == 1_000)
    for request in service.requests {
      #expect(
        request.fields["apns-id"] == accepted[request.token], "a request is resent with the same ID"
      )
    }
  }

  @Test func `the default window grows with the connections`() throws {
    let service = try FakeService { _, _ in .accept }
    #expect(try service.client(connections: 1).defaultWindow == 2_000)
    #expect(try service.client(connections: 4).defaultWindow == 8_000)
    #expect(try service.client(connections: 0).defaultWindow == 2_000)
    #expect(try service.client(connections: 1_000).defaultWindow == 64_000)
  }

  @Test func `clients of a group share its thread, and one that closes leaves the others`()
    async throws
  {
    let service = try FakeService { _, _ in .accept }
    let group = try ProviderClientGroup(name: "provider-shared")
    let clients = try (0..<50).map { _ in
      try service.client(connections: 2, group: group)
    }
    for (index, client) in clients.enumerated() {
      let outcome = try await client.send(pushes(1)[0])
      guard case .accepted = outcome else {
        Issue.record("\(outcome)")
        return
      }
      if index % 2 == 0 { client.close() }
    }
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    let names = tasks.compactMap {
      try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
    }
    #expect(names.count { $0 == "provider-shared\n" } == 1)
    #expect(Set(service.requests.compactMap { $0.fields["authorization"] }).count == 50)
    for (index, client) in clients.enumerated() {
      let failure: ProviderFailure?
      do throws(ProviderFailure) {
        _ = try await client.send(pushes(1)[0])
        failure = nil
      } catch {
        failure = error
      }
      #expect(failure == (index % 2 == 0 ? .closed : nil))
    }
  }
}
