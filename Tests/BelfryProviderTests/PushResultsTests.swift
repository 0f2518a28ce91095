import BelfryWire
import Synchronization
import Testing
import Transport

@testable import BelfryProvider

/// A counter of the items that are requested from a sequence.
private final class Counter: Sendable {
  private let value = Mutex(0)

  @discardableResult
  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }

  var count: Int { value.withLock { $0 } }
}

@Suite(.timeLimit(.minutes(60))) struct PushResultsTests {
  @Test func `each push of a stream has its result, and no more than a window waits`() async throws
  {
    let service = try FakeService { request, _ in
      request.token.hasSuffix("7") ? .refuse(status: 410, reason: "Unregistered") : .accept
    }
    let client = try service.client()
    let asked = Counter()
    let pushes = AsyncStream<Push> {
      let number = asked.next()
      guard number <= 500 else { return nil }
      let digits = String(number + 1_000)
      return try? Push(.alert(AlertContent(body: "b")), to: digits, app: "com.example.app")
    }
    var outcomes: [String: Bool] = [:]
    for try await one in client.send(pushes, window: 20) {
      #expect(asked.count <= outcomes.count + 21, "pushes are requested only when there is room")
      #expect(one.push.id != nil)
      if case .success(.accepted(let receipt)) = one.result {
        #expect(receipt.id == one.push.id)
        outcomes[one.push.deviceToken] = true
      } else {
        outcomes[one.push.deviceToken] = false
      }
    }
    #expect(outcomes.count == 500)
    #expect(outcomes.allSatisfy { $0.value != $0.key.hasSuffix("7") })
  }

  @Test func `a sequence is a stream too, and an empty one ends at once`() async throws {
    let service = try FakeService { _, _ in .accept }
    let client = try service.client()
    let pushes = try (10..<20).map { number in
      try Push(.background(), to: "\(number)", app: "com.example.app")
    }
    var tokens: Set<String> = []
    for try await one in client.send(pushes) { tokens.insert(one.push.deviceToken) }
    #expect(tokens.count == 10)
    for try await _ in client.send([Push]()) { Issue.record("an empty list has no results") }
  }

  @Test func `a sender may ask to be told of a lost answer rather than to send again`() async throws
  {
    let service = try FakeService { _, earlier in earlier == 0 ? .cut : .accept }
    var policy = RetryPolicy()
    policy.resendsUnanswered = false
    let client = try service.client(policy: policy)
    let push = try Push(.background(), to: "00ff", app: "com.example.app")
    await #expect {
      _ = try await client.send(push)
    } throws: { error in
      if case ProviderFailure.unanswered? = error as? ProviderFailure { true } else { false }
    }
    #expect(service.requests.count == 1)
  }

  @Test @MainActor
  func `a lazy sequence of the main actor is asked on it`() async throws {
    let service = try FakeService { _, _ in .accept }
    let client = try service.client()
    var made = 0
    let pushes = (10..<40).lazy.map { number in
      made += 1
      return Push(to: "\(number)", topic: "com.example.app", payload: Array("{}".utf8))
    }
    var answered = 0
    for try await one in client.send(pushes, window: 5) {
      #expect(throws: Never.self) { try one.result.get() }
      answered += 1
    }
    #expect(made == 30 && answered == 30)
  }
}
