/// The locations of the agent's socket and data and of the user's data, derived from the environment (contract:
/// `belfry agent`; XDG Base Directory Specification).
public enum AgentPaths {
  /// Returns the folder for state that survives a restart, without Belfry's own subfolder: `XDG_STATE_HOME`, or else
  /// `~/.local/state`.
  public static func stateHome(_ environment: (String) -> String?) -> String {
    absolute(environment("XDG_STATE_HOME")) ?? (environment("HOME") ?? "/") + "/.local/state"
  }

  /// Returns the user's data folder: `XDG_DATA_HOME`, or else `.local/share` in `HOME`; nil if neither is absolute.
  public static func dataHome(_ environment: (String) -> String?) -> String? {
    absolute(environment("XDG_DATA_HOME"))
      ?? absolute(environment("HOME")).map { $0 + "/.local/share" }
  }

  /// Returns the user's data folder and the system's (`XDG_DATA_DIRS`), in the order in which they are searched.
  public static func dataFolders(_ environment: (String) -> String?) -> [String] {
    let system = environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
    return (dataHome(environment).map { [$0] } ?? [])
      + system.split(separator: ":").map(String.init)
  }

  /// Returns the agent's default data folder, which `--data` overrides.
  public static func dataFolder(_ environment: (String) -> String?) -> String {
    stateHome(environment) + "/belfry/agent"
  }

  /// Returns the path of the socket: `BELFRY_SOCKET`, or else `belfry/agent.sock` in `XDG_RUNTIME_DIR`.
  ///
  /// If `XDG_RUNTIME_DIR` is not an absolute path, `/run/user/UID` replaces it, or the agent's default data folder if
  /// that folder does not exist either.
  public static func socket(
    _ environment: (String) -> String?, userID: UInt32, folderExists: (String) -> Bool
  ) -> String {
    if let path = environment("BELFRY_SOCKET"), !path.isEmpty { return path }
    let runtime =
      absolute(environment("XDG_RUNTIME_DIR"))
      ?? [("/run/user/\(userID)")].first(where: folderExists) ?? dataFolder(environment)
    return runtime + "/belfry/agent.sock"
  }

  /// Returns `path` if it is absolute, or nil, because the XDG specification ignores relative paths.
  private static func absolute(_ path: String?) -> String? {
    guard let path, path.hasPrefix("/") else { return nil }
    return path
  }
}
