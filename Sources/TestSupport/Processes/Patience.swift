/// How long a test waits for what should come at once: long, for dozens of tests share few cores, and
/// a wait costs its whole length only where the test fails.
public enum Patience {
  /// For one event of a program, or the end of a command.
  public static let whole: Duration = .seconds(60)
  /// The same in nanoseconds.
  public static let wholeNanoseconds: Int64 = 60_000_000_000
  /// For a command that does a thing many times.
  public static let ofLongWork: Duration = .seconds(300)
}
