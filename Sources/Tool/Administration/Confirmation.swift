import BelfryWire
import Gateway
import Glibc
import System

/// The confirmation of an action that cannot be undone, which a user gives on a terminal.
enum Confirmation {
  /// True if a user can read a question and answer it.
  ///
  /// The output of a command that a script runs is usually not a terminal, even if the script's input is one.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// The option that suppresses the question.
  static let forceOption = OptionTable.Entry.flag(
    "force", "do not ask for confirmation; without a terminal, this is the default")

  /// Asks the question, and throws unless the user answers yes.
  static func require(_ question: String) throws(AdministrationFailure) {
    Output.error("\(question) [y/N]")
    guard isNextLineYes() else {
      throw AdministrationFailure(
        .conflict, "nothing was changed", do: "to confirm, enter y, or use --force")
    }
  }

  /// Asks the question on the terminal, and returns true if the user answers yes.
  static func isGiven(for question: String) -> Bool {
    _ = StandardStream.error.write("\(question) [y/N] ".utf8)
    return isNextLineYes()
  }

  private static func isNextLineYes() -> Bool {
    let answer = (readLine() ?? "").filter { !$0.isWhitespace }.lowercased()
    return answer.hasSameBytes(as: "y") || answer.hasSameBytes(as: "yes")
  }
}
