/// Where the agent's socket and data are, by the environment (contract: `belfry agent`).
public enum AgentPaths {
  /// The folder for state that outlives a restart, without Belfry's own name: `XDG_STATE_HOME`,
  /// else `~/.local/state`.
  public static func stateHome(_ environment: (String) -> String?) -> String {
    absolute(environment("XDG_STATE_HOME")) ?? (environment("HOME") ?? "/") + "/.local/state"
  }

  /// The agent's data unless `--data` says otherwise.
  public static func dataFolder(_ environment: (String) -> String?) -> String {
    stateHome(environment) + "/belfry/agent"
  }

  /// The socket: `BELFRY_SOCKET`, else `belfry/agent.sock` in `XDG_RUNTIME_DIR`, or what stands
  /// in for a missing one: `/run/user/UID` where that exists, else the agent's default data folder.
  public static func socket(
    _ environment: (String) -> String?, userID: UInt32, folderExists: (String) -> Bool
  ) -> String {
    if let path = environment("BELFRY_SOCKET"), !path.isEmpty { return path }
    let runtime =
      absolute(environment("XDG_RUNTIME_DIR"))
      ?? [("/run/user/\(userID)")].first(where: folderExists) ?? dataFolder(environment)
    return runtime + "/belfry/agent.sock"
  }

  /// The XDG rules ignore relative paths.
  private static func absolute(_ path: String?) -> String? {
    guard let path, path.hasPrefix("/") else { return nil }
    return path
  }
}
