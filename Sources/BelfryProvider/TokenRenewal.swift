/// When a provider token is made anew: before the service calls it expired, and not so often that it
/// calls the changes too many (apns-protocol 2.1).
struct TokenRenewal {
  /// When the current token was made, in seconds since 1970; `nil` before the first.
  private(set) var issuedAt: Int64?
  private var isRefused = false

  /// Whether a token is to be made before the next request, at this moment in seconds since 1970.
  func isDue(unixSeconds now: Int64) -> Bool {
    guard let issuedAt, !isRefused else { return true }
    // A clock that was set back leaves a token of the future, which the service may refuse as well.
    return now - issuedAt >= Limits.providerTokenSeconds
      || issuedAt - now > Limits.clockDifferenceSecondsMax
  }

  /// A token was made.
  mutating func made(unixSeconds now: Int64) {
    issuedAt = now
    isRefused = false
  }

  /// The service called the token of this moment expired; a newer one may be in use already.
  mutating func refused(issuedAt moment: Int64) {
    if issuedAt == moment { isRefused = true }
  }
}
