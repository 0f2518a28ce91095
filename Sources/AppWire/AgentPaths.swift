/// The paths of the agent's socket, the agent's data, and the user's data, derived from the environment (contract:
/// `belfry agent`; XDG Base Directory Specification).
public enum AgentPaths {
  /// Returns the base folder for state that survives a restart: `XDG_STATE_HOME`, or `~/.local/state` by default.
  public static func stateHome(_ environment: (String) -> String?) -> String {
    absolute(environment("XDG_STATE_HOME")) ?? (environment("HOME") ?? "/") + "/.local/state"
  }

  /// Returns the user's data folder: `XDG_DATA_HOME`, or `.local/share` in `HOME` by default.
  ///
  /// Returns nil if neither path is absolute.
  public static func dataHome(_ environment: (String) -> String?) -> String? {
    absolute(environment("XDG_DATA_HOME"))
      ?? absolute(environment("HOME")).map { $0 + "/.local/share" }
  }

  /// Returns the user's data folder followed by the system's data folders (`XDG_DATA_DIRS`), in search order.
  public static func dataFolders(_ environment: (String) -> String?) -> [String] {
    let system = environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
    return (dataHome(environment).map { [$0] } ?? [])
      + system.split(separator: ":").map(String.init)
  }

  /// Returns the agent's default data folder, which the agent uses if `--data` is not given.
  public static func dataFolder(_ environment: (String) -> String?) -> String {
    stateHome(environment) + "/belfry/agent"
  }

  /// Returns the path of the agent's socket: `BELFRY_SOCKET`, or `belfry/agent.sock` in `XDG_RUNTIME_DIR` by default.
  ///
  /// If `XDG_RUNTIME_DIR` is not an absolute path, the folder is `/run/user/UID` or, if that folder does not exist, the
  /// agent's default data folder.
  public static func socket(
    _ environment: (String) -> String?, userID: UInt32, folderExists: (String) -> Bool
  ) -> String {
    if let path = environment("BELFRY_SOCKET"), !path.isEmpty { return path }
    let runtime =
      absolute(environment("XDG_RUNTIME_DIR"))
      ?? [("/run/user/\(userID)")].first(where: folderExists) ?? dataFolder(environment)
    return runtime + "/belfry/agent.sock"
  }

  /// Returns `path` if it is absolute; otherwise returns nil, because the XDG specification ignores relative paths.
  private static func absolute(_ path: String?) -> String? {
    guard let path, path.hasPrefix("/") else { return nil }
    return path
  }
}
