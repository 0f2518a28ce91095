/// The time by which what is stored expires: the wall clock's for as long as it agrees with the monotonic clock.
///
/// A wall clock that was set, by a person or for lack of a battery, is not believed for a day, in which an
/// administrator reads of it. Until then only what both clocks call expired is expired: the wall clock, and
/// the one that the monotonic clock has carried on since both agreed last.
package struct ExpiryClock {
  /// What a comparison of the clocks showed.
  package enum Finding: Equatable {
    case unchanged
    /// The wall clock is ahead by so many milliseconds of what it should show, or behind where negative.
    case disagreeing(milliseconds: Int64)
    /// The wall clock is back where it should be, or was believed after a day.
    case agreeing
  }

  private struct Disagreement {
    var offset: Int64
    let sinceNanoseconds: Int64
  }

  /// Milliseconds from the monotonic clock to the wall clock when they agreed last.
  private var offset: Int64
  private var disagreement: Disagreement?

  /// A clock that believes the wall clock as it is at the start.
  package init(nanoseconds: Int64, unixMilliseconds: Int64) {
    offset = Self.offset(nanoseconds, unixMilliseconds)
  }

  private static func offset(_ nanoseconds: Int64, _ unixMilliseconds: Int64) -> Int64 {
    unixMilliseconds - nanoseconds / 1_000_000
  }

  private static func agree(_ one: Int64, _ other: Int64) -> Bool {
    abs(one - other) <= Limits.clockStepMillisecondsMax
  }

  /// The milliseconds since 1970 at which what expires by then has expired.
  package func expiry(nanoseconds: Int64, unixMilliseconds: Int64) -> Int64 {
    guard !Self.agree(Self.offset(nanoseconds, unixMilliseconds), offset) else {
      return unixMilliseconds
    }
    return min(unixMilliseconds, nanoseconds / 1_000_000 + offset)
  }

  /// The milliseconds since 1970 from which a time of storage counts, so that it ends by no clock too early.
  package func storageStart(nanoseconds: Int64, unixMilliseconds: Int64) -> Int64 {
    guard !Self.agree(Self.offset(nanoseconds, unixMilliseconds), offset) else {
      return unixMilliseconds
    }
    return max(unixMilliseconds, nanoseconds / 1_000_000 + offset)
  }

  /// Compares the clocks; called every few seconds, so that small corrections are followed.
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
