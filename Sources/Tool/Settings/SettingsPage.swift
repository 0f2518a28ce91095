import Agent
import BelfryWire

/// The state machine of the settings page, which receives keys and returns actions and lines.
struct SettingsPage: TerminalPage {
  /// The action that follows a key press.
  enum Action: Hashable, TerminalPageAction {
    case none
    case quit
    /// Toggle a switch of an app.
    case change(app: String, name: String, word: String)
    /// Toggle a switch of the whole device.
    case changeDevice(name: String, word: String)
    /// Set a state of the device.
    case changeState(name: String, word: String)
  }

  /// The state of the device and its apps, as reported by the agent.
  struct Content: Hashable {
    var apps: [JSONObject] = []
    var device = JSONObject()
    var state = JSONObject()
  }

  private typealias Row = SettingsRows.Row

  private var content = Content()
  private var words = DeviceWords.english
  /// The app whose page is shown; nil for the list.
  private var app: String?
  private var listPosition = 0
  private var position = 0
  private var problem: String?

  /// Shows a new state of the agent; if the agent refused the last request, also shows the reason.
  ///
  /// The same line stays selected.
  mutating func show(_ content: Content, problem: String? = nil) {
    let selected = rows.indices.contains(position) ? rows[position].id : nil
    self.content = content
    self.problem = problem
    let languages = content.device["languages"]?.stringValue ?? ""
    words = DeviceWords(languages: languages.split(separator: ",").map(String.init))
    if let app, !content.apps.contains(where: { $0["app"]?.stringValue == app }) {
      // The app has unregistered since the page was opened, so its pane is removed (S4-7).
      leave()
    } else if let index = rows.firstIndex(where: { $0.id == selected }) {
      position = index
    }
    position = max(0, min(position, rows.count - 1))
  }

  /// Handles a key press.
  mutating func press(_ key: PageKey) -> Action {
    problem = nil
    let rows = rows
    switch key {
    case .up: position = max(0, position - 1)
    case .down: position = max(0, min(rows.count - 1, position + 1))
    case .quit: return .quit
    case .back:
      if app == nil { return .quit }
      leave()
    case .enter, .right:
      return rows.indices.contains(position) ? turn(rows[position], by: 1) : .none
    case .left:
      if rows.indices.contains(position), !rows[position].words.isEmpty {
        return turn(rows[position], by: -1)
      }
      leave()
    case .clear: break
    }
    return .none
  }

  private mutating func leave() {
    guard let left = app else { return }
    app = nil
    position = rows.firstIndex { $0.id == left } ?? listPosition
  }

  private mutating func turn(_ row: Row, by step: Int) -> Action {
    guard !row.words.isEmpty else {
      listPosition = position
      position = 0
      app = row.word
      return .none
    }
    let index = row.words.firstIndex(of: row.word) ?? 0
    return row.action(row.words[(index + step + row.words.count) % row.words.count])
  }

  // MARK: - The lines

  private var settings: SettingsRows { SettingsRows(content, words) }

  private var rows: [Row] {
    guard let app else { return settings.device + appRows }
    return settings.rows(of: app)
  }

  private var appRows: [Row] {
    content.apps.compactMap { values in
      guard let app = values["app"]?.stringValue else { return nil }
      return Row(id: app, title: values["name"]?.stringValue ?? app, word: app, words: []) { _ in
        .none
      }
    }
  }

  /// Returns the page's lines, with the selected line marked; at most `height` lines of up to `width` characters.
  func lines(width: Int, height: Int) -> [String] {
    let rows = rows
    let heading =
      app.map { words.text(.notificationsOf, title(of: $0)) } ?? words[.notifications]
    var body: [String] = rows.enumerated().map { index, row in
      let mark = index == position ? "> " : "  "
      let value = row.words.isEmpty ? summary(of: row.word) : word(row.word)
      let room = max(1, width - mark.count - value.count - 2)
      let title = String(OutputTable.printable(row.title).prefix(room))
      return mark + title + String(repeating: " ", count: max(2, room - title.count + 2)) + value
    }
    if app == nil, content.apps.isEmpty { body.append("  " + words[.noAppAsked]) }
    // Keep the selected line visible.
    let room = max(1, height - 4)
    let first = max(0, min(position - room / 2, body.count - room))
    let foot =
      problem.map { "! \($0)" } ?? words[app == nil ? .listKeys : .switchKeys]
    return ([heading, ""] + body.dropFirst(first).prefix(room) + ["", foot])
      .map { String(OutputTable.printable($0).prefix(width)) }
  }

  private func title(of app: String) -> String {
    content.apps.first { $0["app"]?.stringValue == app }?["name"]?.stringValue ?? app
  }

  /// Returns the switches that are on for an app, to be shown in the list.
  private func summary(of app: String) -> String {
    guard let values = content.apps.first(where: { $0["app"]?.stringValue == app }) else {
      return ""
    }
    switch values["authorization"]?.stringValue {
    case "denied": return words[.off]
    case "notDetermined": return words[.notAskedYet]
    case "provisional": return words[.quietly]
    default:
      let names: [(String, WordKey)] = [("alert", .alerts), ("sound", .sounds), ("badge", .badges)]
      let on = names.filter { values[$0.0]?.stringValue == "on" }.map { words[$0.1] }
      return on.isEmpty ? words[.off] : on.joined(separator: ", ")
    }
  }

  /// Returns the text for a value, with "on" and "off" in brackets to distinguish switches from other text.
  private func word(_ word: String) -> String {
    let text = settings.text(of: word)
    return SettingsRows.onOff.contains(word) ? "[\(text)]" : text
  }
}
