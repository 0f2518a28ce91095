/// A failure of a program that a test runs.
public enum ProgramFailure: Error, CustomStringConvertible {
  /// The program could not be started.
  case notStarted(program: String, errno: Int32)
  /// The program exited while the test was waiting for its output.
  case ended(program: String, awaiting: String, printed: [String], errors: String)
  /// An event did not occur within the time limit.
  case timedOut(program: String, awaiting: String, printed: [String], errors: String)
  /// A command exited with an unexpected status.
  case status(program: String, status: Int32, printed: String, errors: String)
  /// A program's output or file does not have the expected content.
  case unreadable(String)

  /// A description of the failure, including the program's output.
  public var description: String {
    switch self {
    case .notStarted(let program, let errno): "\(program) could not be started: errno \(errno)"
    case .ended(let program, let awaiting, let printed, let errors):
      "\(program) exited while the test waited for \(awaiting); standard output:\n"
        + printed.suffix(20).joined(separator: "\n") + "\nstandard error:\n\(errors)"
    case .timedOut(let program, let awaiting, let printed, let errors):
      "\(program): timed out while waiting for \(awaiting); standard output:\n"
        + printed.suffix(20).joined(separator: "\n") + "\nstandard error:\n\(errors)"
    case .status(let program, let status, let printed, let errors):
      "\(program) exited with \(status); standard output:\n\(printed)\nstandard error:\n\(errors)"
    case .unreadable(let what): what
    }
  }
}
