import AppWire
import Foundation

/// A launcher that starts the agent if the environment allows it.
///
/// The environment allows it if the user has a runtime directory, the `belfry` executable is in the path, and the
/// environment neither specifies a socket nor turns off starting the agent.
enum AgentLauncher {
  /// An agent that this process started.
  struct Agent: Equatable {
    var pid: Int32
    /// The path of the agent's log.
    var log: String
  }

  /// Starts an agent if the session allows it.
  ///
  /// Returns whether an agent was started.
  static func launch(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Agent? {
    let folder = AgentPaths.dataFolder { environment[$0] }
    let log = folder + "/agent.log"
    guard let command = command(environment, log: log, isExecutable: isExecutable) else {
      return nil
    }
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: command.executable)
    process.arguments = command.arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    // The shell prints its process ID and then becomes the agent. The agent's output is redirected, so this read ends
    // soon.
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)).map {
      Agent(pid: $0, log: log)
    }
  }

  private static func isExecutable(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
  }

  /// Returns the command that starts the agent; nil if the session does not allow it.
  static func command(
    _ environment: [String: String], log: String, isExecutable: (String) -> Bool
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
    // If the log cannot be opened, the shell exits before it prints a process ID.
    let script =
      "umask 077; exec 2>>\"$1\"; echo $$; exec \"$0\" agent --log-file \"$1\" >/dev/null"
    return (setsid, ["--fork", "/bin/sh", "-c", script, agent, log])
  }
}
