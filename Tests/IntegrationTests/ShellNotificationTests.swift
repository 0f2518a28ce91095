import Foundation
import System
import TestSupport
import Testing

@testable import Tool

/// Tests of notifications from the user's shell: `belfry notify` without an app.
@Suite struct ShellNotificationTests {
  private func notify(
    _ scenario: Scenario, _ agent: AgentProgram, _ words: String..., succeeding: Bool = true
  ) async throws -> Scenario.CommandResult {
    try await scenario.belfryCommand(
      ["notify"] + words + ["--socket", agent.socket], succeeding: succeeding)
  }

  // MARK: - Times

  @Test(arguments: [
    ("--in", "4m", "1970-01-01T12:04:00Z"), ("--in", "1h30m", "1970-01-01T13:30:00Z"),
    ("--in", "90", "1970-01-01T12:01:30Z"), ("--in", "2d", "1970-01-03T12:00:00Z"),
    ("--at", "18:00", "1970-01-01T18:00:00Z"), ("--at", "12:00", "1970-01-02T12:00:00Z"),
    ("--at", "7:05:30", "1970-01-02T07:05:30Z"),
  ])
  func `A title and a time as people say them are a notification of the shell`(
    option: String, text: String, moment: String
  ) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      try await clock(scenario, agent, "set", "1970-01-01T12:00:00Z")
      _ = try await notify(scenario, agent, "Tea", "It is ready.", option, text, "--id", "tea")
      let next = try await notify(scenario, agent, "next", "tea")
      #expect(next.lines == [moment])
      try await clock(scenario, agent, "set", moment)
      let presented = try await agent.program.event("presented")
      #expect(presented["app"].string == "belfry.shell")
      #expect(presented["title"].string == "Tea" && presented["body"].string == "It is ready.")
      #expect(presented["at"].string?.hasPrefix(String(moment.dropLast())) == true)
    }
  }

  @Test func `A time of day repeats every day, also in a specified time zone`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      _ = try await notify(
        scenario, agent, "Stand up", "--at", "9:30", "--every", "day", "--zone", "Europe/Paris",
        "--id", "up")
      let next = try await notify(scenario, agent, "next", "up", "--count", "2")
      #expect(next.lines == ["1970-01-01T08:30:00Z", "1970-01-02T08:30:00Z"])
    }
  }

  @Test(arguments: [
    ["Tea", "--in", "4 minutes"], ["Tea", "--in", "-4m"], ["Tea", "--in", "30s1m"],
    ["Tea", "--in", "0"], ["Tea", "--in", "1e3"], ["Tea", "--at", "24:00"],
    ["Tea", "--at", "18:5"],
    ["Tea", "--at", "18:00", "--every", "week"], ["Tea", "--title", "Coffee"],
    ["Tea", "It is ready.", "--body", "Ready"], ["list", "--title", "Tea"], [],
  ])
  func `Invalid or contradictory arguments are usage errors`(words: [String]) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let answer = try await scenario.belfryCommand(
        ["notify"] + words + ["--socket", agent.socket], succeeding: false)
      #expect(answer.status == 2 && answer.lines.isEmpty, "\(answer.errors)")
    }
  }

  @Test(arguments: [
    ("90", 90), ("0.5", 0.5), ("4m", 240), ("1h30m", 5_400), ("1.5h", 5_400), ("2d", 172_800),
    ("1w", 604_800), ("250ms", 0.25), ("4M", 240), ("1d2h3m4s", 93_784),
  ])
  func `Durations are read with their units`(text: String, seconds: Double) {
    #expect(DurationText.seconds(text) == seconds)
  }

  @Test(arguments: [
    "", "m", "4x", "4m4m", "4m1h", "1e3", "inf", "nan", "0x10", "+4", "4m 3s", "٤m",
  ])
  func `Invalid durations are refused`(text: String) {
    #expect(DurationText.seconds(text) == nil)
  }

  @Test(arguments: [
    ("91,2,100", "a latitude (LAT) from -90 to 90"),
    ("48,-181,100", "a longitude (LON) from -180 to 180"),
    ("48,2,0", "a radius in meters (RADIUS_M) greater than 0"), ("48,2", "LAT,LON,RADIUS_M"),
  ])
  func `The error for an area names the part that is out of range`(
    area: String, wanted: String
  ) throws {
    let options = try CommandLineOptions(["--near", area], by: NotifyCommand.table)
    let problem = #expect(throws: CommandLineOptions.Problem.self) {
      _ = try NotifyTrigger.read(options) { 0 }
    }
    #expect(problem?.description.contains("expected \(wanted)") == true)
  }

  @Test func `A title without quotes is refused with the advice to use quotes`() {
    let problem = #expect(throws: CommandLineOptions.Problem.self) {
      _ = try CommandLineOptions(["Tea", "at", "four"], by: NotifyCommand.table)
    }
    #expect(problem?.description.contains("unexpected argument 'four': put quotes around") == true)
  }

  @Test(arguments: [
    (["cancel", "em", "x"], "'x': cancel takes one ID, or --all"),
    (["next", "em", "x"], "'x': next takes one ID"),
    (["list", "em", "x"], "'x': list takes no ID"),
    (["Tea", "-in", "4m"], "'-in' (use --in)"), (["Tea", "-in=4m", "hot"], "'-in=4m' (use --in)"),
    (["Tea", "-hot", "4m"], "'4m': put quotes around"),
  ])
  func `A surplus argument is explained by the verb, or by an option with one hyphen`(
    words: [String], advice: String
  ) {
    let problem = #expect(throws: CommandLineOptions.Problem.self) {
      _ = try CommandLineOptions(words, by: NotifyCommand.table)
    }
    #expect(problem?.description.contains("unexpected argument \(advice)") == true)
  }

  @Test func `The error for a short delay that repeats names the option and its value`() throws {
    let options = try CommandLineOptions(["--in", "10", "--repeat"], by: NotifyCommand.table)
    let problem = #expect(throws: CommandLineOptions.Problem.self) {
      _ = try NotifyTrigger.read(options) { 0 }
    }
    #expect(
      problem?.description
        == "invalid value '10' for --in: expected at least 60 seconds with --repeat")
    let minute = try CommandLineOptions(["--in", "60", "--repeat"], by: NotifyCommand.table)
    #expect(throws: Never.self) { _ = try NotifyTrigger.read(minute) { 0 } }
  }

  @Test(arguments: [
    ("lst", "list"), ("lists", "list"), ("lsit", "list"), ("cancle", "cancel"), ("cancl", "cancel"),
    ("nxt", "next"),
  ])
  func `A word with a missing, additional or moved letter is a misspelled subcommand`(
    word: String, verb: String
  ) {
    #expect(NotifyCommand.misspelledVerb(word) == verb)
  }

  @Test(arguments: ["list", "text", "last", "lint", "Next", "cancelled", "silt", "Tea", "", "help"])
  func `A title that resembles a subcommand is no misspelled subcommand`(word: String) {
    #expect(NotifyCommand.misspelledVerb(word) == nil)
  }

  @Test(arguments: [["lst"], ["cancle", "monday"], ["help"]])
  func `A misspelled subcommand is refused, and is a title with an option`(words: [String])
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let socket = ["--socket", agent.socket]
      let refused = try await scenario.belfryCommand(
        ["notify"] + words + socket, succeeding: false)
      #expect(refused.status == 2 && refused.lines.isEmpty, "\(refused)")
      #expect(
        refused.errors.contains("unknown subcommand '\(words[0])': ")
          && refused.errors.contains("use --title"), "\(refused.errors)")
      for titled in [["--title", words[0]], words + ["--level", "active"]] {
        let shown = try await scenario.belfryCommand(["notify"] + titled + socket)
        #expect(shown.lines.count == 1, "\(shown)")
      }
    }
  }

  // MARK: - Permission

  @Test func `A notification that waits for permission says so, and is shown once it is given`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      // Include the program's messages in its output, so that the test can wait for them.
      let waiting = try scenario.start([
        "/bin/sh", "-c", #"exec "$0" "$@" 2>&1"#, Installation.belfry, "notify", "Tea", "--id",
        "tea", "--socket", agent.socket,
      ])
      _ = try await waiting.text(
        "belfry: belfry.shell is waiting for permission to show notifications: ")
      try await allow(scenario, agent)
      #expect(try await waiting.end() == 0)
      #expect(waiting.lines.last == "tea")
      #expect(try await agent.program.event("presented")["title"].string == "Tea")
      // The second notification doesn't have to wait.
      #expect(try await notify(scenario, agent, "Coffee").errors.isEmpty)
    }
  }

  @Test(arguments: [("--no-wait", 0), ("--timeout=1", 1), ("--timeout=0", 1)])
  func `A cron job ends without an answer, and its notification is shown once permission is given`(
    option: String, status: Int32
  )
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let answer = try await notify(scenario, agent, "Backup", option, succeeding: false)
      #expect(answer.status == status, "\(answer.errors)")
      #expect(answer.errors.contains("permission"), "\(answer.errors)")
      #expect(answer.lines.count == (status == 0 ? 1 : 0))
      // The message of a timeout names the notification, so that it can be found and removed.
      let list = try await notify(scenario, agent, "list", "--json")
      let id = try #require(list.values.first?["id"].string)
      #expect(status == 0 || answer.errors.contains("'\(id)' still waits"), "\(answer.errors)")
      #expect(list.values.first?["waitsForPermission"].boolean == true, "\(list.output)")
      let table = try await notify(scenario, agent, "list")
      #expect(table.output.contains("waiting for permission"), "\(table.output)")
      let headings = table.lines.first?.split(separator: " ").map(String.init)
      #expect(headings == ["APP", "ID", "NEXT", "TITLE", "BODY", "TRIGGER", "REPEATS"])
      let apps = try await scenario.belfryCommand(["app", "list", "--socket", agent.socket])
      #expect(apps.output.contains("not running"), "\(apps.output)")
      try await allow(scenario, agent)
      #expect(try await agent.program.event("presented")["title"].string == "Backup")
    }
  }

  @Test(arguments: [["cancel", "first"], ["cancel", "--all"]])
  func `A notification that waits for permission can be cancelled`(words: [String]) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      _ = try await notify(scenario, agent, "First", "--no-wait", "--in=1h", "--id=first")
      let next = try await scenario.belfryCommand(
        ["notify", "next", "first", "--socket", agent.socket], succeeding: false)
      #expect(next.errors.contains("is waiting for permission"), "\(next.errors)")
      _ = try await scenario.belfryCommand(["notify"] + words + ["--socket", agent.socket])
      _ = try await notify(scenario, agent, "Second", "--no-wait", "--in=1h", "--id=second")
      try await allow(scenario, agent)
      let list = try await notify(scenario, agent, "list", "--json")
      #expect(list.values.map { $0["id"].string } == ["second"], "\(list.output)")
    }
  }

  @Test func `A command says whose notifications are off, and how to turn them on`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "none"])
      let answer = try await notify(scenario, agent, "Tea", succeeding: false)
      #expect(answer.status == 1)
      #expect(
        answer.errors.contains("belfry settings belfry.shell notifications=on"), "\(answer.errors)")
      for option in ["--count=3", "--all", "--id="] {
        let wrong = try await notify(scenario, agent, "Tea", option, succeeding: false)
        #expect(wrong.status == 2, "\(option): \(wrong.errors)")
      }
    }
  }

  @Test func `A moment that has passed is refused before anybody is asked`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let answer = try await notify(
        scenario, agent, "Tea", "--no-wait", "--at=2020-01-01T00:00:00Z", succeeding: false)
      #expect(answer.status == 2 && answer.lines.isEmpty, "\(answer)")
      #expect(
        answer.errors.contains(
          "invalid value '2020-01-01T00:00:00Z' for --at: expected a time in the future"),
        "\(answer.errors)")
      #expect(!agent.program.lines.contains { $0.contains("prompt") })
    }
  }

  @Test func `A refusal ends a waiting command at once`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "none"])
      let answer = try await notify(scenario, agent, "Backup", succeeding: false)
      #expect(answer.status == 1 && answer.lines.isEmpty)
      #expect(!answer.errors.contains("is waiting for permission"))
    }
  }

  private func allow(_ scenario: Scenario, _ agent: AgentProgram) async throws {
    _ = try await scenario.belfryCommand([
      "settings", "belfry.shell", "notifications=on", "--socket", agent.socket,
    ])
  }

  private func clock(_ scenario: Scenario, _ agent: AgentProgram, _ words: String...) async throws {
    _ = try await scenario.belfryCommand(["clock"] + words + ["--socket", agent.socket])
  }

  // MARK: - Buttons and files

  @Test(arguments: [
    (["center", "action", "q", "yes"], ["yes"]), (["center", "open", "q"], ["default"]),
    (["center", "dismiss", "q"], ["dismissed"]),
    (["center", "action", "q", "answer", "--text", "On my way"], ["answer", "On my way"]),
  ])
  func `A notification with buttons waits, and prints what the user chose`(
    act: [String], printed: [String]
  ) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let notify = try scenario.belfry([
        "notify", "Deploy?", "--id", "q", "--action", "yes=Deploy", "--action", "no=Not now",
        "--reply", "answer=Answer", "--socket", agent.socket,
      ])
      let presented = try await agent.program.event("presented")
      #expect(presented["actions"].array.map { $0["id"].string } == ["yes", "no", "answer"])
      #expect(presented["actions"][1]["title"].string == "Not now")
      _ = try await scenario.belfryCommand(act + ["--socket", agent.socket])
      #expect(try await notify.end() == 0)
      #expect(notify.lines == printed)
    }
  }

  @Test func `On a terminal, a command that waits for a button says how to answer from a shell`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let words = [
        "notify", "Deploy", "--id", "q", "--action", "yes=Deploy", "--action", "no=Cancel",
        "--socket", agent.socket,
      ]
      let command = ([Installation.belfry] + words).joined(separator: " ")
      let waiting = try scenario.start([
        "/usr/bin/script", "--quiet", "--return", "--command", command, "/dev/null",
      ])
      _ = try await waiting.output(called: "the command to answer with") { lines in
        lines.contains {
          $0.contains("run 'belfry center action q ACTION' in another shell (ACTION: yes or no)")
        }
      }
      _ = try await scenario.belfryCommand([
        "center", "action", "q", "yes", "--socket", agent.socket,
      ])
      #expect(try await waiting.end() == 0)
    }
  }

  @Test func `Two notifications with buttons have their own answers`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      var waiting: [RunningProgram] = []
      for id in ["one", "two"] {
        waiting.append(
          try scenario.belfry([
            "notify", id, "--id", id, "--action", "\(id)=Yes", "--socket", agent.socket,
          ]))
        _ = try await agent.program.event("presented") { $0["id"].string == id }
      }
      for (id, program) in zip(["one", "two"], waiting).reversed() {
        _ = try await scenario.belfryCommand([
          "center", "action", id, id, "--socket", agent.socket,
        ])
        #expect(try await program.end() == 0)
        #expect(program.lines == [id])
      }
    }
  }

  @Test func `Without a choice in time, or without the notification, the command fails`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let late = try await notify(
        scenario, agent, "Deploy?", "--action", "yes=Yes", "--timeout", "1", succeeding: false)
      #expect(late.status == 1 && late.lines.isEmpty)
      #expect(late.errors.contains("timed out: no button was chosen within 1 s"), "\(late.errors)")
      // The notification is withdrawn, because no process is waiting for its buttons any longer.
      let left = try await scenario.belfryCommand(["center", "--json", "--socket", agent.socket])
      #expect(left.values.isEmpty, "\(left.output)")
      let waiting = try scenario.belfry([
        "notify", "Deploy?", "--id", "q", "--action", "yes=Yes", "--socket", agent.socket,
      ])
      _ = try await agent.program.event("presented") { $0["id"].string == "q" }
      _ = try await scenario.belfryCommand([
        "app", "remove", "belfry.shell", "--socket", agent.socket,
      ])
      #expect(try await waiting.end() == 1)
      #expect(waiting.errors.contains("removed before the user responded"), "\(waiting.errors)")
    }
  }

  @Test(arguments: [
    ["--action", "yes"], ["--action", "=Yes"], ["--action", "dismissed=Yes"],
    ["--action", "a=1", "--reply", "a=2"], ["--action", "a=1", "--no-wait"],
    ["--action", "a=1", "--timeout", "x"], ["--image", "/etc/hostname"],
    ["--icon", "/etc/hostname"],
  ])
  func `Buttons and images that cannot be shown are wrong usage`(words: [String]) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let answer = try await scenario.belfryCommand(
        ["notify", "Tea"] + words + ["--socket", agent.socket], succeeding: false)
      #expect(answer.status == 2 && answer.lines.isEmpty, "\(answer.errors)")
    }
  }

  @Test func `A sound that does not exist is an error, which names the folders`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let sounds = scenario.folder.file(".local/share/belfry.shell/Library/Sounds")
      let missing = try await notify(
        scenario, agent, "Tea", "--sound", "bell.wav", succeeding: false)
      #expect(missing.status == 1)
      #expect(
        missing.errors.contains("no sound 'bell.wav' of belfry.shell: copy the file to \(sounds)")
          && missing.errors.contains("or use 'default'"),
        "\(missing.errors)")
      #expect(try await notify(scenario, agent, "Tea", "--sound", "default").status == 0)
      try FileManager.default.createDirectory(atPath: sounds, withIntermediateDirectories: true)
      try Data([0]).write(to: URL(fileURLWithPath: sounds + "/bell.wav"))
      _ = try await notify(scenario, agent, "Tea", "--id", "heard", "--sound", "bell.wav")
      let presented = try await agent.program.event("presented") { $0["id"].string == "heard" }
      #expect(presented["sound"].string == "bell.wav")
    }
  }

  @Test func `An image is copied, so that the file may be changed, and a missing one is an error`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let image = scenario.folder.file("image.png")
      for option in ["--image", "--icon"] {
        let missing = try await notify(scenario, agent, "Tea", option, image, succeeding: false)
        #expect(missing.status == 1)
        #expect(missing.errors.contains("cannot open \(image): no such file"), "\(missing.errors)")
      }
      try Data("picture".utf8).write(to: URL(fileURLWithPath: image))
      let answer = try await notify(scenario, agent, "Tea", "--image", image, "--id", "tea")
      #expect(answer.errors.contains("'\(image)' is not a PNG image"), "\(answer.errors)")
      let attachment = try await agent.program.event("presented")["attachments"][0]
      let copy = try #require(attachment["path"].string)
      #expect(copy != image && attachment["type"].string == "public.png")
      #expect(FileManager.default.contents(atPath: copy) == Data("picture".utf8))
      _ = try await scenario.belfryCommand(["center", "dismiss", "tea", "--socket", agent.socket])
      try await Scenario.wait("the deletion of the copy") { !FileSystem.exists(copy) }
    }
  }

  @Test func `A scheduled notification whose command gave up is not shown later`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      let answer = try await scenario.belfryCommand(
        [
          "notify", "Deploy?", "--action", "yes=Deploy", "--in", "60", "--timeout", "0", "--socket",
          agent.socket,
        ], succeeding: false)
      #expect(answer.status == 1 && answer.errors.contains("timed out"))
      let left = try await scenario.belfryCommand([
        "notify", "list", "--json", "--socket", agent.socket,
      ])
      #expect(left.lines.isEmpty)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `An interrupted command withdraws its notification with the buttons`(signal: Int32)
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let command = try scenario.belfry([
        "notify", "Deploy?", "--action", "yes=Deploy", "--socket", agent.socket,
      ])
      _ = try await agent.program.event("presented")
      command.signal(signal)
      #expect(try await command.end() == 128 + signal)
      let left = try await scenario.belfryCommand(["center", "--json", "--socket", agent.socket])
      #expect(left.lines.isEmpty)
    }
  }

  @Test func `A time-sensitive notification of the shell breaks through a focus`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      _ = try await scenario.belfryCommand(["state", "focus=on", "--socket", agent.socket])
      _ = try await notify(scenario, agent, "Tea")
      _ = try await notify(scenario, agent, "Fire", "--level", "timeSensitive")
      #expect(try await agent.program.event("presented")["title"].string == "Fire")
    }
  }

  @Test func `Dismissing a notification prints nothing`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      for id in ["one", "two"] { _ = try await notify(scenario, agent, "Tea", "--id", id) }
      for words in [["open", "one"], ["dismiss", "two"]] {
        let answer = try await scenario.belfryCommand(
          ["center"] + words + ["--socket", agent.socket])
        #expect(answer.output.isEmpty && answer.errors.isEmpty, "\(answer.errors)")
      }
      let empty = try await scenario.belfryCommand(["center", "--socket", agent.socket])
      #expect(empty.errors.contains("no notifications"))
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `A command that waits for permission can be interrupted, and leaves nothing`(signal: Int32)
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let command = try scenario.belfry([
        "notify", "Deploy?", "--app", "org.example.deploy", "--action", "yes=Deploy", "--socket",
        agent.socket,
      ])
      try await command.error("is waiting for permission")
      command.signal(signal)
      #expect(try await command.end() == 128 + signal)
      _ = try await scenario.belfryCommand([
        "settings", "org.example.deploy", "notifications=on", "--socket", agent.socket,
      ])
      for list in [["center", "--json"], ["notify", "list", "--json"]] {
        let left = try await scenario.belfryCommand(list + ["--socket", agent.socket])
        #expect(left.lines.isEmpty, "\(list): \(left.output)")
      }
    }
  }
}
