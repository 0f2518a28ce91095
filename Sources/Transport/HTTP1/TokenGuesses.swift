internal import Synchronization
public import System

/// Compares what callers show with the admin token, and counts what was wrong: in the sign-in form and in requests to
/// the API together, by the address that they come from.
///
/// Any thread. The right token is let through whatever was guessed before, so that guessing keeps no
/// administrator out.
public final class TokenGuesses: Sendable {
  /// What became of an attempt.
  public enum Outcome: Equatable, Sendable {
    /// It is the token.
    case right
    /// It is not.
    case wrong
    /// It was wrong, and so were too many before it.
    case tooMany(retryAfterSeconds: Int64)
  }

  private struct Attempts {
    var count = 0
    var firstNanoseconds: Int64
  }

  private struct State {
    var attempts: [String: Attempts] = [:]
    /// Wrong ones since the last line of the log, and where the last came from.
    var unlogged = 0
    var nextLineNanoseconds: Int64 = .min
  }

  private let token: [UInt8]
  private let log: Log
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Nothing guessed yet; `now` is a monotonic clock in nanoseconds.
  public init(
    token: String, log: Log,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    self.token = Array(token.utf8)
    self.log = log
    self.now = now
  }

  /// Compares a text, in a time that does not tell how near it was; `address` is where it comes from.
  public func check(_ text: String, from address: String) -> Outcome {
    // An empty token would equal an empty guess.
    if !token.isEmpty, ConstantTime.areEqual(Array(text.utf8), token) { return .right }
    let now = now()
    let (outcome, unlogged) = state.withLock { state -> (Outcome, Int) in
      let wait = Self.wait(state.attempts[address], at: now)
      if wait == nil { Self.count(address, in: &state.attempts, at: now) }
      state.unlogged += 1
      var unlogged = 0
      if now >= state.nextLineNanoseconds {
        unlogged = state.unlogged
        state.unlogged = 0
        state.nextLineNanoseconds = now + Limits.wrongTokenNanoseconds
      }
      return (wait.map { .tooMany(retryAfterSeconds: $0) } ?? .wrong, unlogged)
    }
    if unlogged > 0 {
      log.warning(
        "a wrong token was shown", ["times": "\(unlogged)", "last-from": address])
    }
    return outcome
  }

  /// Seconds that the next attempt must wait; nil where it need not.
  private static func wait(_ attempts: Attempts?, at now: Int64) -> Int64? {
    guard let attempts, attempts.count >= Limits.wrongTokens else { return nil }
    let left = attempts.firstNanoseconds + Limits.wrongTokenNanoseconds - now
    return left > 0 ? left / 1_000_000_000 + 1 : nil
  }

  private static func count(
    _ address: String, in attempts: inout [String: Attempts], at now: Int64
  ) {
    attempts = attempts.filter { $0.value.firstNanoseconds + Limits.wrongTokenNanoseconds > now }
    if attempts[address] == nil, attempts.count >= Limits.wrongTokenAddresses,
      let oldest = attempts.min(by: { $0.value.firstNanoseconds < $1.value.firstNanoseconds })?.key
    {
      attempts[oldest] = nil
    }
    attempts[address, default: Attempts(firstNanoseconds: now)].count += 1
    assert(attempts.count <= Limits.wrongTokenAddresses, "addresses are bounded")
  }
}

extension HTTP1Request {
  /// The client's address without its port, which is another one each time.
  public var peerAddress: String { peer.lastIndex(of: ":").map { String(peer[..<$0]) } ?? peer }
}
