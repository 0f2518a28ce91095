/// The rules for closing a connection whose provider sends no first frame, makes no request, or doesn't read its
/// answers.
///
/// The policy is a value that performs no I/O. The connection evaluates it every few seconds.
struct IdlePolicy {
  /// The connection's activity so far; times are in monotonic nanoseconds.
  struct Facts {
    /// The time at which the TLS handshake finished.
    var opened: Int64
    /// The time at which bytes were last received.
    var lastReceived: Int64
    /// The time at which the last request began; before the first request, the end of the TLS handshake.
    var lastRequest: Int64
    /// True if a complete frame was received.
    var hasFrames: Bool
    /// True if a request was accepted.
    var hasAcceptedRequest: Bool
    /// The number of open streams, answered or not.
    var openStreams: Int
    /// The number of answers that wait for the peer's window.
    var stalledAnswers: Int
    /// The number of streams that have closed so far.
    var endedStreams: UInt64
    /// The number of bytes that wait for the peer to read them.
    var unsentBytes: Int
    /// The number of bytes written to the peer's socket so far.
    var sentBytes: UInt64
  }

  /// The action to take on the connection.
  enum Verdict: Equatable {
    case wait
    /// Nothing is in progress: send GOAWAY with NO_ERROR.
    case idle
    /// Answers are blocked on the peer's flow-control window: send GOAWAY with ENHANCE_YOUR_CALM.
    case stalled
    /// The peer reads nothing: close the connection without a GOAWAY, which the peer wouldn't read either.
    case unresponsive
  }

  private var stalledSince: Int64?
  private var endedStreams: UInt64 = 0
  private var unresponsiveSince: Int64?
  private var sentBytes: UInt64 = 0

  mutating func evaluate(_ facts: Facts, at now: Int64) -> Verdict {
    if facts.unsentBytes == 0 {
      unresponsiveSince = nil
    } else if unresponsiveSince == nil || facts.sentBytes != sentBytes {
      unresponsiveSince = now
    }
    sentBytes = facts.sentBytes
    if let unresponsiveSince, now - unresponsiveSince >= Limits.providerReadNanoseconds {
      return .unresponsive
    }
    if facts.stalledAnswers == 0 {
      stalledSince = nil
    } else if stalledSince == nil || facts.endedStreams != endedStreams {
      stalledSince = now
    }
    endedStreams = facts.endedStreams
    if let stalledSince, now - stalledSince >= Limits.providerReadNanoseconds { return .stalled }
    guard facts.openStreams == 0 else { return .wait }
    if !facts.hasFrames, now - facts.opened >= Limits.providerPrefaceNanoseconds { return .idle }
    // Before the first accepted request, only requests keep a connection open; a client could send other bytes at no
    // cost.
    let isIdle =
      facts.hasAcceptedRequest
      ? now - facts.lastReceived >= Limits.providerIdleNanoseconds
      : now - facts.lastRequest >= Limits.newConnectionIdleNanoseconds
    return isIdle ? .idle : .wait
  }
}
