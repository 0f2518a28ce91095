/// The detection of dead connections.
///
/// If a connection has unanswered requests and has been silent for too long, the client sends a PING.
struct Liveness {
  /// The result of a check.
  enum Check: Equatable {
    /// No requests are unanswered. Check again after the next request.
    case idle
    /// Check again at this time.
    case checkAgain(at: Int64)
    /// Send a PING and check again at this time.
    case ping(thenAt: Int64)
    /// The connection is dead.
    case dead
  }

  private var lastReceivedAt: Int64
  private var pingedAt: Int64?

  init(now: Int64) { self.lastReceivedAt = now }

  /// Records that bytes were received from the service.
  mutating func bytesReceived(now: Int64) {
    lastReceivedAt = now
    pingedAt = nil
  }

  /// Returns the time of the first check after a request was sent on an idle connection.
  mutating func requestSent(now: Int64) -> Int64 {
    lastReceivedAt = max(lastReceivedAt, now)
    return lastReceivedAt + Limits.silenceNanoseconds
  }

  /// Returns the result of a check at this time.
  mutating func check(now: Int64, owesAnswers: Bool) -> Check {
    guard owesAnswers else { return .idle }
    if let pingedAt {
      let end = pingedAt + Limits.pingNanoseconds
      return now >= end ? .dead : .checkAgain(at: end)
    }
    assert(now >= lastReceivedAt, "the loop's clock does not go backward")
    let end = lastReceivedAt + Limits.silenceNanoseconds
    guard now >= end else { return .checkAgain(at: end) }
    pingedAt = now
    return .ping(thenAt: now + Limits.pingNanoseconds)
  }
}
