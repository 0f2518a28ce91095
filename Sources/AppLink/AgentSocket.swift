import AppWire
import Glibc

/// The environment's settings for the agent and this app.
public enum AgentSocket {
  /// The path of the agent's socket: `BELFRY_SOCKET` if set, otherwise the path according to the XDG rules in
  /// `AgentPaths`.
  public static var path: String {
    AgentPaths.socket(variable, userID: getuid(), folderExists: isFolder)
  }

  /// The agent's default data folder.
  ///
  /// An agent that was started with a different folder does not use this one.
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
