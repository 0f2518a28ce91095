/// The schedule for renewing a provider token.
///
/// A token is renewed before it expires, but not so often that the service refuses the updates as too frequent
/// (apns-protocol 2.1).
struct TokenRenewal {
  /// The time at which the current token was issued, in seconds since 1970; `nil` before the first token.
  private(set) var issuedAt: Int64?
  private var isRefused = false

  /// Returns true if a new token must be generated before the next request.
  ///
  /// The time is in seconds since 1970.
  func isDue(unixSeconds now: Int64) -> Bool {
    guard let issuedAt, !isRefused else { return true }
    // If the clock was set back, the token's time is in the future, and the service might refuse the token.
    return now - issuedAt >= Limits.providerTokenSeconds
      || issuedAt - now > Limits.clockDifferenceSecondsMax
  }

  /// Records that a token was generated.
  mutating func made(unixSeconds now: Int64) {
    issuedAt = now
    isRefused = false
  }

  /// Records that the service reported a token as expired.
  ///
  /// The time at which the token was issued identifies the token, because a newer token might already be in use.
  mutating func refused(issuedAt moment: Int64) {
    if issuedAt == moment { isRefused = true }
  }
}
