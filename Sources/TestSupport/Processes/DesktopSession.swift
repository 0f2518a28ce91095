import Foundation

/// A test's own desktop: a private session bus, a virtual X server, and a notification server.
///
/// The notification server is the real dunst with a configuration of its own.
public struct DesktopSession: Sendable {
  /// The environment of the programs on this desktop.
  public let environment: [String: String]
  /// A monitor that prints the messages to and from the notification server.
  public let monitor: RunningProgram
  private let scenario: Scenario

  /// The configuration of dunst.
  ///
  /// The notification window is in the upper left corner, so that tests know where to click.
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

  /// Starts the desktop within `scenario` and waits until its notification server is available.
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
    // The first line that the monitor prints is its own NameAcquired signal. After that line, the monitor does not miss
    // any messages.
    _ = try await monitor.firstLine()
    let file = scenario.folder.file("dunstrc")
    try Self.configuration.write(toFile: file, atomically: true, encoding: .utf8)
    _ = try scenario.start(
      [TestTool.dunst.required(), "-config", file], environment: environment)
    _ = try await monitor.output(called: "the notification server") { lines in
      lines.contains { $0.contains("member=NameOwnerChanged") }
    }
  }

  /// Returns the number of notifications that the server displays.
  public func displayedCount() async throws -> Int {
    let reply = try await scenario.command(
      [
        "dbus-send", "--session", "--print-reply=literal", "--dest=org.freedesktop.Notifications",
        "/org/freedesktop/Notifications", "org.freedesktop.DBus.Properties.Get",
        "string:org.dunstproject.cmd0", "string:displayedLength",
      ], environment: environment)
    let words = reply.output.split(separator: " ")
    guard let count = words.last.flatMap({ Int($0) }) else {
      throw ProgramFailure.unreadable(
        "the notification server did not return a count: \(reply.output)")
    }
    return count
  }

  /// Waits for a call to `member` on the notification server, and returns the lines that the monitor printed for that
  /// call.
  ///
  /// A call is complete once the monitor has started to print the answer or the next signal.
  public func call(_ member: String, containing text: String) async throws -> [String] {
    let lines = try await monitor.output(called: "a call to \(member) with '\(text)'") { lines in
      !Self.message(member, containing: text, in: lines).isEmpty
    }
    return Self.message(member, containing: text, in: lines)
  }

  private static func message(_ member: String, containing text: String, in lines: [String])
    -> [String]
  {
    var message: [String] = []
    var found: [String] = []
    // A message is complete when the next message begins. Its text can contain several lines.
    let beginnings = ["method call ", "method return ", "signal ", "error "]
    for line in lines {
      if !beginnings.contains(where: line.hasPrefix) {
        message.append(line)
        continue
      }
      let isWanted = message.first?.hasSuffix("member=\(member)") == true
      if isWanted, message.contains(where: { $0.contains(text) }) { found = message }
      message = [line]
    }
    return found
  }

  /// Saves a screenshot in the portable pixmap format, and returns the path of the file.
  public func picture(_ name: String) async throws -> String {
    let file = scenario.folder.file(name + ".ppm")
    _ = try await scenario.command(
      [TestTool.importPicture.required(), "-window", "root", file], environment: environment)
    return file
  }

  /// Returns the number of pixels that differ between two screenshots.
  public static func changedPixels(_ one: String, _ other: String) throws -> Int {
    let first = try pixels(one)
    let second = try pixels(other)
    guard first.count == second.count else {
      throw ProgramFailure.unreadable("\(one) and \(other) differ in size")
    }
    var changed = 0
    for start in stride(from: 0, to: first.count - 2, by: 3)
    where first[start..<(start + 3)] != second[start..<(start + 3)] {
      changed += 1
    }
    return changed
  }

  /// Returns the bytes that follow the three header lines of a pixmap.
  private static func pixels(_ file: String) throws -> ArraySlice<UInt8> {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    var start = 0
    for _ in 0..<3 {
      guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
        throw ProgramFailure.unreadable("\(file) is not a pixmap")
      }
      start = end + 1
    }
    return Array(bytes[start...])[...]
  }

  /// Clicks the first notification's window.
  public func click() async throws {
    _ = try await scenario.command(
      [TestTool.xdotool.required(), "mousemove", "100", "40", "click", "1"],
      environment: environment)
  }
}
