import BelfryWire
import Glibc

/// What the environment says of the agent and of this app.
public enum AgentSocket {
  /// Where the agent listens (`BELFRY_SOCKET`, else the XDG rules of `AgentPaths`).
  public static var path: String {
    AgentPaths.socket(variable, userID: getuid(), folderExists: isFolder)
  }

  /// The agent's data folder unless it was started with another.
  public static var dataFolder: String { AgentPaths.dataFolder(variable) }

  /// What the agent gave this process when it started it (`BELFRY_LAUNCH`).
  public static var launch: String? { variable("BELFRY_LAUNCH") }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}
