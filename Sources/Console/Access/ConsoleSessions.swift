internal import Synchronization
internal import System
internal import Transport

/// The sessions of users who have presented the admin token once.
///
/// Calls can be made on any thread. Sessions are only in memory, so they end with the gateway.
final class ConsoleSessions: Sendable {
  /// The outcome of an attempt to begin a session.
  enum Outcome: Equatable {
    /// The secret of the new session.
    case opened(String)
    case wrongToken
    /// The secret of a link is unknown, was already used, or is older than a minute.
    case expiredLink
    case tooManyAttempts(retryAfterSeconds: Int64)
  }

  private struct State {
    /// The end of each session, in monotonic nanoseconds, by the hash of its secret.
    var sessions: [SHA256.Digest: Int64] = [:]
    /// The end of each unused link, in monotonic nanoseconds, by the hash of its secret.
    var links: [SHA256.Digest: Int64] = [:]
  }

  private let guesses: TokenAttempts
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Creates an empty set of sessions; `guesses` may be shared with other counters of wrong tokens, and `now` is a
  /// monotonic clock in nanoseconds.
  init(
    token: String, guesses: TokenAttempts? = nil,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    self.guesses = guesses ?? TokenAttempts(token: token, log: .silent, now: now)
    self.now = now
  }

  /// Begins a session for a caller that knows the token; `address` is the caller's address.
  func begin(with text: String, from address: String) -> Outcome {
    switch guesses.check(text, from: address) {
    case .wrong: return .wrongToken
    case .tooMany(let seconds): return .tooManyAttempts(retryAfterSeconds: seconds)
    case .right: return .opened(openSession())
    }
  }

  /// Returns the secret of a new link, which begins one session within a minute.
  func makeLink() -> String {
    let now = now()
    let secret = Self.makeSecret()
    state.withLock { state in
      state.links = state.links.filter { $0.value > now }
      if state.links.count >= Limits.links,
        let oldest = state.links.min(by: { $0.value < $1.value })?.key
      {
        state.links[oldest] = nil
      }
      state.links[SHA256.hash(Array(secret.utf8))] = now + Limits.linkNanoseconds
      assert(state.links.count <= Limits.links, "links are bounded")
    }
    return secret
  }

  /// Begins a session for a caller that has the secret of a link, which then no longer works.
  ///
  /// A wrong secret counts as a wrong token, so that links cannot be guessed faster than the token.
  func begin(withLink secret: String, from address: String) -> Outcome {
    let now = now()
    let digest = SHA256.hash(Array(secret.utf8))
    let end = state.withLock { state in state.links.removeValue(forKey: digest) }
    if let end, end > now { return .opened(openSession()) }
    switch guesses.countWrong(from: address) {
    case .tooMany(let seconds): return .tooManyAttempts(retryAfterSeconds: seconds)
    case .right, .wrong: return .expiredLink
    }
  }

  private func openSession() -> String {
    let now = now()
    return state.withLock { state in
      let secret = Self.makeSecret()
      state.sessions = state.sessions.filter { $0.value > now }
      if state.sessions.count >= Limits.sessions,
        let oldest = state.sessions.min(by: { $0.value < $1.value })?.key
      {
        state.sessions[oldest] = nil
      }
      state.sessions[SHA256.hash(Array(secret.utf8))] = now + Limits.sessionNanoseconds
      assert(state.sessions.count <= Limits.sessions, "sessions are bounded")
      return secret
    }
  }

  /// Returns true if the secret belongs to an open session.
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
}
