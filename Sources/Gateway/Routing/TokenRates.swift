import Storage

/// The rate limits of a loop's device tokens (apns-protocol 1.12, 14).
///
/// The rates are confined to their loop.
struct TokenRates {
  private let limit: RateLimit
  private var next: [NotificationKey: Int64] = [:]
  private var nextCleanNanoseconds: Int64 = 0

  init(_ limit: RateLimit) { self.limit = limit }

  /// Returns true if one more push to `key` is within the limit, and counts the push if so.
  mutating func admits(_ key: NotificationKey, at now: Int64) -> Bool {
    limit.admits(&next[key, default: 0], at: now)
  }

  /// Removes tokens that are no longer limited; the loop calls this method about once per second.
  mutating func tick(at now: Int64) {
    guard now >= nextCleanNanoseconds else { return }
    nextCleanNanoseconds = now + Limits.rateMemoryNanoseconds
    next = next.filter { $0.value > now }
  }
}
