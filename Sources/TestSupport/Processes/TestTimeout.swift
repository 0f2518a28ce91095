import Foundation

/// The time limits of tests for events that should occur at once.
///
/// They are long, since dozens of tests share few cores, and only a failing test waits until the end.
public enum TestTimeout {
  /// The value of BELFRY_TEST_SECONDS, for runs in which most tests are to fail.
  private static let seconds =
    ProcessInfo.processInfo.environment["BELFRY_TEST_SECONDS"].flatMap { Int64($0) } ?? 60
  /// The limit for one event of a program, or for the end of a command.
  public static let standard: Duration = .seconds(seconds)
  /// The standard limit in nanoseconds.
  public static let standardNanoseconds: Int64 = seconds * 1_000_000_000
  /// The limit for a command that repeats something many times.
  public static let long: Duration = .seconds(300)
}
