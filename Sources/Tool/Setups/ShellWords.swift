import Foundation
import System

/// Words as a person pastes them into a shell.
enum ShellWords {
  /// A word as it is, or in quotation marks where a shell would see more in it.
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

  /// A word in single quotation marks, in which a shell sees nothing else.
  static func singleQuoted(_ word: String) -> String {
    "'" + word.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
  }

  /// A command line.
  static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

  /// How this executable is called here: by its name where `PATH` leads to it, else by its path.
  static var belfry: String {
    let folders = (StateFolders.variable("PATH") ?? "").split(separator: ":")
    let isFound = folders.contains {
      FileSystem.isSameFile("\($0)/belfry", ProgramSupervisor.executable)
    }
    return isFound ? "belfry" : quoted(ProgramSupervisor.path)
  }
}
