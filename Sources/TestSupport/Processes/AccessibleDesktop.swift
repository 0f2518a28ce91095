import Foundation

/// An X server and a session bus with AT-SPI, so that a test can read and operate windows as a screen reader does.
public struct AccessibleDesktop: Sendable {
  /// The environment of the programs on this desktop.
  public let environment: [String: String]
  /// The X server process.
  public let server: RunningProgram
  private let scenario: Scenario
  private let reader: RunningProgram

  /// Starts the desktop within `scenario`.
  public init(on scenario: Scenario) async throws {
    self.scenario = scenario
    let services = scenario.folder.file("accessibility")
    try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: true)
    let bus = try TestTool.accessibility.required()
    try "[D-BUS Service]\nName=org.a11y.Bus\nExec=\(bus)\n".write(
      toFile: services + "/org.a11y.Bus.service", atomically: true, encoding: .utf8)
    let address = try await scenario.bus(services: services)
    server = try scenario.start([
      TestTool.xvfb.required(), "-displayfd", "1", "-screen", "0", "900x700x24", "-nolisten", "tcp",
    ])
    environment = [
      "DBUS_SESSION_BUS_ADDRESS": address, "DISPLAY": ":" + (try await server.firstLine()),
      // The virtual X server does not have a graphics card.
      "GSK_RENDERER": "cairo",
    ]
    reader = try scenario.start(
      [TestTool.systemPython.required(), Installation.root + "/Tests/Windows/accessibility"],
      environment: environment)
  }

  /// An element of a window.
  public struct Element: Hashable, Sendable {
    /// The AT-SPI name of the role.
    public let role: String
    /// The name that a screen reader announces.
    public let name: String
    /// The description that a screen reader announces in addition to the name.
    public let description: String
  }

  /// Returns the elements in the windows of `belfry-center`.
  public func elements() async throws -> [Element] {
    try await ask(["do": "tree"])["elements"].array.map {
      Element(
        role: $0["role"].string ?? "", name: $0["name"].string ?? "",
        description: $0["description"].string ?? "")
    }
  }

  /// Waits until an element with this role and name exists or, if `isThere` is false, no longer exists.
  public func wait(_ role: String, _ name: String, isThere: Bool = true) async throws {
    try await Scenario.wait("the \(role) \(name)\(isThere ? "" : " to disappear")") {
      try await elements().contains { $0.role == role && $0.name == name } == isThere
    }
  }

  /// Waits for a button and presses it.
  public func press(_ name: String) async throws {
    try await Scenario.wait("the button \(name)") {
      try await ask(["do": "press", "name": name])["done"].boolean == true
    }
  }

  /// Waits for a text field and replaces its content with `text`.
  public func type(_ text: String, into name: String) async throws {
    try await Scenario.wait("the field \(name)") {
      try await ask(["do": "type", "name": name, "text": text])["done"].boolean == true
    }
  }

  /// Presses a key, which is specified by its X name, in the window with this title.
  public func press(key: String, inWindow title: String) async throws {
    _ = try await scenario.command(
      [
        TestTool.xdotool.required(), "search", "--onlyvisible", "--name", title, "windowfocus",
        "--sync", "key", key,
      ], environment: environment)
  }

  /// Closes the window with this title, as the close button of a window manager does.
  public func closeWindow(_ title: String) async throws {
    let found = try await scenario.command(
      [TestTool.xdotool.required(), "search", "--onlyvisible", "--name", title],
      environment: environment)
    _ = try await scenario.command(
      [
        TestTool.systemPython.required(), Installation.root + "/Tests/Windows/close-window",
        found.lines.first ?? "",
      ], environment: environment)
  }

  /// Waits until at least this number of pixels on the screen have the given color (RRGGBB).
  public func waitForPixels(_ colour: String, atLeast count: Int) async throws {
    try await Scenario.wait("\(count) pixels of \(colour)") {
      let counted = try await scenario.command(
        [
          TestTool.systemPython.required(), Installation.root + "/Tests/Windows/count-pixels",
          colour,
        ], environment: environment)
      return Int(counted.lines.first ?? "") ?? 0 >= count
    }
  }

  private func ask(_ request: [String: String]) async throws -> JSONLine {
    let count = reader.lines.count
    let request = request.merging(["of": "belfry-center"]) { $1 }
    let line = try JSONEncoder().encode(request)
    reader.tell(String(decoding: line, as: UTF8.self))
    let lines = try await reader.output(called: "the windows' elements") { $0.count > count }
    return lines.last.flatMap { JSONLine($0) } ?? .null
  }
}
