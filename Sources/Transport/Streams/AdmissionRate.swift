/// A token bucket that limits the rate at which a listener admits connections.
struct AdmissionRate {
  /// The time, in nanoseconds, in which one connection is added to the bucket.
  private let interval: Int64
  /// The maximum time, in nanoseconds, by which admissions can be ahead of the rate.
  private let burst: Int64
  /// The time at which the bucket will be full, in monotonic nanoseconds.
  private var full: Int64 = .min

  /// Creates a full bucket of `burst` connections, to which `perSecond` are added.
  init(perSecond: Int, burst: Int) {
    precondition(perSecond > 0 && burst > 0, "a bucket has a rate and a size")
    interval = max(1, 1_000_000_000 / Int64(perSecond))
    self.burst = interval * Int64(burst)
  }

  /// Returns the time, in nanoseconds, until the bucket has a connection; 0 if it has one.
  func wait(at now: Int64) -> Int64 { max(0, max(full, now) + interval - now - burst) }

  /// Takes a connection from the bucket, which must have one.
  mutating func take(at now: Int64) {
    assert(wait(at: now) == 0, "the bucket has a connection")
    full = max(full, now) + interval
  }
}
