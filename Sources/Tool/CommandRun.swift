import System

/// An error that determines the exit status of its command; any other error results in exit status 1.
protocol CommandFailure: Error {
  /// The exit status: 2 for incorrect usage, which the caller can correct; 1 for everything else.
  var exitStatus: Int32 { get }
}

extension CommandLineOptions.Problem: CommandFailure {
  var exitStatus: Int32 { 2 }
}

/// An error in the user's input, and how to fix it.
struct UsageError: CommandFailure, CustomStringConvertible {
  let description: String
  var exitStatus: Int32 { 2 }

  init(_ description: String) { self.description = description }

  /// Returns the error for options that contradict each other, with advice on how to fix the command line.
  static func contradiction(_ what: String, _ remedy: String) -> UsageError {
    UsageError("\(what): \(remedy)")
  }
}

extension OptionTable {
  /// Runs a command with its parsed options, or prints its help; returns the exit status.
  ///
  /// `help` prints the help; by default, this is the help of the table. If `body` throws an error, this function prints
  /// the error.
  func run(
    _ arguments: some Sequence<String>, help: (() -> Void)? = nil,
    _ body: (CommandLineOptions) throws -> Int32
  ) -> Int32 {
    CommandRun.status {
      let options = try CommandLineOptions(Array(arguments), by: self)
      guard !options.wantsHelp else {
        if let help { help() } else { Output.help(self) }
        return 0
      }
      return try body(options)
    }
  }
}

/// The error handling that all commands share.
enum CommandRun {
  /// Runs `body` and returns its exit status.
  ///
  /// If `body` throws an error, this function prints the error and returns the error's exit status.
  static func status(of body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch {
      Output.error(error)
      return (error as? any CommandFailure)?.exitStatus ?? 1
    }
  }
}
