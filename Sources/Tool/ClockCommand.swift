import BelfryWire
import AppWire
import System

/// `belfry clock`: changes the time of an agent that was started with `--clock manual`.
enum ClockCommand {
  static let table = OptionTable(
    command: "belfry clock",
    summary: """
      Sets or advances the clock of an agent that runs with --clock manual. Before the command returns, all events
      that are due between the old time and the new time occur, in order. Setting the clock back triggers no events.
      Without arguments, prints the agent's time and time zone.
      """,
    positionals: "[set TIME | advance SECONDS | zone NAME]", positionalCount: 0...2,
    [AgentControl.jsonOption, AgentControl.socketOption])

  /// The verbs that set the clock.
  static let verbTables = [
    OptionTable(
      command: "belfry clock set",
      summary: "Sets the clock to a time, such as 2026-03-29T00:59:50Z.",
      positionals: "TIME", positionalCount: 1...1,
      [AgentControl.jsonOption, AgentControl.socketOption]),
    OptionTable(
      command: "belfry clock advance", summary: "Advances the clock by a number of seconds.",
      positionals: "SECONDS", positionalCount: 1...1,
      [AgentControl.jsonOption, AgentControl.socketOption]),
    OptionTable(
      command: "belfry clock zone", summary: "Sets the device's time zone, such as Europe/Paris.",
      positionals: "NAME", positionalCount: 1...1,
      [AgentControl.jsonOption, AgentControl.socketOption]),
  ]

  static func run(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, table, verbs: verbTables) { options, agent in
      let words = options.positionals
      let answer = try agent.ask(
        request(words), timeoutMilliseconds: AgentControl.clockMilliseconds)
      let rows = answer.rows.map { row in
        var row = row
        row["date"] = nil
        return row
      }
      // Show the new state only to programs, because a user already knows what was set.
      if options.has("json") || words.isEmpty {
        AgentControl.show(rows, .headings(of: "clocks"), asJSON: options.has("json"))
      }
    }
  }

  private static func request(_ words: [String]) throws -> ControlRequest {
    guard let verb = words.first else { return .clock }
    guard words.count == 2 else {
      throw UsageError(
        "'\(verb)' requires one argument: use set TIME, advance SECONDS or zone NAME")
    }
    switch (verb, words[1]) {
    case ("set", let text):
      guard let milliseconds = NotifyTrigger.instant(text) else {
        throw UsageError("invalid date '\(text)': expected one such as 2026-03-29T00:59:50Z")
      }
      return .setClock(unixMilliseconds: milliseconds)
    case ("advance", let text):
      guard let seconds = Double(text), seconds >= 0, seconds <= NotifyTrigger.secondsMax
      else {
        throw UsageError("invalid number of seconds '\(text)': expected 0-100000000000")
      }
      return .advanceClock(milliseconds: Int64(seconds * 1_000))
    case ("zone", let name): return .setZone(name)
    default: throw UsageError("unknown command '\(verb)': expected set, advance or zone")
    }
  }
}
