import BelfryWire

/// A command of the agent, one JSON object a line.
enum WindowCommand: Hashable {
  /// Shows a window with a notification or a question, or shows it anew.
  case show(DialogContent)
  /// Shows the Notification Center, or shows it anew.
  case center(CenterContent)
  /// Shows the settings, or updates them.
  case settings(SettingsContent)
  /// Takes a window away.
  case close(window: String)

  /// Reads a line; nil when it is none that is known.
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

/// A button, and the text field before it where it asks for a text.
struct ButtonContent: Hashable {
  /// The look of a button.
  enum Style: String, Hashable {
    case plain, suggested, destructive
  }

  /// A field for a text that goes with the button.
  struct Input: Hashable {
    /// What stands in the empty field.
    var placeholder: String
    /// The text on the button that sends it.
    var send: String
  }

  /// What the agent knows it by.
  var id: String
  var title: String
  var style: Style
  /// What a screen reader adds to the title; empty is nothing.
  var hint: String
  var input: Input?

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
  }

  static func list(_ value: JSONValue?) -> [ButtonContent] {
    (value?.arrayValue ?? []).compactMap(ButtonContent.init)
  }
}

/// The texts and the picture of a notification or a question, none of them markup.
struct TextContent: Hashable {
  var title: String
  var subtitle: String
  var body: String
  /// A picture's path; empty is none.
  var image: String

  init(_ object: JSONObject) {
    title = object["title"]?.stringValue ?? ""
    subtitle = object["subtitle"]?.stringValue ?? ""
    body = object["body"]?.stringValue ?? ""
    image = object["image"]?.stringValue ?? ""
  }

  /// What a screen reader says of it.
  var spoken: String {
    [title, subtitle, body].filter { !$0.isEmpty }.joined(separator: ". ")
  }
}

/// One thing that an app shows of its notification itself.
enum DrawnItem: Hashable {
  case text(String)
  /// A picture's path.
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

/// A window with one notification or question.
struct DialogContent: Hashable {
  /// What the agent knows it by.
  var window: String
  var app: String
  /// A themed icon's name or a path; empty is none.
  var icon: String
  var text: TextContent
  /// What the app shows of it itself, from top to bottom.
  var drawn: [DrawnItem] = []
  var buttons: [ButtonContent]
  /// The button whose text field the person asked for; empty is none.
  var focus: String
  var isRightToLeft: Bool
}

extension DialogContent {
  /// What a screen reader says of it.
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

/// The Notification Center: what was delivered, by app and thread.
struct CenterContent: Hashable {
  /// A notification.
  struct Item: Hashable {
    var id: String
    /// When it came, for people.
    var date: String
    var text: TextContent
    var buttons: [ButtonContent]
  }

  /// The notifications of one thread.
  struct Thread: Hashable {
    /// Empty for the thread of those that name none.
    var title: String
    var items: [Item]
  }

  /// The notifications of one app.
  struct Group: Hashable {
    var id: String
    var app: String
    var icon: String
    var buttons: [ButtonContent]
    var threads: [Thread]
  }

  var title: String
  /// What stands there while there is nothing.
  var empty: String
  /// Buttons for all of it.
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
