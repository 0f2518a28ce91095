/// Detects dead connections: one with unanswered requests that has been silent for long gets a PING.
struct Liveness {
  /// What to do at a check.
  enum Check: Equatable {
    /// No request is unanswered: check again after the next one.
    case idle
    /// Check again at this moment.
    case checkAgain(at: Int64)
    /// Send a PING and check again at this moment.
    case ping(thenAt: Int64)
    /// The connection is dead.
    case dead
  }

  private var lastReceivedAt: Int64
  private var pingedAt: Int64?

  init(now: Int64) { self.lastReceivedAt = now }

  /// Records that the service has sent something.
  mutating func bytesReceived(now: Int64) {
    lastReceivedAt = now
    pingedAt = nil
  }

  /// The moment of the first check after a request was sent on an idle connection.
  mutating func requestSent(now: Int64) -> Int64 {
    lastReceivedAt = max(lastReceivedAt, now)
    return lastReceivedAt + Limits.silenceNanoseconds
  }

  /// Decides what to do at this moment.
  mutating func check(now: Int64, owesAnswers: Bool) -> Check {
    guard owesAnswers else { return .idle }
    if let pingedAt {
      let end = pingedAt + Limits.pingNanoseconds
      return now >= end ? .dead : .checkAgain(at: end)
    }
    assert(now >= lastReceivedAt, "the loop's clock does not go back")
    let end = lastReceivedAt + Limits.silenceNanoseconds
    guard now >= end else { return .checkAgain(at: end) }
    pingedAt = now
    return .ping(thenAt: now + Limits.pingNanoseconds)
  }
}
