/// Decides when a provider's connection is closed: it sends no first frame, makes no request, or does not read
/// its answers.
///
/// A value without I/O, evaluated every few seconds.
struct IdlePolicy {
  /// The connection's activity so far; times are monotonic nanoseconds.
  struct Facts {
    /// When the TLS handshake ended.
    var opened: Int64
    /// When bytes were last received.
    var lastReceived: Int64
    /// When the last request began; before the first, when the TLS handshake ended.
    var lastRequest: Int64
    /// Whether a complete frame was received.
    var hasFrames: Bool
    /// Whether a request was accepted.
    var hasAcceptedRequest: Bool
    /// Streams that are open, answered or not.
    var openStreams: Int
    /// Answers that wait for the peer's window.
    var stalledAnswers: Int
    /// Streams that have ended so far.
    var endedStreams: UInt64
    /// Bytes that wait for the peer to read.
    var unsentBytes: Int
    /// Bytes written to the peer's socket so far.
    var sentBytes: UInt64
  }

  /// What to do with the connection.
  enum Verdict: Equatable {
    case wait
    /// Nothing is under way: GOAWAY with NO_ERROR.
    case idle
    /// It leaves answers waiting for its flow-control window: GOAWAY with ENHANCE_YOUR_CALM.
    case stalled
    /// It reads nothing: the connection is closed without a GOAWAY, which could not be sent.
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
    // Before its first accepted request, only requests keep a connection open: other bytes cost a client nothing.
    let isIdle =
      facts.hasAcceptedRequest
      ? now - facts.lastReceived >= Limits.providerIdleNanoseconds
      : now - facts.lastRequest >= Limits.newConnectionIdleNanoseconds
    return isIdle ? .idle : .wait
  }
}
