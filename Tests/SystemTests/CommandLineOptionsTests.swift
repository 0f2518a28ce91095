import Testing

@testable import System

@Suite struct CommandLineOptionsTests {
  private let table = OptionTable(
    command: "belfry gateway", summary: "Runs the push service.", positionals: "TOKEN…",
    positionalCount: 0...2,
    [
      .value("data", "DIR", default: "~/.local/state", "keys and store"),
      .repeatable("provider-port", "PORT", default: "2197", "provider API"),
      .value("loops", "N", "event loops"),
      .flag("json", "one object a line"),
    ])

  private func parse(_ arguments: String...) throws -> CommandLineOptions {
    try CommandLineOptions(arguments, by: table)
  }

  private func problem(_ arguments: String...) -> CommandLineOptions.Problem? {
    do {
      _ = try CommandLineOptions(arguments, by: table)
      return nil
    } catch { return error }
  }

  @Test
  func `both spellings of a value, flags, repeats and positionals are read`() throws {
    let options = try parse(
      "--data", "/a b", "one", "--provider-port=1", "--json", "--provider-port", "2", "two")
    #expect(options.value("data") == "/a b")
    #expect(options.values("provider-port") == ["1", "2"])
    #expect(options.has("json"))
    #expect(!options.has("data"))
    #expect(options.positionals == ["one", "two"])
    #expect(options.value("loops") == nil)
    #expect(!options.wantsHelp)
  }

  @Test
  func `values may hold equals signs and look like options, but a path may not be empty`() throws {
    #expect(try parse("--loops=").value("loops") == "")
    #expect(problem("--data=") == .badValue(key: "data", value: "", wanted: "a folder"))
    #expect(problem("--data", "") == .badValue(key: "data", value: "", wanted: "a folder"))
    #expect(try parse("--data=a=b").value("data") == "a=b")
    #expect(try parse("--data=--x").value("data") == "--x")
    #expect(try parse("--data", "-").value("data") == "-")
    #expect(try parse("--", "--data").positionals == ["--data"])
  }

  @Test
  func `a wrong option is named in the error, with advice`() {
    #expect(problem("--dta", "x") == .unknown(key: "dta", nearest: "data"))
    #expect(
      problem("--provider-prot=1") == .unknown(key: "provider-prot", nearest: "provider-port"))
    #expect(problem("--zzzzzzzz") == .unknown(key: "zzzzzzzz", nearest: nil))
    #expect(problem("--data") == .missingValue(key: "data", name: "DIR"))
    #expect(problem("--data", "--json") == .missingValue(key: "data", name: "DIR"))
    #expect(problem("--json=yes") == .unexpectedValue(key: "json"))
    #expect(problem("--data=1", "--data=2") == .repeated(key: "data"))
    #expect(problem("1", "2", "3") == .unexpectedArgument("3", option: nil))
    #expect(problem("1", "2", "3")?.description == "unexpected argument '3': see --help")
    let command = OptionTable(
      command: "belfry test-gateway", summary: "Runs a command.", positionals: "-- COMMAND…",
      positionalCount: 1...1, [.value("app", "APP_ID", "the app")])
    func message(_ arguments: String...) -> String? {
      do {
        _ = try CommandLineOptions(arguments, by: command)
        return nil
      } catch { return error.description }
    }
    #expect(message("--app", "a.b") == "missing command: add '-- COMMAND' after the options")
    #expect(message("ls", "org.example.app") == "unexpected argument 'org.example.app' (use --app)")
    let titled = OptionTable(
      command: "belfry notify", summary: "Shows a notification.", positionals: "[TITLE]",
      positionalCount: 0...1, surplusAdvice: "quote a title of several words", [])
    #expect(
      throws: CommandLineOptions.Problem.unexpectedArgument(
        "time", option: nil, advice: "quote a title of several words")
    ) {
      _ = try CommandLineOptions(["Tea", "time"], by: titled)
    }
    #expect(problem("--dta")?.description == "unknown option --dta: did you mean --data?")
  }

  @Test
  func `an option with the name of an argument is an error with the command's usage`() throws {
    #expect(
      problem("--token", "0a")?.description
        == "unknown option --token: specify it as an argument, as in 'belfry gateway [options] TOKEN…'"
    )
    let table = OptionTable(
      command: "belfry log", summary: "Prints the log.", positionals: "[TOKEN|APNS-ID]",
      positionalCount: 0...1, [.value("data", "DIR", "the folder")])
    func isArgument(_ option: String) -> Bool {
      do {
        _ = try CommandLineOptions([option, "x"], by: table)
        return false
      } catch { return error == .notAnOption(key: String(option.dropFirst(2)), usage: table.usage) }
    }
    #expect(isArgument("--token") && isArgument("--apns-id"))
    #expect(!isArgument("--id") && !isArgument("--data"))
  }

  @Test
  func `an option of other commands leads to the option that this command has instead`() {
    let table = OptionTable(
      command: "belfry send", summary: "Sends a push.",
      [.value("gateway", "FILE", insteadOf: "data", "the gateway"), .value("dat", "N", "a number")])
    #expect(
      throws: CommandLineOptions.Problem.unknown(key: "data", nearest: "gateway")
    ) {
      _ = try CommandLineOptions(["--data", "g"], by: table)
    }
  }

  @Test
  func `another name of an option is accepted, and errors have the name that the help shows`()
    throws
  {
    let table = OptionTable(
      command: "belfry key add", summary: "Adds a key.",
      [.repeatable("topic", "BUNDLE-ID", alias: "app", "an app")])
    let options = try CommandLineOptions(["--app", "a.b", "--topic=c.d"], by: table)
    #expect(options.values("topic") == ["a.b", "c.d"])
    #expect(!options.isGiven("app") && !table.help.contains("--app"))
    #expect(throws: CommandLineOptions.Problem.missingValue(key: "topic", name: "BUNDLE-ID")) {
      _ = try CommandLineOptions(["--app"], by: table)
    }
    #expect(throws: CommandLineOptions.Problem.unexpectedArgument("a.b", option: "topic")) {
      _ = try CommandLineOptions(["a.b"], by: table)
    }
  }

  @Test
  func `values are checked for their kind`() throws {
    let options = try parse("--loops=4", "--data=sandbox")
    #expect(try options.integer("loops", in: 1...64) == 4)
    #expect(try options.integer("provider-port", in: UInt16.min...UInt16.max) == nil)
    #expect(try options.choice("data", of: ["sandbox", "production"]) == "sandbox")
    #expect(throws: CommandLineOptions.Problem.self) { _ = try options.integer("loops", in: 5...6) }
    #expect(throws: CommandLineOptions.Problem.self) {
      _ = try options.choice("data", of: ["open", "code"])
    }
    #expect(throws: CommandLineOptions.Problem.required(key: "provider-port", name: "PORT")) {
      _ = try options.required("provider-port")
    }
    #expect(
      throws: CommandLineOptions.Problem.badValue(key: "loops", value: "0x4", wanted: "1-64")
    ) {
      _ = try parse("--loops=0x4").integer("loops", in: 1...64)
    }
    let timed = OptionTable(
      command: "belfry fault add", summary: "Adds a fault.",
      [.value("delay", "MS", "the delay"), .value("timeout", "SECONDS", "the limit")])
    for (option, wanted) in [("delay", "1-64 (milliseconds)"), ("timeout", "1-64 (seconds)")] {
      #expect(
        throws: CommandLineOptions.Problem.badValue(key: option, value: "2s", wanted: wanted)
      ) {
        _ = try CommandLineOptions(["--\(option)=2s"], by: timed).integer(option, in: 1...64)
      }
    }
    let problem = CommandLineOptions.Problem.badValue(key: "loops", value: "0x4", wanted: "1-64")
    #expect("\(problem)" == "invalid value '0x4' for --loops: expected 1-64")
  }

  @Test
  func `help is asked for anywhere but after the end of the options, and is made of the table`()
    throws
  {
    #expect(try parse("--nonsense", "--help").wantsHelp)
    #expect(try !parse("--", "--help").wantsHelp)
    #expect(
      table.help == """
        usage: belfry gateway [options] TOKEN…

        Runs the push service.

          --data DIR            keys and store [default: ~/.local/state]
          --provider-port PORT  provider API (repeatable) [default: 2197]
          --loops N             event loops
          --json                one object a line

        """)
  }

  @Test func `help for a terminal is wrapped between words`() {
    let summary =
      "Runs the push service, which stores notifications.\n\nIt runs\nuntil it is stopped."
    let table = OptionTable(
      command: "belfry gateway", summary: summary, positionals: "TOKEN…",
      [
        .value("data", "DIR", default: "~/.local/state", "keys and store"),
        .value("level", "passive|active|timeSensitive|critical", "the level"),
      ])
    #expect(
      table.help(columns: 30) == """
        usage: belfry gateway
               [options] TOKEN…

        Runs the push service, which
        stores notifications.

        It runs until it is stopped.

          --data DIR
              keys and store [default:
              ~/.local/state]
          --level passive|active|timeSensitive|critical
              the level

        """)
    let wide = table.help(columns: 66).split(separator: "\n")
    let margin = String(repeating: " ", count: 40)
    #expect(
      wide.contains("  --data DIR\(String(repeating: " ", count: 28))keys and store [default:"))
    #expect(wide.contains("\(margin)~/.local/state]"))
    #expect(table.help(columns: nil) == table.help && table.help.contains(summary))
  }

  @Test func `a required option is part of the usage, and its form is in the error`() throws {
    let table = OptionTable(
      command: "belfry test-gateway", summary: "Runs a command.", positionals: "-- COMMAND…",
      positionalCount: 1...1,
      [.value("count", "N", "number"), .repeatable("app", "APP_ID", isRequired: true, "an app")])
    #expect(
      table.help.hasPrefix("usage: belfry test-gateway --app APP_ID [options] -- COMMAND…\n"))
    let options = try CommandLineOptions(["--", "env"], by: table)
    do {
      _ = try options.required("app")
      Issue.record("a missing option was accepted")
    } catch {
      #expect("\(error)" == "missing option --app: add --app APP_ID before '--'")
    }
  }

  @Test
  func `only close matches are suggested`() {
    #expect(Suggestion.nearest(to: "gatewya", in: ["gateway", "agent"]) == "gateway")
    #expect(Suggestion.nearest(to: "agnet", in: ["gateway", "agent"]) == "agent")
    #expect(Suggestion.nearest(to: "GATEWAY", in: ["gateway", "agent"]) == "gateway")
    #expect(Suggestion.nearest(to: "toomanyrequsts", in: ["TooManyRequests"]) == "TooManyRequests")
    #expect(Suggestion.nearest(to: "completely", in: ["gateway", "agent"]) == nil)
    #expect(Suggestion.nearest(to: "x", in: []) == nil)
    #expect(Suggestion.nearest(to: "port", in: ["host", "data"]) == nil)
    #expect(Suggestion.nearest(to: "hsot", in: ["host", "data"]) == "host")
  }
}
