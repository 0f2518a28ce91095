import Foundation
public import Testing

/// A real systemd user manager for a single test, with its own session bus.
///
/// The manager has its own control groups, processes, and mounts: see `Tests/Systemd/user-manager`.
public struct UserSystemd: Sendable {
  /// The address of the manager's session bus.
  public let busAddress: String
  private let program: RunningProgram

  private static let script = Installation.root + "/Tests/Systemd/user-manager"

  /// Starts the manager and waits until it responds on its bus.
  public init(on scenario: Scenario) async throws {
    let manager = try scenario.start([
      TestTool.systemPython.required(), Self.script, "run", scenario.folder.path,
    ])
    _ = try await ScratchFolder.contents(of: scenario.folder.file("ready")) { !manager.isRunning }
    program = manager
    busAddress = "unix:path=" + scenario.folder.file("bus")
  }

  /// Stops the manager and everything that it started.
  public func stop() async throws { try await program.stop() }

  /// The reason that the manager cannot run on this machine; nil if it can.
  ///
  /// For example, a default container is not allowed to create control groups.
  public static let whyNot: String? = {
    let missing = [TestTool.systemPython, .dbus, .gdbus, .unshare].filter { $0.path == nil }
    guard missing.isEmpty else {
      return missing.map(\.rawValue).joined(separator: ", ") + " is not installed"
    }
    let probe = Process()
    probe.executableURL = URL(fileURLWithPath: script)
    probe.arguments = ["probe"]
    let errors = Pipe()
    probe.standardError = errors
    do {
      try probe.run()
    } catch {
      return "\(error)"
    }
    let said = (try? errors.fileHandleForReading.readToEnd()) ?? nil
    probe.waitUntilExit()
    guard probe.terminationStatus != 0 else { return nil }
    return String(decoding: said ?? Data(), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }()
}

extension Trait where Self == ConditionTrait {
  /// Skips the test if no systemd user manager can run, and reports the reason.
  public static var requiresUserSystemd: Self {
    .enabled(
      if: UserSystemd.whyNot == nil,
      "a systemd user manager cannot run here: \(UserSystemd.whyNot ?? "")")
  }
}
