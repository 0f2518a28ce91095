import System

/// An error that ends its command with a status of its own; every other error ends it with 1.
protocol CommandFailure: Error {
  /// 2 for wrong usage, which the caller corrects, and 1 for everything else.
  var exitStatus: Int32 { get }
}

extension CommandLineOptions.Problem: CommandFailure {
  var exitStatus: Int32 { 2 }
}

/// An error in what the user gave, with its remedy.
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

/// The common end of every command.
enum CommandRun {
  /// Returns the status of `body`; prints the error that it throws.
  static func status(of body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch {
      Output.error(error)
      return (error as? any CommandFailure)?.exitStatus ?? 1
    }
  }
}
