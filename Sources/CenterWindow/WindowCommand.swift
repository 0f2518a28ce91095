import BelfryWire

/// A command from the agent, which arrives as one line with a JSON object.
enum WindowCommand: Hashable {
  /// Shows a window with a notification or a question, or updates it.
  case show(DialogContent)
  /// Shows the Notification Center, or updates it.
  case center(CenterContent)
  /// Shows the settings, or updates them.
  case settings(SettingsContent)
  /// Closes a window.
  case close(window: String)

  /// Parses a line, or returns nil if the line is not a known command.
  init?(line: [UInt8]) {
    guard let object = (try? JSONValue(parsing: line))?.objectValue else { return nil }
    switch object["do"]?.stringValue {
    case "show":
      guard let content = DialogContent(object) else { return nil }
      self = .show(content)
    case "center": self = .center(CenterContent(object))
    case "settings": self = .settings(SettingsContent(object))
    case "close":
      guard let window = object["window"]?.stringValue else { return nil }
      self = .close(window: window)
    default: return nil
    }
  }
}

/// A button, and the text field that precedes it if the button's action requires text.
struct ButtonContent: Hashable {
  /// The appearance of a button.
  enum Style: String, Hashable {
    case plain, suggested, destructive
  }

  /// A text field that belongs to the button.
  struct Input: Hashable {
    /// The placeholder that is displayed while the field is empty.
    var placeholder: String
    /// The title of the button that sends the text.
    var send: String
  }

  /// The titles of the buttons with which the user confirms or cancels a press of the button.
  struct Confirmation: Hashable {
    var title: String
    var cancel: String
  }

  /// The agent's identifier for the button.
  var id: String
  var title: String
  var style: Style
  /// The text that a screen reader announces after the title; can be empty.
  var hint: String
  var input: Input?
  /// The confirmation without which a press is not reported; only buttons for the whole list can have one.
  var confirmation: Confirmation?

  init?(_ value: JSONValue) {
    guard let object = value.objectValue, let id = object["id"]?.stringValue else { return nil }
    self.id = id
    title = object["title"]?.stringValue ?? id
    style = object["style"]?.stringValue.flatMap(Style.init) ?? .plain
    hint = object["hint"]?.stringValue ?? ""
    if let input = object["input"]?.objectValue {
      self.input = Input(
        placeholder: input["placeholder"]?.stringValue ?? "",
        send: input["send"]?.stringValue ?? title)
    }
    if let confirm = object["confirm"]?.objectValue {
      confirmation = Confirmation(
        title: confirm["title"]?.stringValue ?? title, cancel: confirm["cancel"]?.stringValue ?? "")
    }
  }

  static func list(_ value: JSONValue?) -> [ButtonContent] {
    (value?.arrayValue ?? []).compactMap(ButtonContent.init)
  }
}

/// The text and the image of a notification or a question; no string contains markup.
struct TextContent: Hashable {
  var title: String
  var subtitle: String
  var body: String
  /// The path of the image; empty if there is no image.
  var image: String

  init(_ object: JSONObject) {
    title = object["title"]?.stringValue ?? ""
    subtitle = object["subtitle"]?.stringValue ?? ""
    body = object["body"]?.stringValue ?? ""
    image = object["image"]?.stringValue ?? ""
  }

  /// The text that a screen reader announces.
  var spoken: String {
    [title, subtitle, body].filter { !$0.isEmpty }.joined(separator: ". ")
  }
}

/// An element of the content that an app draws for its notification.
enum DrawnItem: Hashable {
  case text(String)
  /// An image, specified by its path.
  case picture(String)

  init?(_ value: JSONValue) {
    guard let object = value.objectValue else { return nil }
    if let text = object["text"]?.stringValue {
      self = .text(text)
    } else if let path = object["picture"]?.stringValue {
      self = .picture(path)
    } else {
      return nil
    }
  }
}

/// The content of a window with a single notification or question.
struct DialogContent: Hashable {
  /// The agent's identifier for the window.
  var window: String
  var app: String
  /// The name of an icon in the theme, or a path; empty if there is no icon.
  var icon: String
  var text: TextContent
  /// The content that the app itself draws, from top to bottom.
  var drawn: [DrawnItem] = []
  var buttons: [ButtonContent]
  /// The button whose text field the user requested; empty for no button.
  var focus: String
  var isRightToLeft: Bool
}

extension DialogContent {
  /// The text that a screen reader announces.
  var spoken: String {
    let texts = drawn.compactMap { if case .text(let text) = $0 { text } else { nil } }
    return ([text.spoken] + texts).filter { !$0.isEmpty }.joined(separator: ". ")
  }

  init?(_ object: JSONObject) {
    guard let window = object["window"]?.stringValue, !window.isEmpty else { return nil }
    self.window = window
    app = object["app"]?.stringValue ?? ""
    icon = object["icon"]?.stringValue ?? ""
    text = TextContent(object)
    drawn = (object["content"]?.arrayValue ?? []).compactMap(DrawnItem.init)
    buttons = ButtonContent.list(object["buttons"])
    focus = object["focus"]?.stringValue ?? ""
    isRightToLeft = object["direction"]?.stringValue == "rtl"
  }
}

/// The content of the Notification Center: delivered notifications, grouped by app and thread.
struct CenterContent: Hashable {
  /// A delivered notification.
  struct Item: Hashable {
    var id: String
    /// The delivery date, formatted for the user.
    var date: String
    var text: TextContent
    var buttons: [ButtonContent]
  }

  /// The notifications in a thread.
  struct Thread: Hashable {
    /// The title; empty for the thread of notifications that do not specify a thread.
    var title: String
    var items: [Item]
  }

  /// The notifications of an app.
  struct Group: Hashable {
    var id: String
    var app: String
    var icon: String
    var buttons: [ButtonContent]
    var threads: [Thread]
  }

  var title: String
  /// The text that is shown if there are no notifications.
  var empty: String
  /// The buttons that apply to all notifications.
  var buttons: [ButtonContent]
  var groups: [Group]
  var isRightToLeft: Bool

  init(_ object: JSONObject) {
    title = object["title"]?.stringValue ?? ""
    empty = object["empty"]?.stringValue ?? ""
    buttons = ButtonContent.list(object["buttons"])
    groups = (object["groups"]?.arrayValue ?? []).compactMap(Group.init)
    isRightToLeft = object["direction"]?.stringValue == "rtl"
  }
}

extension CenterContent.Group {
  init?(_ value: JSONValue) {
    guard let object = value.objectValue, let id = object["id"]?.stringValue else { return nil }
    self.id = id
    app = object["app"]?.stringValue ?? id
    icon = object["icon"]?.stringValue ?? ""
    buttons = ButtonContent.list(object["buttons"])
    threads = (object["threads"]?.arrayValue ?? []).compactMap(\.objectValue).map { thread in
      CenterContent.Thread(
        title: thread["title"]?.stringValue ?? "",
        items: (thread["items"]?.arrayValue ?? []).compactMap(CenterContent.Item.init))
    }
  }
}

extension CenterContent.Item {
  init?(_ value: JSONValue) {
    guard let object = value.objectValue, let id = object["id"]?.stringValue else { return nil }
    self.id = id
    date = object["date"]?.stringValue ?? ""
    text = TextContent(object)
    buttons = ButtonContent.list(object["buttons"])
  }
}
