public import AppWire
import Foundation
import System

/// Helper programs, which the agent and the command-line tool run instead of linking the libraries that the helpers
/// use.
public enum HelperProgram {
  /// Returns the absolute path of a helper program, or nil if it is not installed.
  ///
  /// The search covers this program's folder, then `libexec/belfry` next to that folder (where the packages install
  /// helpers), and then `PATH`.
  public static func find(_ name: String) -> String? {
    find(name, ProcessInfo.processInfo.environment)
  }

  /// Returns the error to report when a window cannot be shown because `belfry-center` is missing; the error suggests
  /// `command` instead.
  public static func missingWindows(insteadUse command: String) -> AppLinkFailure {
    AppLinkFailure(
      .invalidArgument,
      "belfry-center is not installed: install belfry-agent-desktop, put belfry-center in belfry's folder, or use "
        + "'\(command)'")
  }

  /// Returns true if the environment specifies a display for windows.
  public static func hasDisplay(_ environment: [String: String]) -> Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
  }

  /// Returns the error to report when a window cannot be shown because the command's environment specifies no display;
  /// the error suggests `command` instead.
  public static func missingDisplay(insteadUse command: String) -> AppLinkFailure {
    AppLinkFailure(
      .invalidArgument, "no display: run this command in a desktop session, or use '\(command)'")
  }

  static func find(_ name: String, _ environment: [String: String]) -> String? {
    let own = FileSystem.programFolder.map { [$0, "\(FileSystem.parent(of: $0))/libexec/belfry"] }
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return ((own ?? []) + path.split(separator: ":").map(String.init))
      .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
