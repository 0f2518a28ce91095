import AppWire
import Glibc

/// The values that an app reads from its environment to find the agent and its own launch data.
public enum AgentSocket {
  /// The path of the agent's socket: `BELFRY_SOCKET` if it is set; otherwise, the path that `AgentPaths` derives from
  /// the XDG variables.
  public static var path: String {
    AgentPaths.socket(variable, userID: getuid(), folderExists: isFolder)
  }

  /// The agent's default data folder.
  ///
  /// An agent that was started with `--data` uses another folder.
  public static var dataFolder: String { AgentPaths.dataFolder(variable) }

  /// The launch data of a process that the agent started (`BELFRY_LAUNCH`).
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
