internal import Console
internal import BelfryWire
internal import PushWire
internal import Gateway

/// A user's action on a virtual phone, as a page sends it.
enum PhoneCommand: Equatable {
  case install(app: String, isQuiet: Bool)
  case remove(app: String)
  /// Brings an app to the foreground; nil shows the home screen.
  case front(app: String?)
  /// Turns an app's notifications on or off.
  ///
  /// The command answers the app's permission prompt, or decides about an app that delivers quietly.
  case answer(app: String, isAllowed: Bool)
  case setting(app: String, name: String, value: String)
  case open(app: String, id: String)
  case act(app: String, id: String, action: String, text: String?)
  /// Removes notifications; nil removes all of them.
  case dismiss(app: String?, id: String?)
  /// Changes one part of the device's state, such as `locked` or `focus`.
  case state(name: String, value: String)

  /// Parses a command; throws if a member is missing, unknown, or of the wrong type.
  init(_ object: JSONObject) throws(AdministrationFailure) {
    var fields = AdministrationFields(object)
    let verb = try fields.text("do")
    switch verb {
    case "install":
      self = .install(
        app: try Self.app(&fields), isQuiet: try fields.optionalBool("quiet") ?? false)
    case "remove": self = .remove(app: try Self.app(&fields))
    case "front": self = .front(app: try fields.optionalText("app"))
    case "answer":
      self = .answer(
        app: try Self.app(&fields), isAllowed: try fields.optionalBool("allow") ?? false)
    case "settings":
      self = .setting(
        app: try Self.app(&fields), name: try fields.text("name"),
        value: try fields.text("value"))
    case "open": self = .open(app: try Self.app(&fields), id: try fields.text("id"))
    case "act":
      self = .act(
        app: try Self.app(&fields), id: try fields.text("id"),
        action: try fields.text("action"), text: try fields.optionalText("text"))
    case "dismiss":
      self = .dismiss(app: try fields.optionalText("app"), id: try fields.optionalText("id"))
    case "state":
      self = .state(name: try fields.text("name"), value: try fields.text("value"))
    default:
      throw AdministrationFailure(
        .invalid, "unknown command '\(verb)'", do: "see docs/admin-api.md")
    }
    try fields.end()
  }

  private static func app(
    _ fields: inout AdministrationFields
  ) throws(AdministrationFailure) -> String {
    let app = try fields.text("app")
    let bytes = Array(app.utf8)
    guard TopicParts.isWellFormed(bytes.span) else {
      throw AdministrationFailure(
        .invalid, "'\(app)' is not a valid bundle identifier", do: "use one such as com.example.app"
      )
    }
    return app
  }
}
