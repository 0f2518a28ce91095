import Foundation
import System

/// The programs that the agent and the tool leave work to whose libraries they do without.
public enum HelperProgram {
  /// Returns the absolute path of one of them; nil where it is not installed.
  ///
  /// It is beside this program, in `libexec/belfry` beside this program's folder as the packages have it, or on
  /// `PATH`.
  public static func find(_ name: String) -> String? {
    find(name, ProcessInfo.processInfo.environment)
  }

  static func find(_ name: String, _ environment: [String: String]) -> String? {
    let own = FileSystem.programFolder.map { [$0, "\(FileSystem.parent(of: $0))/libexec/belfry"] }
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return ((own ?? []) + path.split(separator: ":").map(String.init))
      .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
