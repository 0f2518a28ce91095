import BelfryWire

/// A report from `belfry-center`, sent as one JSON object per line.
enum WindowReport: Hashable {
  case shown(window: String)
  case pressed(window: String, button: String, text: String?)
  /// A button in the Notification Center was pressed: a button of a notification, of an app, or of the whole list.
  case pressedInCenter(app: AppID?, item: String?, button: String, text: String?)
  case closed(window: String)

  /// The name of the Notification Center's window.
  static let center = "center"

  /// Parses a line; nil if it is not a known report.
  init?(line: [UInt8]) {
    guard let object = (try? JSONValue(parsing: line))?.objectValue,
      let window = object["window"]?.stringValue
    else { return nil }
    let button = object["button"]?.stringValue
    let text = object["text"]?.stringValue
    switch (object["event"]?.stringValue, button) {
    case ("shown", _): self = .shown(window: window)
    case ("closed", _): self = .closed(window: window)
    case ("pressed", let button?) where window == Self.center:
      self = .pressedInCenter(
        app: object["app"]?.stringValue.flatMap(AppID.init), item: object["item"]?.stringValue,
        button: button, text: text)
    case ("pressed", let button?): self = .pressed(window: window, button: button, text: text)
    default: return nil
    }
  }
}
