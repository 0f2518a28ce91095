import PushWire
import Testing

@testable import Gateway

@Suite struct MatrixRequestsTests {
  private func key(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func refused(_ rejection: Rejection) -> ProviderAnswer {
    .refused(rejection, timestampMilliseconds: nil)
  }

  @Test func `a request without devices is answered at once`() {
    var requests = MatrixRequests()
    requests.begin(1)
    #expect(requests.complete(1) == .decided(rejected: []))
    #expect(requests.isEmpty)
  }

  @Test func `a request is answered once, after the last of its messages`() {
    var requests = MatrixRequests()
    requests.begin(1)
    let parts = ["a", "b", "c"].map { requests.submit(key($0), of: 1) }
    #expect(Set(parts).count == 3 && parts.allSatisfy(MatrixRequests.isPart))
    #expect(requests.complete(1) == nil)
    #expect(requests.answer(parts[2], .accepted) == nil)
    #expect(requests.answer(parts[0], .accepted) == nil)
    requests.checkInvariants()
    let last = requests.answer(parts[1], .accepted)
    #expect(last?.stream == 1)
    #expect(last?.outcome == .decided(rejected: []))
    #expect(requests.isEmpty)
  }

  @Test func `only the pushkeys that are gone for good are rejected`() {
    var requests = MatrixRequests()
    requests.begin(3)
    requests.reject(key("not ours"), of: 3)
    let ended = requests.submit(key("ended"), of: 3)
    let alive = requests.submit(key("alive"), of: 3)
    #expect(requests.complete(3) == nil)
    #expect(requests.answer(ended, refused(.unregistered)) == nil)
    #expect(
      requests.answer(alive, .accepted)?.outcome
        == .decided(rejected: [key("not ours"), key("ended")]))
  }

  @Test(arguments: Rejection.allCases)
  func `a refusal that can pass never rejects a pushkey`(rejection: Rejection) {
    var requests = MatrixRequests()
    requests.begin(1)
    let part = requests.submit(key("a"), of: 1)
    #expect(requests.complete(1) == nil)
    let isFinal = [Rejection.unregistered, .badDeviceToken, .expiredToken].contains(rejection)
    let expected: MatrixRequests.Outcome =
      isFinal ? .decided(rejected: [key("a")]) : .unavailable(because: rejection)
    #expect(requests.answer(part, refused(rejection))?.outcome == expected)
  }

  @Test func `a temporary failure of one message has the whole request repeated`() {
    var requests = MatrixRequests()
    requests.begin(1)
    requests.reject(key("not ours"), of: 1)
    let parts = ["a", "b", "c"].map { requests.submit(key($0), of: 1) }
    #expect(requests.complete(1) == nil)
    #expect(requests.answer(parts[0], refused(.serviceUnavailable)) == nil)
    #expect(requests.answer(parts[1], refused(.shutdown)) == nil)
    // The other messages are still waited for, so that they are not sent twice at the same time.
    #expect(
      requests.answer(parts[2], .accepted)?.outcome == .unavailable(because: .serviceUnavailable))
  }

  @Test func `a message over the rate is a temporary failure, even if it is the only one`() {
    var requests = MatrixRequests()
    requests.begin(1)
    requests.fail(1, because: .tooManyRequests)
    #expect(requests.complete(1) == .unavailable(because: .tooManyRequests))
  }

  @Test func `messages that are answered while others are being submitted do not end the request`()
  {
    var requests = MatrixRequests()
    requests.begin(1)
    let first = requests.submit(key("a"), of: 1)
    #expect(requests.answer(first, refused(.serviceUnavailable)) == nil)
    let second = requests.submit(key("b"), of: 1)
    #expect(requests.answer(second, .accepted) == nil)
    #expect(requests.complete(1) == .unavailable(because: .serviceUnavailable))
    #expect(requests.isEmpty)
  }

  @Test func `requests on one connection do not mix`() {
    var requests = MatrixRequests()
    var parts: [Int32: Int32] = [:]
    for stream: Int32 in [1, 3, 5] {
      requests.begin(stream)
      parts[stream] = requests.submit(key("\(stream)"), of: stream)
      #expect(requests.complete(stream) == nil)
    }
    for stream: Int32 in [5, 1, 3] {
      let answer = requests.answer(parts[stream] ?? 0, refused(.unregistered))
      #expect(answer?.stream == stream)
      #expect(answer?.outcome == .decided(rejected: [key("\(stream)")]))
      requests.checkInvariants()
    }
    #expect(requests.isEmpty)
  }
}
