public import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test of the filter of system calls in a sanitized build, whose runtime makes calls of its own and
  /// which therefore has no filter.
  public static var requiresCallFilter: Self {
    #if SANITIZED
      let isSanitized = true
    #else
      let isSanitized = false
    #endif
    return .enabled(if: !isSanitized, "a sanitized program has no filter of system calls")
  }
}
