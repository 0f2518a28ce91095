import System

/// An error that ends its command with an exit status of its own; every other error ends the command with 1.
protocol CommandFailure: Error {
  /// The exit status: 2 for wrong usage, which the caller can correct, and 1 for everything else.
  var exitStatus: Int32 { get }
}

extension CommandLineOptions.Problem: CommandFailure {
  var exitStatus: Int32 { 2 }
}

/// An error in the user's input, with its remedy.
struct UsageError: CommandFailure, CustomStringConvertible {
  let description: String
  var exitStatus: Int32 { 2 }

  init(_ description: String) { self.description = description }
}

extension OptionTable {
  /// Runs a command with its parsed options, or prints its help; returns the exit status.
  ///
  /// `help` replaces the text of the table. An error that `body` throws is printed.
  func run(
    _ arguments: some Sequence<String>, help: @autoclosure () -> String? = nil,
    _ body: (CommandLineOptions) throws -> Int32
  ) -> Int32 {
    CommandRun.status {
      let options = try CommandLineOptions(Array(arguments), by: self)
      guard !options.wantsHelp else {
        Output.text(help() ?? self.help)
        return 0
      }
      return try body(options)
    }
  }
}

/// The error handling that all commands share.
enum CommandRun {
  /// Runs `body` and returns its exit status; prints an error that `body` throws, and returns the status of that error.
  static func status(of body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch {
      Output.error(error)
      return (error as? any CommandFailure)?.exitStatus ?? 1
    }
  }
}
