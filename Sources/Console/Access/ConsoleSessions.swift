internal import Synchronization
internal import System
internal import Transport

/// The sessions of people who have shown the admin token once.
///
/// Any thread. Sessions are in memory alone: they end with the gateway.
final class ConsoleSessions: Sendable {
  /// What became of an attempt to begin a session.
  enum Outcome: Equatable {
    /// The secret of the new session.
    case opened(String)
    case wrongToken
    case tooManyAttempts(retryAfterSeconds: Int64)
  }

  private struct Attempts {
    var count = 0
    var firstNanoseconds: Int64
  }

  private struct State {
    /// When each session ends, in monotonic nanoseconds, by the hash of its secret.
    var sessions: [SHA256.Digest: Int64] = [:]
    var attempts: [String: Attempts] = [:]
  }

  private let token: [UInt8]
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// No session yet; `now` is a monotonic clock in nanoseconds.
  init(
    token: String, now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    self.token = Array(token.utf8)
    self.now = now
  }

  /// Begins a session of who knows the token; `address` is where the attempt comes from.
  func begin(with text: String, from address: String) -> Outcome {
    let now = now()
    return state.withLock { state in
      if let wait = Self.wait(state.attempts[address], at: now) {
        return .tooManyAttempts(retryAfterSeconds: wait)
      }
      // An empty token would equal an empty guess.
      guard !token.isEmpty, ConstantTime.areEqual(Array(text.utf8), token) else {
        Self.count(address, in: &state.attempts, at: now)
        return .wrongToken
      }
      state.attempts[address] = nil
      let secret = Self.makeSecret()
      state.sessions = state.sessions.filter { $0.value > now }
      if state.sessions.count >= Limits.sessions,
        let oldest = state.sessions.min(by: { $0.value < $1.value })?.key
      {
        state.sessions[oldest] = nil
      }
      state.sessions[SHA256.hash(Array(secret.utf8))] = now + Limits.sessionNanoseconds
      assert(state.sessions.count <= Limits.sessions, "sessions are bounded")
      return .opened(secret)
    }
  }

  /// Whether the secret is that of a session.
  func isOpen(_ secret: String) -> Bool {
    let now = now()
    let digest = SHA256.hash(Array(secret.utf8))
    return state.withLock { state in (state.sessions[digest] ?? .min) > now }
  }

  /// Ends the session with this secret, if there is one.
  func end(_ secret: String) {
    let digest = SHA256.hash(Array(secret.utf8))
    state.withLock { state in state.sessions[digest] = nil }
  }

  private static func makeSecret() -> String {
    SystemRandom.bytes(32).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// Seconds that the next attempt must wait; nil where it need not.
  private static func wait(_ attempts: Attempts?, at now: Int64) -> Int64? {
    guard let attempts, attempts.count >= Limits.attempts else { return nil }
    let left = attempts.firstNanoseconds + Limits.attemptNanoseconds - now
    return left > 0 ? left / 1_000_000_000 + 1 : nil
  }

  private static func count(
    _ address: String, in attempts: inout [String: Attempts], at now: Int64
  ) {
    attempts = attempts.filter { $0.value.firstNanoseconds + Limits.attemptNanoseconds > now }
    if attempts[address] == nil, attempts.count >= Limits.attemptAddresses,
      let oldest = attempts.min(by: { $0.value.firstNanoseconds < $1.value.firstNanoseconds })?.key
    {
      attempts[oldest] = nil
    }
    attempts[address, default: Attempts(firstNanoseconds: now)].count += 1
    assert(attempts.count <= Limits.attemptAddresses, "addresses are bounded")
  }
}
