import Foundation
import System

/// Functions that quote words for use in a shell.
enum ShellWords {
  /// Returns a word, enclosed in quotation marks if a shell would otherwise interpret it.
  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-_./:=@%+,".utf8.contains(byte)
        }
      }
    return isPlain ? word : singleQuoted(word)
  }

  /// Returns a word in single quotation marks, inside which a shell interprets nothing.
  static func singleQuoted(_ word: String) -> String {
    "'" + word.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
  }

  /// Returns the words as a command line.
  static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

  /// The command that invokes this executable: its name if `PATH` leads to it, otherwise its path.
  static var belfry: String {
    let folders = (StateFolders.variable("PATH") ?? "").split(separator: ":")
    let isFound = folders.contains {
      FileSystem.isSameFile("\($0)/belfry", ProgramSupervisor.executable)
    }
    return isFound ? "belfry" : quoted(ProgramSupervisor.path)
  }
}
