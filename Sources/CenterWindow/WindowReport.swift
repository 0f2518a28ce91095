import BelfryWire

/// A report to the agent about a window, which is sent as one line with a JSON object.
enum WindowReport: Hashable {
  /// A window is on screen.
  case shown(window: String)
  /// A button was pressed; `text` is the content of its text field.
  case pressed(window: String, button: String, text: String?)
  /// A button in the Notification Center was pressed; the button belongs to a notification, an app, or the whole list.
  case pressedInCenter(app: String?, item: String?, button: String, text: String?)
  /// The user selected a value for a setting.
  case changed(section: String, row: String, value: String)
  /// A window was closed without an answer.
  case closed(window: String)

  /// The identifier of the Notification Center's window.
  static let center = "center"
  /// The identifier of the settings window.
  static let settings = "settings"

  /// The report as a line, without a newline.
  var line: String {
    var object: JSONObject
    switch self {
    case .shown(let window): object = ["event": "shown", "window": .string(window)]
    case .closed(let window): object = ["event": "closed", "window": .string(window)]
    case .changed(let section, let row, let value):
      object = [
        "event": "changed", "window": .string(Self.settings), "section": .string(section),
        "row": .string(row), "value": .string(value),
      ]
    case .pressed(let window, let button, let text):
      object = ["event": "pressed", "window": .string(window), "button": .string(button)]
      object["text"] = text.map(JSONValue.string)
    case .pressedInCenter(let app, let item, let button, let text):
      object = [
        "event": "pressed", "window": .string(Self.center), "button": .string(button),
      ]
      object["app"] = app.map(JSONValue.string)
      object["item"] = item.map(JSONValue.string)
      object["text"] = text.map(JSONValue.string)
    }
    return object.text
  }
}
