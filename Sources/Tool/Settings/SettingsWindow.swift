import Agent
import AppLink
import BelfryWire
import AppWire
import Foundation
import Glibc
import System

/// `belfry settings --window`: shows the settings in a window, which `belfry-center` provides.
enum SettingsWindow {
  /// The time, in milliseconds, between updates of the window with changes that were made elsewhere.
  private static let refreshMilliseconds: Int32 = 1_000

  /// Shows the window until the user closes it.
  ///
  /// - Throws: `AppLinkFailure` if `belfry-center` isn't installed or can't use the display, or if the agent doesn't
  ///   answer.
  static func run(_ options: CommandLineOptions) throws {
    guard let program = HelperProgram.find("belfry-center") else {
      throw HelperProgram.missingWindows(insteadUse: "belfry settings --page")
    }
    // Without a display, `belfry-center` would print a message of its own.
    guard HelperProgram.hasDisplay(ProcessInfo.processInfo.environment) else {
      throw HelperProgram.missingDisplay(insteadUse: "belfry settings --page")
    }
    // If no agent is running, fail before the window opens.
    var content = SettingsWindowContent(try SettingsScreen.content(options))
    // Ignore SIGPIPE; otherwise, a write after the window's process has exited would terminate this command.
    _ = signal(SIGPIPE, SIG_IGN)
    let window = Process()
    let (input, output) = (Pipe(), Pipe())
    window.executableURL = URL(fileURLWithPath: program)
    window.standardInput = input
    window.standardOutput = output
    try window.run()
    defer { if window.isRunning { window.terminate() } }

    var reports: [JSONObject] = []
    let reader = LineReader(dup(output.fileHandleForReading.fileDescriptor)) { line in
      if let report = (try? JSONValue(parsing: Array(line.utf8)))?.objectValue {
        reports.append(report)
      }
    }
    var problem: String?
    var wasShown = false
    while true {
      let line = content.command(problem: problem).text + "\n"
      guard (try? input.fileHandleForWriting.write(contentsOf: Data(line.utf8))) != nil else {
        break
      }
      guard waitForInput(reader.descriptor) == false || reader.read() else { break }
      for report in reports {
        switch report["event"]?.stringValue {
        case "shown": wasShown = true
        case "closed": return
        case "changed": problem = apply(report, content, options)
        default: break
        }
      }
      reports = []
      content = SettingsWindowContent(try SettingsScreen.content(options))
    }
    guard wasShown else {
      throw AppLinkFailure(
        .invalidArgument,
        "cannot open a window: run this command in a desktop session, or use 'belfry settings --page'"
      )
    }
  }

  /// Waits for a report from the window; returns false when it is time to refresh.
  private static func waitForInput(_ descriptor: Int32) -> Bool {
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&poller, 1, refreshMilliseconds) > 0
  }

  /// Applies a change; returns the reason for the refusal if the agent refuses the change.
  private static func apply(
    _ report: JSONObject, _ content: SettingsWindowContent, _ options: CommandLineOptions
  ) -> String? {
    let action = content.action(
      section: report["section"]?.stringValue ?? "", row: report["row"]?.stringValue ?? "",
      value: report["value"]?.stringValue ?? "")
    guard let action else { return nil }
    do throws(AppLinkFailure) {
      try SettingsScreen.carryOut(action, options)
      return nil
    } catch {
      return error.message
    }
  }
}
