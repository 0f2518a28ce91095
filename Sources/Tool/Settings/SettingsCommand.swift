import Agent
import AppWire
import Scheduling
import System

/// `belfry settings`: shows and changes the switches for each app and for the device.
enum SettingsCommand {
  static let table = OptionTable(
    command: "belfry settings",
    summary: """
      Shows or changes an app's notification settings. The settings notifications, alert, sound, badge, center,
      lockScreen, criticalAlert and timeSensitive accept on or off; style accepts none, banner or alert; previews
      accepts always, whenAuthenticated or never; location accepts always, whenInUse, denied, restricted or
      notDetermined (the user has not decided yet, so the app can ask). Without arguments, lists every app that
      requested permission. With --window, opens the settings in a window; with --page, in the terminal.
      """,
    positionals: "[APP_ID [SWITCH=VALUE]…]", positionalCount: 0...32,
    [
      .value("languages", "TAGS", "the device's languages, such as fr-CA,en"),
      .value("location", "on|off", "location services for the whole device"),
      .flag(
        "page", "open an interactive page in the terminal, with keys to choose and change settings"),
      .flag(
        "window", "open the belfry-center window on this desktop, and wait until it is closed"),
      AgentControl.jsonOption, AgentControl.socketOption,
    ])

  static func run(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, table) { options, agent in
      if options.has("page"), options.has("window") {
        throw UsageError("--page and --window both show the settings: use one of them")
      }
      if options.has("page") { return try SettingsScreen.run(options) }
      if options.has("window") { return try SettingsWindow.run(options) }
      let rows = try agent.ask(request(options)).rows
      AgentControl.show(rows, .headings(of: "apps"), asJSON: options.has("json"))
    }
  }

  private static func request(_ options: CommandLineOptions) throws -> ControlRequest {
    var device: [String: String] = [:]
    device["languages"] = try languages(options)
    device["location"] = try options.choice("location", of: ["on", "off"])
    guard device.isEmpty else {
      guard options.positionals.isEmpty else {
        throw UsageError("--languages and --location apply to the whole device: remove the app ID")
      }
      return .changeDevice(device)
    }
    for pair in options.positionals where pair.hasPrefix("focus=") {
      let state = ["focus=on", "focus=off"].contains(pair) ? pair : "focus=on"
      throw UsageError(
        "focus is a state of the device, not a setting of an app: use 'belfry state \(state)'")
    }
    guard let app = options.positionals.first else { return .appSettings(app: nil) }
    guard !app.contains("=") else {
      throw UsageError(
        "missing app ID: use 'belfry settings APP_ID \(app)'; 'belfry app list' shows the IDs")
    }
    var changes: [String: String] = [:]
    for pair in options.positionals.dropFirst() {
      guard let equals = pair.firstIndex(of: "=") else {
        throw UsageError("invalid argument '\(pair)': expected SWITCH=VALUE, such as alert=off")
      }
      let (name, word) = (pair[..<equals], pair[pair.index(after: equals)...])
      if let problem = AppSettingsWords.problem(String(name), String(word)) {
        throw UsageError(problem)
      }
      changes[String(name)] = String(word)
    }
    return changes.isEmpty ? .appSettings(app: app) : .changeSettings(app: app, changes)
  }

  private static func languages(_ options: CommandLineOptions) throws -> String? {
    guard let text = options.value("languages") else { return nil }
    let tags = text.split(separator: ",").map { $0.filter { $0 != " " } }
    guard !tags.isEmpty, tags.allSatisfy(isLanguage) else {
      throw CommandLineOptions.Problem.badValue(
        key: "languages", value: text, wanted: "language tags, such as fr-CA,en")
    }
    return tags.joined(separator: ",")
  }

  /// Returns true for a tag whose language has two or three letters.
  ///
  /// No language subtag with more letters is registered (RFC 5646 section 2.2.1). For example, `german` is a name,
  /// which would not match the strings of any app.
  private static func isLanguage(_ tag: String) -> Bool {
    LanguageTag.isWellFormed(tag) && tag.utf8.prefix { $0 != UInt8(ascii: "-") }.count <= 3
  }
}
