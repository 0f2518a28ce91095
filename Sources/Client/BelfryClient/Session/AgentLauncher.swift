import Foundation

/// A launcher that starts the agent if the login session allows it: the user has a runtime directory, the `belfry`
/// executable is in the path, no socket was specified, and starting the agent is not turned off.
enum AgentLauncher {
  /// Starts an agent if the session allows it.
  ///
  /// Returns whether an agent was started.
  static func launch(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Bool {
    guard let command = command(environment, isExecutable: isExecutable) else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command.executable)
    process.arguments = command.arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return (try? process.run()) != nil
  }

  private static func isExecutable(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
  }

  /// Returns the command that starts the agent; nil if the session does not allow it.
  static func command(
    _ environment: [String: String], isExecutable: (String) -> Bool
  ) -> (executable: String, arguments: [String])? {
    guard
      environment["BELFRY_SOCKET"] == nil, environment["BELFRY_AGENT"] != "off",
      environment["XDG_RUNTIME_DIR"]?.hasPrefix("/") == true
    else { return nil }
    let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    func find(_ name: String) -> String? {
      folders.lazy.map { "\($0)/\(name)" }.first(where: isExecutable)
    }
    // Run the agent in its own session, so that it outlives the app and the app's terminal.
    guard let agent = find("belfry"), let setsid = find("setsid") else { return nil }
    return (setsid, ["--fork", agent, "agent"])
  }
}
