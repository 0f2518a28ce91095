/// How long a provider's connection may keep the gateway waiting: for its first frame, its next request, its
/// reading of answers.
///
/// Pure; looked at every few seconds.
struct IdlePolicy {
  /// What the connection has done by now; times are monotonic nanoseconds.
  struct Facts {
    /// When TLS was open.
    var opened: Int64
    /// When bytes last came.
    var heard: Int64
    /// When a request last began, or TLS was open.
    var asked: Int64
    /// Whether a whole frame came.
    var hasFrames: Bool
    /// Whether a request was accepted.
    var isTrusted: Bool
    /// Streams that are open, answered or not.
    var openStreams: Int
    /// Answers that wait for the peer's window.
    var stalledAnswers: Int
    /// Streams that have ended so far.
    var endedStreams: UInt64
    /// Bytes that wait for the peer to read.
    var unsentBytes: Int
    /// Bytes that the peer's side has taken so far.
    var sentBytes: UInt64
  }

  /// What is to be done.
  enum Verdict: Equatable {
    case wait
    /// Nothing is under way: GOAWAY in all friendship.
    case idle
    /// It lets answers wait: GOAWAY with ENHANCE_YOUR_CALM.
    case stalled
    /// It reads nothing: nothing more can be said to it.
    case unresponsive
  }

  private var stalledSince: Int64?
  private var endedStreams: UInt64 = 0
  private var unresponsiveSince: Int64?
  private var sentBytes: UInt64 = 0

  mutating func look(_ facts: Facts, at now: Int64) -> Verdict {
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
    // A stranger's bytes are no sign of life: one comes as cheap as another.
    let isIdle =
      facts.isTrusted
      ? now - facts.heard >= Limits.providerIdleNanoseconds
      : now - facts.asked >= Limits.strangerIdleNanoseconds
    return isIdle ? .idle : .wait
  }
}
