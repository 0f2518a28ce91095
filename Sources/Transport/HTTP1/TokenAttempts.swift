internal import Synchronization
public import System

/// A checker that compares callers' tokens with the admin token, and counts the wrong tokens per address.
///
/// The sign-in form and the API share the counts. The methods can be called on any thread. The correct token is always
/// accepted, regardless of previous attempts, so that an attacker who guesses tokens can't lock out an administrator.
public final class TokenAttempts: Sendable {
  /// The outcome of an attempt.
  public enum Outcome: Equatable, Sendable {
    /// The token is correct.
    case right
    /// The token is wrong.
    case wrong
    /// The token is wrong, and so were too many previous tokens.
    case tooMany(retryAfterSeconds: Int64)
  }

  private struct Attempts {
    var count = 0
    var firstNanoseconds: Int64
  }

  private struct State {
    var attempts: [String: Attempts] = [:]
    /// The earliest time at which a wrong token is logged with its address again, in monotonic nanoseconds.
    var nextAddressNanoseconds: Int64 = .min
  }

  private let token: [UInt8]
  private let log: Log
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Creates a checker without any counted attempts.
  ///
  /// `now` reads a monotonic clock in nanoseconds.
  public init(
    token: String, log: Log,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    self.token = Array(token.utf8)
    self.log = log
    self.now = now
  }

  /// Compares `text` with the token; the duration doesn't reveal how similar they are.
  ///
  /// `address` is the caller's address.
  public func check(_ text: String, from address: String) -> Outcome {
    // An empty attempt would match an empty token.
    if !token.isEmpty, ConstantTime.areEqual(Array(text.utf8), token) { return .right }
    return countWrong("wrong admin token", from: address)
  }

  /// Counts a wrong token, or another kind of wrong secret, from this address.
  ///
  /// `what` is the line for the log. Returns `.wrong`, or `.tooMany` if clients at this address must wait.
  public func countWrong(_ what: String, from address: String) -> Outcome {
    let now = now()
    let (outcome, logsAddress) = state.withLock { state -> (Outcome, Bool) in
      let wait = Self.wait(state.attempts[address], at: now)
      if wait == nil { Self.count(address, in: &state.attempts, at: now) }
      let logsAddress = now >= state.nextAddressNanoseconds
      if logsAddress { state.nextAddressNanoseconds = now + Limits.wrongTokenNanoseconds }
      return (wait.map { .tooMany(retryAfterSeconds: $0) } ?? .wrong, logsAddress)
    }
    // The log combines identical lines into one line with a count. An address in every line would prevent this.
    log.warning(what, logsAddress ? ["address": address] : [:])
    return outcome
  }

  /// Returns the number of seconds until the next attempt is allowed, or nil if it is allowed immediately.
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
    assert(
      attempts.count <= Limits.wrongTokenAddresses, "the number of addresses is within its limit")
  }
}

extension HTTP1Request {
  /// The client's address without the port, because the port differs for each connection.
  public var peerAddress: String { peer.lastIndex(of: ":").map { String(peer[..<$0]) } ?? peer }
}
