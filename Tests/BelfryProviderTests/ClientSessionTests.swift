import PushWire
import Testing

@testable import BelfryProvider

private let second: Int64 = 1_000_000_000

/// A generator that always returns the same number, so that pauses are predictable.
private struct Constant: RandomNumberGenerator {
  func next() -> UInt64 { 0 }
}

private func session(
  _ policy: RetryPolicy = RetryPolicy(), connections: Int = 1
) -> ClientSession {
  ClientSession(
    policy: policy, endpoint: "localhost:2197", connections: connections, random: Constant())
}

private func request(_ value: UInt64) -> RequestNumber { RequestNumber(value: value) }
private func connection(_ value: UInt64) -> ConnectionNumber { ConnectionNumber(value: value) }

private let accepted = PushOutcome.accepted(.init(id: "A", uniqueID: nil))
private func refused(_ rejection: Rejection) -> PushOutcome {
  .rejected(
    .init(status: rejection.status, reason: rejection.reason, timestampMilliseconds: nil, id: ""))
}

/// Returns a session whose first connection accepts `limit` concurrent requests.
private func openSession(
  _ policy: RetryPolicy = RetryPolicy(), limit: Int, requests: ClosedRange<UInt64>
) -> ClientSession {
  var session = session(policy)
  for number in requests { session.submit(request(number), now: 0) }
  #expect(session.steps(now: 0) == [.connect(connection(1))])
  session.opened(connection(1), limit: limit)
  return session
}

@Test
func `requests wait for the connection and go one at a time until the service raises the limit`() {
  var session = session()
  for number in 1...3 { session.submit(request(UInt64(number)), now: 0) }
  #expect(session.steps(now: 0) == [.connect(connection(1))])
  session.opened(connection(1), limit: 1)
  #expect(session.steps(now: 0) == [.send(request(1), on: connection(1))])
  let after = session.answered(request(1), accepted, renewsTokens: true, now: 0)
  #expect(after == .deliver)
  session.limited(connection(1), to: 1_000)
  #expect(
    session.steps(now: 0) == [
      .send(request(2), on: connection(1)), .send(request(3), on: connection(1)),
    ])
}

@Test func `a lowered limit holds back until enough are answered`() {
  var session = openSession(limit: 3, requests: 1...4)
  #expect(session.steps(now: 0).count == 3)
  session.limited(connection(1), to: 1)
  _ = session.answered(request(1), accepted, renewsTokens: true, now: 0)
  _ = session.answered(request(2), accepted, renewsTokens: true, now: 0)
  #expect(session.steps(now: 0).isEmpty)
  _ = session.answered(request(3), accepted, renewsTokens: true, now: 0)
  #expect(session.steps(now: 0) == [.send(request(4), on: connection(1))])
}

@Test func `a refusal that will be refused again goes to the sender`() {
  var session = openSession(limit: 10, requests: 1...1)
  _ = session.steps(now: 0)
  let after = session.answered(
    request(1), refused(.badDeviceToken), renewsTokens: true, now: 0)
  #expect(after == .deliver)
  #expect(session.steps(now: 0).isEmpty)
}

@Test func `too many requests is tried again after a pause that doubles`() {
  var session = openSession(limit: 10, requests: 1...1)
  _ = session.steps(now: 0)
  let first = session.answered(
    request(1), refused(.tooManyRequests), renewsTokens: true, now: 0)
  #expect(first == .retry)
  #expect(session.next(now: 0) == .wait(until: second / 2))
  #expect(session.next(now: second / 2) == .send(request(1), on: connection(1)))
  _ = session.answered(
    request(1), refused(.tooManyRequests), renewsTokens: true, now: second)
  #expect(session.next(now: second) == .wait(until: 2 * second))
  #expect(session.next(now: 2 * second) == .send(request(1), on: connection(1)))
  let last = session.answered(
    request(1), refused(.tooManyRequests), renewsTokens: true, now: 3 * second)
  #expect(last == .deliver, "there are at most three attempts")
}

@Test func `an expired provider token makes another connection with a new token`() {
  var session = openSession(limit: 10, requests: 1...2)
  _ = session.steps(now: 0)
  let after = session.answered(
    request(1), refused(.expiredProviderToken), renewsTokens: true, now: 0)
  #expect(after == .retryWithNewToken)
  #expect(session.steps(now: 0) == [.connect(connection(2))])
  session.opened(connection(2), limit: 1)
  #expect(session.steps(now: 0) == [.send(request(1), on: connection(2))])
  // The first connection is closed once no answers are outstanding.
  _ = session.answered(request(2), accepted, renewsTokens: true, now: 0)
  #expect(session.steps(now: 0) == [.close(connection(1))])
}

@Test func `A client that sends no refused push again delivers each response`() {
  var policy = RetryPolicy()
  policy.resendsRefused = false
  for reason in [Rejection.tooManyRequests, .serviceUnavailable, .badDeviceToken] {
    var session = openSession(policy, limit: 10, requests: 1...1)
    _ = session.steps(now: 0)
    let action = session.answered(request(1), refused(reason), renewsTokens: true, now: 0)
    #expect(action == .deliver, "\(reason)")
    #expect(session.steps(now: 0).isEmpty, "the connection is kept after \(reason)")
  }
  // After an expired token, the next request gets a new token on another connection.
  var session = openSession(policy, limit: 10, requests: 1...1)
  _ = session.steps(now: 0)
  let action = session.answered(
    request(1), refused(.expiredProviderToken), renewsTokens: true, now: 0)
  #expect(action == .deliverAndRenewToken)
  #expect(session.steps(now: 0) == [.close(connection(1))])
  session.submit(request(2), now: 0)
  #expect(session.steps(now: 0) == [.connect(connection(2))])
  session.checkInvariants()
}

@Test func `A client with one connection attempt fails the waiting pushes after the first failure`()
{
  var policy = RetryPolicy()
  policy.connectionAttemptsMax = 1
  var session = session(policy)
  session.submit(request(1), now: 0)
  #expect(session.steps(now: 0) == [.connect(connection(1))])
  session.ended(connection(1), reason: "refused", now: 0)
  guard case .fail(request(1), .unreachable)? = session.steps(now: 0).first else {
    Issue.record("the push still waits for a connection")
    return
  }
}

@Test func `a certificate cannot be renewed so its refusal goes to the sender`() {
  var session = openSession(limit: 10, requests: 1...1)
  _ = session.steps(now: 0)
  let after = session.answered(
    request(1), refused(.expiredProviderToken), renewsTokens: false, now: 0)
  #expect(after == .deliver)
}

@Test
func `requests that a departing service did not process are sent in order on another connection`() {
  var session = openSession(limit: 10, requests: 1...4)
  _ = session.steps(now: 0)
  _ = session.answered(request(1), accepted, renewsTokens: true, now: 0)
  session.wentAway(
    connection(1), unprocessed: [request(3), request(4)], reason: "Shutdown", now: 0)
  #expect(session.steps(now: 0) == [.connect(connection(2))])
  session.opened(connection(2), limit: 10)
  #expect(
    session.steps(now: 0) == [
      .send(request(3), on: connection(2)), .send(request(4), on: connection(2)),
    ])
  let after = session.answered(request(2), accepted, renewsTokens: true, now: 0)
  #expect(after == .deliver, "the old connection still answers its requests")
  #expect(session.steps(now: 0) == [.close(connection(1))])
}

/// A regression test for GOAWAY frames that precede the answers to accepted requests.
///
/// A connection that accepted at least one of these requests has been useful.
@Test func `a service that takes a few requests and goes away is connected to again at once`() {
  let requests = UInt64(30)
  var session = session()
  for number in 1...requests { session.submit(request(number), now: 0) }
  for number in 1...(requests / 3) {
    let first = (number - 1) * 3 + 1
    #expect(session.steps(now: 0) == [.connect(connection(number))])
    session.opened(connection(number), limit: 1_000)
    let sent = (first...requests).map { request($0) }
    #expect(session.steps(now: 0) == sent.map { .send($0, on: connection(number)) })
    session.wentAway(
      connection(number), unprocessed: Array(sent.dropFirst(3)), reason: "Shutdown", now: 0)
    for taken in sent.prefix(3) {
      let after = session.answered(taken, accepted, renewsTokens: true, now: 0)
      #expect(after == .deliver)
    }
    #expect(session.next(now: 0) == .close(connection(number)))
    session.ended(connection(number), reason: "closed", now: 0)
  }
  #expect(session.steps(now: 0).isEmpty)
}

@Test func `a service that keeps going away is retried after growing pauses and then reported`() {
  var session = session()
  session.submit(request(1), now: 0)
  var now: Int64 = 0
  for number in UInt64(1)...3 {
    #expect(session.next(now: now) == .connect(connection(number)))
    session.opened(connection(number), limit: 1)
    #expect(session.next(now: now) == .send(request(1), on: connection(number)))
    session.wentAway(connection(number), unprocessed: [request(1)], reason: "busy", now: now)
    if number == 3 {
      #expect(
        session.next(now: now)
          == .fail(request(1), .unreachable(endpoint: "localhost:2197", reason: "busy")))
    }
    #expect(session.next(now: now) == .close(connection(number)))
    session.ended(connection(number), reason: "closed", now: now)
    guard number < 3 else { break }
    #expect(session.next(now: now) == .wait(until: now + Int64(50_000_000 << (number - 1))))
    now += second
  }
}

@Test
func `a connection that ends is made again and its requests are sent again at most three times`() {
  var session = openSession(limit: 10, requests: 1...2)
  for number in UInt64(1)...3 {
    if number > 1 {
      #expect(session.next(now: 0) == .connect(connection(number)))
      session.opened(connection(number), limit: 10)
    }
    #expect(session.next(now: 0) == .send(request(1), on: connection(number)))
    if number == 1 {
      #expect(session.next(now: 0) == .send(request(2), on: connection(number)))
      _ = session.answered(request(2), accepted, renewsTokens: true, now: 0)
    } else {
      session.submit(request(10 + number), now: 0)
      #expect(session.next(now: 0) == .send(request(10 + number), on: connection(number)))
      _ = session.answered(request(10 + number), accepted, renewsTokens: true, now: 0)
    }
    session.ended(connection(number), reason: "reset", now: 0)
  }
  #expect(session.next(now: 0) == .fail(request(1), .unanswered(reason: "reset")))
}

@Test func `a service that cannot be reached is tried three times`() {
  var session = session()
  session.submit(request(1), now: 0)
  #expect(session.next(now: 0) == .connect(connection(1)))
  session.ended(connection(1), reason: "refused", now: 0)
  #expect(session.next(now: 0) == .wait(until: 50_000_000))
  #expect(session.next(now: 50_000_000) == .connect(connection(2)))
  session.ended(connection(2), reason: "refused", now: 50_000_000)
  #expect(session.next(now: 150_000_000) == .connect(connection(3)))
  session.ended(connection(3), reason: "refused", now: 150_000_000)
  #expect(
    session.next(now: 150_000_000)
      == .fail(request(1), .unreachable(endpoint: "localhost:2197", reason: "refused")))
  #expect(session.next(now: 150_000_000) == .wait(until: nil))
}

@Test func `a request without an answer times out and its connection is taken for dead`() {
  var session = openSession(
    RetryPolicy(timeoutNanoseconds: 5 * second), limit: 10, requests: 1...1)
  _ = session.steps(now: 0)
  #expect(session.next(now: 0) == .wait(until: 5 * second))
  #expect(session.next(now: 5 * second) == .fail(request(1), .timedOut(seconds: 5)))
  #expect(session.next(now: 5 * second) == .close(connection(1)))
}

@Test func `a request that never gets a connection fails with the reason`() {
  var session = session(RetryPolicy(timeoutNanoseconds: second))
  session.submit(request(1), now: 0)
  #expect(session.next(now: 0) == .connect(connection(1)))
  session.ended(connection(1), reason: "refused", now: 900_000_000)
  #expect(session.next(now: 900_000_000) == .wait(until: 950_000_000))
  #expect(
    session.next(now: second)
      == .fail(request(1), .unreachable(endpoint: "localhost:2197", reason: "refused")))
}

@Test func `a request that an open connection never allows was not sent`() {
  var session = openSession(
    RetryPolicy(timeoutNanoseconds: 5 * second), limit: 0, requests: 1...1)
  #expect(session.next(now: 0) == .wait(until: 5 * second))
  let reason = ProviderFailure.noStreamsReason
  let failure = ProviderFailure.unreachable(endpoint: "localhost:2197", reason: reason)
  #expect(session.next(now: 5 * second) == .fail(request(1), failure))
  #expect(failure.isWithoutStreams)
  #expect("\(failure)" == "cannot send to localhost:2197: \(reason): try again later")
}

@Test func `a service that goes away is not reported as a service that is not running`() {
  let reason = ProviderFailure.goingAwayReason + " with error 0 {\"reason\":\"IdleTimeout\"}"
  let failure = ProviderFailure.unreachable(endpoint: "localhost:2197", reason: reason)
  #expect(failure.isWithoutStreams)
  let what = "localhost:2197 closed the connection before it accepted the request"
  #expect("\(failure)" == "\(what) (\(reason)): try again")
}

@Test func `a request that could not be written is no attempt`() {
  var session = openSession(RetryPolicy(attemptsMax: 1), limit: 10, requests: 1...1)
  #expect(session.steps(now: 0) == [.send(request(1), on: connection(1))])
  session.notWritten(request(1), reason: "full")
  #expect(session.steps(now: 0) == [.send(request(1), on: connection(1))])
  session.streamFailed(request(1), unprocessed: false, reason: "cancelled", now: 0)
  #expect(session.next(now: 0) == .fail(request(1), .unanswered(reason: "cancelled")))
}

@Test(arguments: [true, false])
func `a refused stream is tried again after growing pauses, at most three times`(
  isRepeatable: Bool
) {
  let number = RequestNumber(value: 1, isRepeatable: isRepeatable)
  var session = session()
  session.submit(number, now: 0)
  #expect(session.steps(now: 0) == [.connect(connection(1))])
  session.opened(connection(1), limit: 10)
  #expect(session.steps(now: 0) == [.send(number, on: connection(1))])
  session.streamFailed(number, unprocessed: true, reason: "refused", now: 0)
  #expect(session.next(now: 0) == .wait(until: second / 2))
  #expect(session.next(now: second / 2) == .send(number, on: connection(1)))
  session.streamFailed(number, unprocessed: true, reason: "refused", now: second)
  #expect(session.next(now: second) == .wait(until: 2 * second))
  #expect(session.next(now: 2 * second) == .send(number, on: connection(1)))
  session.streamFailed(number, unprocessed: true, reason: "refused", now: 3 * second)
  let failure = ProviderFailure.unreachable(
    endpoint: "localhost:2197", reason: ProviderFailure.streamRefusedReason)
  #expect(session.steps(now: 3 * second) == [.fail(number, failure)])
  #expect(
    "\(failure)"
      == "cannot send to localhost:2197: the service refused the request each time (REFUSED_STREAM): "
      + "try again later")
}

@Test func `a cancelled request fails once, and its answer is ignored`() {
  var session = openSession(limit: 10, requests: 1...1)
  _ = session.steps(now: 0)
  session.cancel(request(1))
  #expect(session.steps(now: 0) == [.fail(request(1), .cancelled)])
  let after = session.answered(request(1), accepted, renewsTokens: true, now: 0)
  #expect(after == .ignore)
  session.cancel(request(1))
  #expect(session.steps(now: 0).isEmpty)
}

@Test func `closing tells everybody who waits`() {
  var session = openSession(limit: 1, requests: 1...2)
  #expect(session.steps(now: 0).count == 1)
  session.close()
  #expect(session.steps(now: 0) == [.fail(request(1), .closed), .fail(request(2), .closed)])
}

@Test(arguments: [1, 3])
func `every request ends exactly once whatever happens`(size: Int) {
  struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 11 ^ state << 20
    }
  }
  for seed in UInt64(1)...200 {
    var random = Random(state: seed)
    var session = session(RetryPolicy(timeoutNanoseconds: 60 * second), connections: size)
    var now: Int64 = 0
    var ended: [UInt64: Int] = [:]
    var onWire: [RequestNumber: ConnectionNumber] = [:]
    var connections: Set<ConnectionNumber> = []
    var submitted: UInt64 = 0
    func carryOut(_ session: inout ClientSession) {
      for step in session.steps(now: now) {
        switch step {
        case .connect(let connection): connections.insert(connection)
        case .send(let number, let connection): onWire[number] = connection
        case .fail(let number, _):
          ended[number.value, default: 0] += 1
          onWire[number] = nil
        case .close(let connection):
          connections.remove(connection)
          onWire = onWire.filter { $0.value != connection }
          session.ended(connection, reason: "closed", now: now)
        case .wait: break
        }
      }
    }
    for _ in 0..<400 {
      now += Int64(random.next() % UInt64(second))
      let anyRequest = onWire.keys.min { $0.value < $1.value }
      let anyConnection = connections.sorted().randomElement(using: &random)
      switch random.next() % 10 {
      case 0, 1, 2:
        submitted += 1
        session.submit(request(submitted), now: now)
      case 3: if let anyConnection { session.opened(anyConnection, limit: 1) }
      case 4: if let anyConnection { session.limited(anyConnection, to: Int(random.next() % 5)) }
      case 5, 6:
        guard let anyRequest else { break }
        let reasons: [Rejection] = [.shutdown, .tooManyRequests, .expiredProviderToken, .badTopic]
        let pick = Int(random.next() % 8)
        let outcome = pick < reasons.count ? refused(reasons[pick]) : accepted
        onWire[anyRequest] = nil
        if session.answered(anyRequest, outcome, renewsTokens: true, now: now) == .deliver {
          ended[anyRequest.value, default: 0] += 1
        }
      case 7:
        guard let anyConnection else { break }
        let unprocessed = onWire.filter { $0.value == anyConnection }.map(\.key)
        for number in unprocessed { onWire[number] = nil }
        session.wentAway(anyConnection, unprocessed: unprocessed, reason: "away", now: now)
      case 8:
        guard let anyConnection else { break }
        connections.remove(anyConnection)
        onWire = onWire.filter { $0.value != anyConnection }
        session.ended(anyConnection, reason: "reset", now: now)
      default: if let anyRequest { session.cancel(anyRequest) }
      }
      carryOut(&session)
    }
    session.close()
    carryOut(&session)
    #expect(ended.count == Int(submitted), "seed \(seed)")
    #expect(ended.values.allSatisfy { $0 == 1 }, "seed \(seed): \(ended.filter { $0.value != 1 })")
  }
}
