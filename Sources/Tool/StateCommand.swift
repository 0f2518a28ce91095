import AppWire
import System

/// `belfry state`: sets the device states that no service on this machine reports.
enum StateCommand {
  static let table = OptionTable(
    command: "belfry state",
    summary: """
      Shows the device's state, or sets the values that no service on this machine provides.

      front=APP_ID moves the app's running processes to the foreground and all other running apps to the background. \
      front=none moves all running apps to the background. An app that starts later reports its own state, which \
      'belfry app list' shows. front=auto discards the value, so that the app with the active window is in the \
      foreground again.
      """,
    positionals: "[locked=on|off] [battery=low|normal] [metered=on|off] [focus=on|off] "
      + "[front=APP_ID|none|auto]",
    positionalCount: 0...5, [AgentControl.jsonOption, AgentControl.socketOption])

  /// The allowed values for each state; an empty list allows any app ID.
  private static let values = [
    "locked": ["on", "off"], "battery": ["low", "normal"], "metered": ["on", "off"],
    "focus": ["on", "off"], "front": [],
  ]

  static func run(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, table) { options, agent in
      var changes: [String: String] = [:]
      for pair in options.positionals {
        guard let equals = pair.firstIndex(of: "=") else {
          throw UsageError("invalid argument '\(pair)': expected NAME=VALUE, such as locked=on")
        }
        let name = String(pair[..<equals])
        let value = String(pair[pair.index(after: equals)...])
        guard let words = values[name] else {
          // The agent reads the other columns of the table from the desktop and the machine.
          if name == "doNotDisturb" {
            throw UsageError(
              "doNotDisturb is the desktop's own setting: change it in the desktop's settings, or use "
                + "focus=on|off")
          }
          throw UsageError(
            "cannot set '\(name)': expected \(values.keys.sorted().joined(separator: ", "))")
        }
        guard words.isEmpty || words.contains(value) else {
          throw UsageError(
            "invalid argument '\(pair)': expected \(name)=\(words.joined(separator: "|"))")
        }
        changes[name] = value
      }
      AgentControl.show(
        try agent.ask(.state(changes)).rows, .headings(of: "states"), asJSON: options.has("json"))
    }
  }
}
