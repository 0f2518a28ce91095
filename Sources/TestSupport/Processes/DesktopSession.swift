import Foundation

/// A desktop of a test's own: a private session bus, an X server without a screen, and dunst, a real
/// notification server, with its own configuration.
public struct DesktopSession: Sendable {
  /// What the programs on this desktop see.
  public let environment: [String: String]
  /// Prints what crosses the bus to and from the notification server.
  public let monitor: RunningProgram
  private let scenario: Scenario

  /// Where dunst puts its window: the left upper corner, so that tests know where to click.
  private static let configuration = """
    [global]
    monitor = 0
    follow = none
    origin = top-left
    offset = 10x10
    width = (300, 300)
    height = 200
    notification_limit = 5
    indicate_hidden = no
    font = Sans 12
    markup = full
    format = "<b>%s</b>\\n%b"
    frame_width = 2
    frame_color = "#ffffff"
    mouse_left_click = do_action, close_current
    mouse_right_click = close_current
    [urgency_low]
    background = "#2040a0"
    foreground = "#ffffff"
    timeout = 0
    [urgency_normal]
    background = "#2040a0"
    foreground = "#ffffff"
    timeout = 0
    [urgency_critical]
    background = "#a02020"
    foreground = "#ffffff"
    timeout = 0
    """

  /// Starts the desktop on `scenario` and waits until its notification server is there.
  public init(on scenario: Scenario) async throws {
    self.scenario = scenario
    let address = try await scenario.bus()
    let screen = try scenario.start([
      TestTool.xvfb.required(), "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp",
    ])
    let number = try await screen.firstLine()
    environment = ["DBUS_SESSION_BUS_ADDRESS": address, "DISPLAY": ":\(number)"]
    monitor = try scenario.start(
      [
        TestTool.dbusMonitor.required(), "--session",
        "interface=org.freedesktop.Notifications", "type=method_return",
        "type=signal,member=NameOwnerChanged,arg0=org.freedesktop.Notifications",
      ], environment: environment)
    // The monitor's own NameAcquired is its first line: from then on it misses nothing.
    _ = try await monitor.firstLine()
    let file = scenario.folder.file("dunstrc")
    try Self.configuration.write(toFile: file, atomically: true, encoding: .utf8)
    _ = try scenario.start(
      [TestTool.dunst.required(), "-config", file], environment: environment)
    _ = try await monitor.output(called: "the notification server") { lines in
      lines.contains { $0.contains("member=NameOwnerChanged") }
    }
  }

  /// How many notifications the server displays.
  public func displayedCount() async throws -> Int {
    let reply = try await scenario.command(
      [
        "dbus-send", "--session", "--print-reply=literal", "--dest=org.freedesktop.Notifications",
        "/org/freedesktop/Notifications", "org.freedesktop.DBus.Properties.Get",
        "string:org.dunstproject.cmd0", "string:displayedLength",
      ], environment: environment)
    let words = reply.output.split(separator: " ")
    guard let count = words.last.flatMap({ Int($0) }) else {
      throw ProgramFailure.unreadable("the server says no count: \(reply.output)")
    }
    return count
  }

  /// Waits until a call of `member` on the notification server has crossed the bus: its lines.
  ///
  /// A call is read to its end: its answer, or the signal after it, has begun.
  public func call(_ member: String, containing text: String) async throws -> [String] {
    let lines = try await monitor.output(called: "a call of \(member) with '\(text)'") { lines in
      !Self.message(member, containing: text, in: lines).isEmpty
    }
    return Self.message(member, containing: text, in: lines)
  }

  private static func message(_ member: String, containing text: String, in lines: [String])
    -> [String]
  {
    var message: [String] = []
    var found: [String] = []
    // A message's lines after its first are indented; one is whole when the next begins.
    for line in lines {
      if line.hasPrefix(" ") {
        message.append(line)
        continue
      }
      let isWanted = message.first?.hasSuffix("member=\(member)") == true
      if isWanted, message.contains(where: { $0.contains(text) }) { found = message }
      message = [line]
    }
    return found
  }

  /// A picture of the screen, in a file of the portable pixmap format.
  public func picture(_ name: String) async throws -> String {
    let file = scenario.folder.file(name + ".ppm")
    _ = try await scenario.command(
      [TestTool.importPicture.required(), "-window", "root", file], environment: environment)
    return file
  }

  /// How many pixels differ between two pictures.
  public static func changedPixels(_ one: String, _ other: String) throws -> Int {
    let first = try pixels(one)
    let second = try pixels(other)
    guard first.count == second.count else {
      throw ProgramFailure.unreadable("\(one) and \(other) are not of one size")
    }
    var changed = 0
    for start in stride(from: 0, to: first.count - 2, by: 3)
    where first[start..<(start + 3)] != second[start..<(start + 3)] {
      changed += 1
    }
    return changed
  }

  /// The bytes after a pixmap's header of three lines.
  private static func pixels(_ file: String) throws -> ArraySlice<UInt8> {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    var start = 0
    for _ in 0..<3 {
      guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
        throw ProgramFailure.unreadable("\(file) is no pixmap")
      }
      start = end + 1
    }
    return Array(bytes[start...])[...]
  }

  /// Clicks into the window of the first notification.
  public func click() async throws {
    _ = try await scenario.command(
      [TestTool.xdotool.required(), "mousemove", "100", "40", "click", "1"],
      environment: environment)
  }
}
