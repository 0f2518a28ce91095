import Storage

/// How often each device token of a loop may be pushed to (apns-protocol 1.12, 14).
///
/// Confined to its loop.
struct TokenRates {
  private let limit: RateLimit
  private var next: [NotificationKey: Int64] = [:]
  private var nextCleanNanoseconds: Int64 = 0

  init(_ limit: RateLimit) { self.limit = limit }

  /// Whether one more push to `key` is within the limit.
  mutating func admits(_ key: NotificationKey, at now: Int64) -> Bool {
    limit.admits(&next[key, default: 0], at: now)
  }

  /// Forgets tokens whose limit is unused again; called about once a second.
  mutating func tick(at now: Int64) {
    guard now >= nextCleanNanoseconds else { return }
    nextCleanNanoseconds = now + Limits.rateMemoryNanoseconds
    next = next.filter { $0.value > now }
  }
}
