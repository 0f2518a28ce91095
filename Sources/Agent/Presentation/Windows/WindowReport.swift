import BelfryWire

/// What `belfry-center` reports, one JSON object a line.
enum WindowReport: Hashable {
  case shown(window: String)
  case pressed(window: String, button: String, text: String?)
  /// A button of the Notification Center: of a notification, of an app, or of all.
  case pressedInCenter(app: AppID?, item: String?, button: String, text: String?)
  case closed(window: String)

  /// The name of the Notification Center's window.
  static let center = "center"

  /// Reads a line; nil when it is none that is known.
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
