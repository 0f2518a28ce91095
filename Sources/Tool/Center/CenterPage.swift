import Agent
import BelfryWire
import AppWire

/// The state machine of the Notification Center in a terminal, which receives keys and returns actions and lines.
struct CenterPage: TerminalPage {
  /// The action that follows a key press.
  enum Action: Hashable, TerminalPageAction {
    case none
    case quit
    /// Send this request to the agent.
    case ask(ControlRequest)
    /// Ask the user for text, then send it to the agent.
    case reply(app: String, id: String, action: String, placeholder: String)
  }

  /// The part of the agent's state that the page shows.
  struct Content: Hashable {
    /// The rows of `belfry center`, oldest first.
    var rows: [JSONObject] = []
    var languages: [String] = []
  }

  /// The identity of a notification.
  private struct Name: Hashable {
    let app: String
    let id: String

    init(_ row: JSONObject) {
      app = row["app"]?.stringValue ?? ""
      id = row["id"]?.stringValue ?? ""
    }
  }

  /// A line that can be selected.
  private struct Row {
    var title: String
    var action: Action
    /// The notification that the line opens or clears.
    var name: Name?

    /// Returns true if the lines do the same; their titles can differ.
    func isSame(as other: Row) -> Bool { name == other.name && action == other.action }
  }

  /// The notifications of an app, grouped by thread.
  private struct Group {
    let app: String
    let name: String
    let isProvisional: Bool
    var threads: [(id: String, rows: [JSONObject])]
  }

  private var content = Content()
  private var words = DeviceWords.english
  /// The notification whose page is shown; nil for the list.
  private var open: Name?
  private var listPosition = 0
  private var position = 0
  private var problem: String?
  private let date: (Int64) -> String

  /// Creates a page.
  ///
  /// `date` formats a time, given in milliseconds since 1970, for display.
  init(date: @escaping (Int64) -> String) { self.date = date }

  /// Shows a new state of the agent; if the agent refused the last request, also shows the reason.
  ///
  /// The same line stays selected, so that a key never acts on a notification that has just arrived.
  mutating func show(_ content: Content, problem: String? = nil) {
    let selected = selectable.indices.contains(position) ? selectable[position] : nil
    self.content = content
    self.problem = problem
    words = DeviceWords(languages: content.languages)
    if open != nil, openRow == nil {
      leave()
    } else if let selected, let index = selectable.firstIndex(where: { $0.isSame(as: selected) }) {
      position = index
    }
    position = max(0, min(position, selectable.count - 1))
  }

  /// Handles a key press.
  mutating func press(_ key: PageKey) -> Action {
    problem = nil
    let rows = selectable
    switch key {
    case .up: position = max(0, position - 1)
    case .down: position = max(0, min(rows.count - 1, position + 1))
    case .quit: return .quit
    case .back:
      if open == nil { return .quit }
      leave()
    case .left: leave()
    case .clear:
      guard let name = open ?? (rows.indices.contains(position) ? rows[position].name : nil)
      else { return .none }
      return .ask(.dismiss(app: name.app, id: name.id))
    case .enter, .right:
      guard rows.indices.contains(position) else { return .none }
      if open == nil, let name = rows[position].name {
        listPosition = position
        position = 0
        open = name
        return .none
      }
      return rows[position].action
    }
    return .none
  }

  private mutating func leave() {
    guard let left = open else { return }
    open = nil
    position = selectable.firstIndex { $0.name == left } ?? listPosition
  }

  // MARK: - The rows

  private var openRow: JSONObject? { content.rows.first { Name($0) == open } }

  private var selectable: [Row] {
    if let row = openRow { return actionRows(row) }
    return groups.flatMap { group in
      decisionRows(group)
        + group.threads.flatMap(\.rows).map {
          Row(title: title($0), action: .none, name: Name($0))
        }
    }
  }

  /// The groups, starting with the app and the thread that have the newest notification.
  private var groups: [Group] {
    var groups: [Group] = []
    for row in content.rows.reversed() {
      let app = Name(row).app
      let thread = row["thread"]?.stringValue ?? ""
      let index = groups.firstIndex { $0.app == app } ?? groups.count
      if index == groups.count {
        groups.append(
          Group(
            app: app, name: row["name"]?.stringValue ?? app,
            isProvisional: row["authorization"]?.stringValue == "provisional", threads: []))
      }
      if let known = groups[index].threads.firstIndex(where: { $0.id == thread }) {
        groups[index].threads[known].rows.append(row)
      } else {
        groups[index].threads.append((thread, [row]))
      }
    }
    return groups
  }

  private func decisionRows(_ group: Group) -> [Row] {
    guard group.isProvisional else { return [] }
    return [(words[.keep], "on"), (words[.turnOff], "off")].map { title, word in
      Row(
        title: title,
        action: .ask(.changeSettings(app: group.app, ["notifications": word])))
    }
  }

  private func actionRows(_ row: JSONObject) -> [Row] {
    let name = Name(row)
    var rows = [Row(title: words[.open], action: .ask(.open(app: name.app, id: name.id)))]
    for value in row["actions"]?.arrayValue ?? [] {
      guard let action = value.objectValue, let id = action["id"]?.stringValue else { continue }
      let hint = action["destructive"]?.boolValue == true ? " (\(words[.destructiveHint]))" : ""
      let asked: Action =
        if let placeholder = action["placeholder"]?.stringValue {
          .reply(app: name.app, id: name.id, action: id, placeholder: placeholder)
        } else {
          .ask(.act(app: name.app, id: name.id, action: id, text: nil))
        }
      rows.append(Row(title: (action["title"]?.stringValue ?? id) + hint, action: asked))
    }
    rows.append(
      Row(title: words[.clear], action: .ask(.dismiss(app: name.app, id: name.id))))
    return rows
  }

  private func title(_ row: JSONObject) -> String {
    let texts = ["title", "subtitle", "body"].compactMap { row[$0]?.stringValue }
    let moment = row["date"]?.integerValue.map(date) ?? ""
    return ([moment] + [texts.filter { !$0.isEmpty }.joined(separator: " · ")])
      .joined(separator: "  ")
  }

  // MARK: - The lines

  /// Returns the page's lines, with the selected line marked; at most `height` lines of up to `width` characters.
  func lines(width: Int, height: Int) -> [String] {
    let (heading, body, chosen) = openRow.map(notificationLines) ?? listLines
    // Keep the selected line visible.
    let room = max(1, height - 4)
    let first = max(0, min(chosen - room / 2, body.count - room))
    let foot =
      problem.map { "! \($0)" } ?? words[open == nil ? .centerKeys : .notificationKeys]
    return ([heading, ""] + body.dropFirst(first).prefix(room) + ["", foot])
      .map { String(OutputTable.printable($0).prefix(width)) }
  }

  /// Returns the lines of a text field that contains the text typed so far.
  func replyLines(_ placeholder: String, _ typed: String, width: Int) -> [String] {
    let label = placeholder.isEmpty ? words[.reply] : placeholder
    return ["\(label): \(typed)", "", words[.replyKeys]]
      .map { String(OutputTable.printable($0).suffix(width)) }
  }

  private func mark(_ index: Int) -> String { index == position ? "> " : "  " }

  private var listLines: (heading: String, body: [String], chosen: Int) {
    guard !content.rows.isEmpty else {
      return (words[.notificationCenter], ["  " + words[.noNotifications]], 0)
    }
    var body: [String] = []
    var chosen = 0
    var index = 0
    func add(_ title: String, indented: Bool = false) {
      if index == position { chosen = body.count }
      body.append(mark(index) + (indented ? "  " : "") + title)
      index += 1
    }
    for group in groups {
      if !body.isEmpty { body.append("") }
      body.append(group.name + (group.isProvisional ? " · \(words[.quietly])" : ""))
      for row in decisionRows(group) { add(row.title) }
      for thread in group.threads {
        let isGrouped = !thread.id.isEmpty && thread.rows.count > 1
        if isGrouped { body.append("  " + words.count(.notificationCount, thread.rows.count)) }
        for row in thread.rows { add(title(row), indented: isGrouped) }
      }
    }
    let count = words.count(.notificationCount, content.rows.count)
    return ("\(words[.notificationCenter]) · \(count)", body, chosen)
  }

  private func notificationLines(_ row: JSONObject) -> (
    heading: String, body: [String], chosen: Int
  ) {
    let texts = ["title", "subtitle", "body"].compactMap { row[$0]?.stringValue }
      .filter { !$0.isEmpty }
    let name = row["name"]?.stringValue ?? Name(row).app
    let moment = row["date"]?.integerValue.map(date) ?? ""
    let actions = actionRows(row).enumerated().map { index, row in mark(index) + row.title }
    let body = texts.flatMap { $0.split(separator: "\n").map { "  \($0)" } } + [""] + actions
    return ("\(name) · \(moment)", body, body.count - actions.count + position)
  }
}
