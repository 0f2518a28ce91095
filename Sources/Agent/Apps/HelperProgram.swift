import Foundation
import System

/// The programs that the agent leaves work to whose libraries it does without.
enum HelperProgram {
  /// One of them, absolute: beside this program, else on `PATH`; nil where it is not installed.
  static func find(_ name: String, _ environment: [String: String]) -> String? {
    let own = FileSystem.programFolder.map { [$0] } ?? []
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return (own + path.split(separator: ":").map(String.init))
      .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
