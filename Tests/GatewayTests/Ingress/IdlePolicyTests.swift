import Testing

@testable import Gateway

/// Tests of how long a provider's connection can keep the gateway waiting.
@Suite struct IdlePolicyTests {
  private static func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }

  private static func facts(
    lastReceived: Int64 = 0, lastRequest: Int64 = 0, hasFrames: Bool = true,
    hasAcceptedRequest: Bool = false,
    open: Int = 0,
    stalled: Int = 0, ended: UInt64 = 0, unsent: Int = 0, sent: UInt64 = 0
  ) -> IdlePolicy.Facts {
    IdlePolicy.Facts(
      opened: 0, lastReceived: seconds(lastReceived), lastRequest: seconds(lastRequest),
      hasFrames: hasFrames,
      hasAcceptedRequest: hasAcceptedRequest, openStreams: open, stalledAnswers: stalled,
      endedStreams: ended,
      unsentBytes: unsent,
      sentBytes: sent)
  }

  /// Returns the verdict of the last check if the policy checks once per second until `end`.
  private func verdict(
    at end: Int64, _ facts: (Int64) -> IdlePolicy.Facts
  ) -> IdlePolicy.Verdict {
    var policy = IdlePolicy()
    var verdict = IdlePolicy.Verdict.wait
    for second in 0...end {
      verdict = policy.evaluate(facts(second), at: Self.seconds(second))
      if verdict != .wait, second < end { break }
    }
    return verdict
  }

  @Test func `a connection without any frame is idle after ten seconds`() {
    #expect(verdict(at: 9) { _ in Self.facts(hasFrames: false) } == .wait)
    #expect(verdict(at: 10) { _ in Self.facts(hasFrames: false) } == .idle)
    // Bytes that never complete a frame don't count as activity.
    #expect(verdict(at: 10) { Self.facts(lastReceived: $0, hasFrames: false) } == .idle)
  }

  @Test func `a connection without an accepted request is idle 30 seconds after its last request`()
  {
    #expect(verdict(at: 29) { _ in Self.facts() } == .wait)
    #expect(
      verdict(at: 30) { Self.facts(lastReceived: $0) } == .idle,
      "received bytes do not count as requests")
    #expect(verdict(at: 100) { Self.facts(lastRequest: $0 - 20) } == .wait)
  }

  @Test func `a connection with an accepted request may be idle for a day`() {
    var policy = IdlePolicy()
    let facts = Self.facts(hasAcceptedRequest: true)
    #expect(policy.evaluate(facts, at: Self.seconds(86_399)) == .wait)
    #expect(policy.evaluate(facts, at: Self.seconds(86_400)) == .idle)
  }

  @Test func `open requests are not idle`() {
    #expect(verdict(at: 300) { _ in Self.facts(open: 1) } == .wait)
  }

  @Test func `answers that wait for a window are stalled unless some go out`() {
    #expect(verdict(at: 19) { _ in Self.facts(open: 5, stalled: 5) } == .wait)
    #expect(verdict(at: 20) { _ in Self.facts(open: 5, stalled: 5) } == .stalled)
    #expect(
      verdict(at: 300) { Self.facts(open: 5, stalled: 5, ended: UInt64($0) / 10) } == .wait)
  }

  @Test func `a connection whose peer reads nothing for 20 seconds is unresponsive`() {
    #expect(verdict(at: 19) { _ in Self.facts(open: 1, unsent: 9) } == .wait)
    #expect(verdict(at: 20) { _ in Self.facts(open: 1, unsent: 9) } == .unresponsive)
    #expect(
      verdict(at: 300) { Self.facts(open: 1, unsent: 9, sent: UInt64($0) / 10) } == .wait)
  }
}
