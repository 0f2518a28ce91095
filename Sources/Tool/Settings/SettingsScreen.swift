import AppLink
import BelfryWire
import AppWire
import System

/// `belfry settings --page`: shows the settings page in a terminal.
enum SettingsScreen {
  /// Shows the page until the user leaves it.
  static func run(_ options: CommandLineOptions) throws {
    var page = SettingsPage()
    try page.run(otherwise: "belfry settings APP_ID SWITCH=VALUE") { () throws(AppLinkFailure) in
      try content(options)
    } perform: { (action, _, _) throws(AppLinkFailure) in
      try carryOut(action, options)
    }
  }

  static func carryOut(_ action: SettingsPage.Action, _ options: CommandLineOptions)
    throws(AppLinkFailure)
  {
    let request: ControlRequest
    switch action {
    case .none, .quit: return
    case .change(let app, let name, let word):
      request = .changeSettings(app: app, [name: word])
    case .changeDevice(let name, let word): request = .changeDevice([name: word])
    case .changeState(let name, let word): request = .state([name: word])
    }
    _ = try AgentControl(options).ask(request)
  }

  static func content(_ options: CommandLineOptions) throws(AppLinkFailure)
    -> SettingsPage.Content
  {
    SettingsPage.Content(
      apps: try AgentControl(options).ask(.appSettings(app: nil)).rows,
      device: try AgentControl(options).ask(.changeDevice([:])).rows.first ?? JSONObject(),
      state: try AgentControl(options).ask(.state([:])).rows.first ?? JSONObject())
  }
}
