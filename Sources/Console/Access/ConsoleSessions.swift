internal import Synchronization
internal import System
internal import Transport

/// The sessions of users who have signed in with the admin token.
///
/// The sessions can be used from any thread. They exist only in memory, so they end when the gateway exits.
package final class ConsoleSessions: Sendable {
  /// The outcome of an attempt to begin a session.
  enum Outcome: Equatable {
    /// The secret of the new session.
    case opened(String)
    case wrongToken
    /// The link's secret is unknown, was already used, or is older than a minute.
    case expiredLink
    case tooManyAttempts(retryAfterSeconds: Int64)
  }

  /// A bounded set of secrets that expire, stored as hashes; if the set is full, a new secret replaces the oldest one.
  private struct Secrets {
    let countMax: Int
    let lifetimeNanoseconds: Int64
    /// The expiration time of each secret, in monotonic nanoseconds.
    private var ends: [SHA256.Digest: Int64] = [:]

    init(countMax: Int, lifetimeNanoseconds: Int64) {
      self.countMax = countMax
      self.lifetimeNanoseconds = lifetimeNanoseconds
    }

    /// Adds a new secret and returns it.
    mutating func make(at now: Int64) -> String {
      let secret = SystemRandom.bytes(32).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }.joined()
      ends = ends.filter { $0.value > now }
      if ends.count >= countMax, let oldest = ends.min(by: { $0.value < $1.value })?.key {
        ends[oldest] = nil
      }
      ends[Self.hash(secret)] = now + lifetimeNanoseconds
      assert(ends.count <= countMax, "the number of secrets is within its limit")
      return secret
    }

    /// Returns true if the secret is known and has not expired.
    func isValid(_ secret: String, at now: Int64) -> Bool {
      (ends[Self.hash(secret)] ?? .min) > now
    }

    /// Removes the secret, and returns true if it was still valid.
    mutating func remove(_ secret: String, at now: Int64) -> Bool {
      (ends.removeValue(forKey: Self.hash(secret)) ?? .min) > now
    }

    private static func hash(_ secret: String) -> SHA256.Digest { SHA256.hash(Array(secret.utf8)) }
  }

  private struct State {
    var sessions = Secrets(
      countMax: Limits.sessions, lifetimeNanoseconds: Limits.sessionNanoseconds)
    /// The secrets of unused links.
    var links = Secrets(countMax: Limits.links, lifetimeNanoseconds: Limits.linkNanoseconds)
  }

  private let guesses: TokenAttempts
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Creates an empty set of sessions.
  ///
  /// `guesses` can be shared with other checks that count wrong tokens; `now` is a monotonic clock in nanoseconds.
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

  /// The time, in seconds, within which a link must be opened.
  package static var linkSeconds: Int64 { Limits.linkNanoseconds / 1_000_000_000 }

  /// Returns the secret of a new link, which can begin one session within the next minute.
  package func makeLink() -> String {
    let now = now()
    return state.withLock { $0.links.make(at: now) }
  }

  /// Begins a session for a caller that has the secret of a link, and invalidates the link.
  ///
  /// A wrong secret counts as a wrong token, so that guessing links is no faster than guessing the token.
  func begin(withLink secret: String, from address: String) -> Outcome {
    let now = now()
    if state.withLock({ $0.links.remove(secret, at: now) }) { return .opened(openSession()) }
    switch guesses.countWrong(
      "a sign-in link is wrong, has expired or was already used", from: address)
    {
    case .tooMany(let seconds): return .tooManyAttempts(retryAfterSeconds: seconds)
    case .right, .wrong: return .expiredLink
    }
  }

  private func openSession() -> String {
    let now = now()
    return state.withLock { $0.sessions.make(at: now) }
  }

  /// Returns true if the secret belongs to an open session.
  func isOpen(_ secret: String) -> Bool {
    let now = now()
    return state.withLock { $0.sessions.isValid(secret, at: now) }
  }

  /// Ends the session with this secret, if one exists.
  func end(_ secret: String) {
    let now = now()
    state.withLock { _ = $0.sessions.remove(secret, at: now) }
  }
}
