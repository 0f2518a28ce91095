/// The clock that determines when stored data expires: the wall clock, as long as it agrees with the monotonic clock.
///
/// A wall clock that was changed, either manually or because a battery is missing, is not trusted for one day, and an
/// administrator is notified. During that day, data expires only when it has expired according to both clocks: the wall
/// clock, and the monotonic clock extrapolated from the time at which the two last agreed.
package struct ExpiryClock {
  /// The result of comparing the clocks.
  package enum Finding: Equatable {
    case unchanged
    /// The difference, in milliseconds, between the wall clock and its expected time; negative if the clock is slow.
    case disagreeing(milliseconds: Int64)
    /// The wall clock is correct again, or is trusted again after one day.
    case agreeing
  }

  private struct Disagreement {
    var offset: Int64
    let sinceNanoseconds: Int64
  }

  /// The difference between the wall clock and the monotonic clock when they last agreed, in milliseconds.
  private var offset: Int64
  private var disagreement: Disagreement?

  /// Creates a clock that trusts the wall clock's initial time.
  package init(nanoseconds: Int64, unixMilliseconds: Int64) {
    offset = Self.offset(nanoseconds, unixMilliseconds)
  }

  private static func offset(_ nanoseconds: Int64, _ unixMilliseconds: Int64) -> Int64 {
    unixMilliseconds - nanoseconds / 1_000_000
  }

  private static func agree(_ one: Int64, _ other: Int64) -> Bool {
    abs(one - other) <= Limits.clockStepMillisecondsMax
  }

  /// Returns the time in milliseconds since 1970 up to which data has expired.
  package func expiry(nanoseconds: Int64, unixMilliseconds: Int64) -> Int64 {
    guard !Self.agree(Self.offset(nanoseconds, unixMilliseconds), offset) else {
      return unixMilliseconds
    }
    return min(unixMilliseconds, nanoseconds / 1_000_000 + offset)
  }

  /// Returns the time, in milliseconds since 1970, at which a storage period that begins now is considered to start.
  ///
  /// With this time, the data does not expire early according to either clock.
  package func storageStart(nanoseconds: Int64, unixMilliseconds: Int64) -> Int64 {
    guard !Self.agree(Self.offset(nanoseconds, unixMilliseconds), offset) else {
      return unixMilliseconds
    }
    return max(unixMilliseconds, nanoseconds / 1_000_000 + offset)
  }

  /// Compares the clocks.
  ///
  /// Call this method every few seconds, so that the expiry clock follows small corrections to the wall clock.
  package mutating func compare(nanoseconds: Int64, unixMilliseconds: Int64) -> Finding {
    let shown = Self.offset(nanoseconds, unixMilliseconds)
    if Self.agree(shown, offset) {
      offset = shown
      return settle()
    }
    guard let known = disagreement, Self.agree(shown, known.offset) else {
      disagreement = Disagreement(offset: shown, sinceNanoseconds: nanoseconds)
      return .disagreeing(milliseconds: shown - offset)
    }
    guard nanoseconds - known.sinceNanoseconds >= Limits.clockDoubtNanoseconds else {
      disagreement?.offset = shown
      return .unchanged
    }
    offset = shown
    return settle()
  }

  private mutating func settle() -> Finding {
    guard disagreement != nil else { return .unchanged }
    disagreement = nil
    return .agreeing
  }
}
