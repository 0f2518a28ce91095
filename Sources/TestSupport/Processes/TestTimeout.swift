import Foundation

/// The time limits for events that should occur immediately.
///
/// The limits are long, because dozens of tests share a few cores. Only a failing test waits that long.
public enum TestTimeout {
  /// The value of `BELFRY_TEST_SECONDS`, which shortens runs in which most tests are expected to fail.
  private static let seconds =
    ProcessInfo.processInfo.environment["BELFRY_TEST_SECONDS"].flatMap { Int64($0) } ?? 60
  /// The limit for an event from a program, or for a command to exit.
  public static let standard: Duration = .seconds(seconds)
  /// The standard limit in nanoseconds.
  public static let standardNanoseconds: Int64 = seconds * 1_000_000_000
  /// The limit for a command that repeats something many times.
  public static let long: Duration = .seconds(300)
}
