/// The value of `authorization` for the requests to one service, with the time at which its token was signed.
///
/// A sender reuses its tokens, because a service checks each distinct token (RFC 8292 section 4.2).
struct VAPIDAuthorization: Sendable {
  let text: String
  /// The time at which the token was signed, in seconds since 1970.
  let issuedAtSeconds: Int64

  /// The time at which a token expires that is signed at `now`, in seconds since 1970.
  static func expiration(issuedAtSeconds now: Int64) -> Int64 {
    assert(
      Limits.vapidRenewalSeconds < Limits.vapidTokenSeconds, "a token is replaced before it expires"
    )
    return now + Limits.vapidTokenSeconds
  }

  /// Returns true if requests can still contain the token at `now`.
  ///
  /// If the clock was set back, the token might expire too far in the future.
  func isUsable(atSeconds now: Int64) -> Bool {
    let (age, overflow) = now.subtractingReportingOverflow(issuedAtSeconds)
    return !overflow && age < Limits.vapidRenewalSeconds && age >= -Limits.clockDifferenceSecondsMax
  }
}
