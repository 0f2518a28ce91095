public import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test of the system call filter in sanitized builds, which do not have a filter because the sanitizer's
  /// runtime makes its own calls.
  public static var requiresCallFilter: Self {
    #if SANITIZED
      let isSanitized = true
    #else
      let isSanitized = false
    #endif
    return .enabled(if: !isSanitized, "a sanitized program has no system call filter")
  }
}
