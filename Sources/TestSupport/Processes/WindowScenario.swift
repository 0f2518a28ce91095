import Foundation

/// A virtual X server with a window manager that activates windows for tests.
public struct WindowScenario: Sendable {
  /// The environment of the programs that use this server.
  public let environment: [String: String]
  /// The X server process.
  public let server: RunningProgram
  private let manager: RunningProgram

  /// Starts the X server and the window manager within `scenario`.
  public init(on scenario: Scenario) async throws {
    server = try scenario.start([
      TestTool.xvfb.required(), "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp",
    ])
    environment = ["DISPLAY": ":" + (try await server.firstLine())]
    manager = try scenario.start(
      [TestTool.systemPython.required(), Installation.root + "/Tests/Windows/window-manager"],
      environment: environment)
  }

  /// Activates a new window with the properties in `description`, or no window if `description` is `null`.
  ///
  /// `Tests/Windows/window-manager` reads the properties. This method returns once the server has processed the change.
  public func front(_ description: String) async throws {
    let count = manager.lines.count
    manager.tell(description)
    _ = try await manager.output(called: "the window") { $0.count > count }
  }
}
