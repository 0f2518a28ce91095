import PushWire
import Testing

@testable import Gateway

@Suite struct ProviderErrorPolicyTests {
  private var policy = ProviderErrorPolicy(bounds: .init(errors: 80, badDeviceTokens: 16))

  /// Refuses requests until the policy ends the connection.
  ///
  /// Returns the number of refusals, the stream limits that the policy set, and its reason for ending the connection.
  private mutating func refuse(
    _ rejection: Rejection, upTo count: Int
  ) -> (count: Int, streams: [UInt32], end: ProviderErrorPolicy.Excess?) {
    var streams: [UInt32] = []
    for number in 1...count {
      switch policy.refused(rejection, at: 0) {
      case .unchanged: break
      case .streams(let limit): streams.append(limit)
      case .end(let excess): return (number, streams, excess)
      }
      policy.checkInvariants()
    }
    return (count, streams, nil)
  }

  @Test mutating func `errors halve the limit of streams step by step, then end the connection`() {
    let course = refuse(.badTopic, upTo: 1_000)
    #expect(course.count == 80)
    #expect(course.end == .errors)
    #expect(course.streams == [500, 250, 125, 62, 31, 15, 7])
    #expect(policy.refused(.badTopic, at: 0) == .unchanged, "the connection ends only once")
  }

  @Test mutating func `BadDeviceToken ends it sooner`() {
    let course = refuse(.badDeviceToken, upTo: 1_000)
    #expect(course.count == 16)
    #expect(course.end == .badDeviceTokens)
  }

  @Test mutating func `refused Web Push requests are errors, and wrong endpoints are guesses`() {
    for _ in 1...15 { _ = policy.refused(status: 404, isGuess: true, at: 0) }
    #expect(policy.refused(status: 410, isGuess: false, at: 0) == .unchanged)
    #expect(policy.refused(status: 429, isGuess: false, at: 0) == .unchanged)
    #expect(policy.refused(status: 404, isGuess: true, at: 0) == .end(.badDeviceTokens))
    var other = ProviderErrorPolicy(bounds: .init(errors: 80, badDeviceTokens: 16))
    for _ in 1...79 { _ = other.refused(status: 400, isGuess: false, at: 0) }
    #expect(other.refused(status: 403, isGuess: false, at: 0) == .end(.errors))
  }

  @Test(arguments: [
    Rejection.unregistered, .expiredToken, .tooManyRequests, .internalServerError, .shutdown,
  ])
  mutating func `rejections that the provider could not have foreseen are not errors`(
    rejection: Rejection
  ) {
    let course = refuse(rejection, upTo: 10_000)
    #expect(course.end == nil)
    #expect(course.streams.isEmpty)
    #expect(!policy.hasErrors)
  }

  @Test mutating func `accepted requests make up for errors and raise the limit`() {
    _ = refuse(.badTopic, upTo: 30)
    #expect(policy.streams == 125)
    var streams: [UInt32] = []
    for _ in 0..<30 { if case .streams(let limit) = policy.accepted() { streams.append(limit) } }
    #expect(streams.last == 1_000)
    #expect(streams == streams.sorted())
    #expect(!policy.hasErrors)
  }

  @Test mutating func `a connection with as many accepted as refused requests is never limited`() {
    for _ in 0..<10_000 {
      #expect(policy.refused(.badDeviceToken, at: 0) == .unchanged)
      #expect(policy.accepted() == .unchanged)
    }
  }

  @Test mutating func `a minute forgives all`() {
    _ = refuse(.badDeviceToken, upTo: 12)
    #expect(policy.streams < 1_000)
    #expect(policy.passTime(at: 59_000_000_000) != .end(.badDeviceTokens))
    _ = policy.passTime(at: 60_000_000_000)
    #expect(!policy.hasErrors)
    #expect(policy.streams == 1_000)
  }

  @Test mutating func `slow errors never add up`() {
    for second in 0..<10_000 {
      let verdict = policy.refused(.badTopic, at: Int64(second) * 1_000_000_000)
      #expect(verdict == .unchanged)
    }
  }

  @Test func `0 is any number`() {
    var policy = ProviderErrorPolicy(bounds: .init(errors: 0, badDeviceTokens: 0))
    for _ in 0..<10_000 { #expect(policy.refused(.badDeviceToken, at: 0) == .unchanged) }
  }
}
