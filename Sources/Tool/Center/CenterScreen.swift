import Agent
import BelfryWire
import AppWire
import Foundation
import System

/// `belfry center --page`: shows the Notification Center in a terminal.
enum CenterScreen {
  /// Shows the page until the user leaves it.
  static func run(_ options: CommandLineOptions) throws {
    let first = try content(options)
    var page = CenterPage { moment in
      CenterDate.text(
        moment, now: Int64(Date().timeIntervalSince1970 * 1_000),
        zone: TimeZone.current.identifier, languages: first.languages)
    }
    try page.run(otherwise: "belfry center open ID") { () throws(AppLinkFailure) in
      try content(options)
    } perform: { (action, page, terminal) throws(AppLinkFailure) in
      guard let request = request(action, page, on: terminal) else { return }
      _ = try AgentControl(options).ask(request)
    }
  }

  /// Returns the request to the agent, or nil if the user left the text field.
  private static func request(
    _ action: CenterPage.Action, _ page: CenterPage, on terminal: RawTerminal
  ) -> ControlRequest? {
    switch action {
    case .none, .quit: return nil
    case .ask(let request): return request
    case .reply(let app, let id, let action, let placeholder):
      let text = terminal.text { typed in
        page.replyLines(placeholder, typed, width: terminal.size.width)
      }
      return text.map { .act(app: app, id: id, action: action, text: $0) }
    }
  }

  private static func content(_ options: CommandLineOptions) throws(AppLinkFailure)
    -> CenterPage.Content
  {
    let device = try AgentControl(options).ask(.changeDevice([:])).rows.first
    return CenterPage.Content(
      rows: try AgentControl(options).ask(.center(app: options.value("app"))).rows,
      languages: (device?["languages"]?.stringValue ?? "").split(separator: ",").map(String.init))
  }
}
