/// The time limits of tests for events that should occur at once.
///
/// They are long, since dozens of tests share few cores, and only a failing test waits until the end.
public enum TestTimeout {
  /// The limit for one event of a program, or for the end of a command.
  public static let standard: Duration = .seconds(60)
  /// The standard limit in nanoseconds.
  public static let standardNanoseconds: Int64 = 60_000_000_000
  /// The limit for a command that repeats something many times.
  public static let long: Duration = .seconds(300)
}
