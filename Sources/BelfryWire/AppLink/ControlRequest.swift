/// What a person, or a command on the person's behalf, asks of the device.
///
/// Ids of notifications are per app: `app` may be nil where the id alone is clear.
public enum ControlRequest: Sendable, Hashable {
  /// Answered by `rows`: the apps.
  case apps
  /// Installs an app from a folder or a `.desktop` file; answered by `rows` with one app.
  case install(path: String)
  case removeApp(String)
  /// Answered by `token` in hex, or nil.
  case token(app: String, kind: TokenKind)
  /// Adds a notification as that app does; an app that never asked is asked for first.
  case notify(app: String, NotificationRequest)
  /// Answered by pending requests with their apps; nil is every app.
  case scheduled(app: String?)
  /// nil is all of the app, or of every app.
  case cancel(app: String?, id: String?)
  /// Answered by `dates`: the next moments at which it fires.
  case nextDates(app: String?, id: String, count: Int64)
  /// Answered by `rows`: each app's switches, or the device's.
  case appSettings(app: String?)
  /// Turns switches: `alert`, `sound`, `badge`, `previews`, `location`, ….
  case changeSettings(app: String, [String: String])
  /// Device-wide: `languages`, `location`.
  case changeDevice([String: String])
  /// Answered by `rows`: what has been delivered.
  case center(app: String?)
  case open(app: String?, id: String)
  case act(app: String?, id: String, action: String, text: String?)
  /// nil is all.
  case dismiss(app: String?, id: String?)
  /// Answered by `rows` with one row: the agent's `time`, `date` and `zone`.
  case clock
  /// Manual clock: to that instant, in milliseconds since 1970.
  case setClock(unixMilliseconds: Int64)
  /// Manual clock: on by so many milliseconds.
  case advanceClock(milliseconds: Int64)
  /// Manual clock: into that zone.
  case setZone(String)
  case setPlace(latitude: Double, longitude: Double)
  /// `locked`, `battery`, `metered`, `focus`; answered by `rows` with one row of all.
  case state([String: String])
  /// Answered by `rows`: what the agent has and lacks.
  case diagnose

  /// Reads a request by its type; nil when it is none of these.
  init?(type: String, _ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    let app = try fields.optionalString("app")
    switch type {
    case "control.apps": self = .apps
    case "control.install": self = .install(path: try fields.string("path"))
    case "control.removeApp": self = .removeApp(try fields.string("app"))
    case "control.token":
      self = .token(
        app: try fields.string("app"), kind: try fields.optionalKind("kind") ?? .alert)
    case "control.notify":
      self = .notify(
        app: try fields.string("app"), try NotificationRequest(fields.fields("request")))
    case "control.scheduled": self = .scheduled(app: app)
    case "control.cancel": self = .cancel(app: app, id: try fields.optionalString("id"))
    case "control.nextDates":
      self = .nextDates(
        app: app, id: try fields.string("id"), count: try fields.integer("count"))
    case "control.appSettings": self = .appSettings(app: app)
    case "control.changeSettings":
      self = .changeSettings(
        app: try fields.string("app"), try Self.words(fields, "changes"))
    case "control.changeDevice": self = .changeDevice(try Self.words(fields, "changes"))
    case "control.center": self = .center(app: app)
    case "control.open": self = .open(app: app, id: try fields.string("id"))
    case "control.act":
      self = .act(
        app: app, id: try fields.string("id"), action: try fields.string("action"),
        text: try fields.optionalString("text"))
    case "control.dismiss": self = .dismiss(app: app, id: try fields.optionalString("id"))
    case "control.clock": self = .clock
    case "control.setClock": self = .setClock(unixMilliseconds: try fields.integer("date"))
    case "control.advanceClock":
      self = .advanceClock(milliseconds: try fields.integer("milliseconds"))
    case "control.setZone": self = .setZone(try fields.string("zone"))
    case "control.setPlace":
      self = .setPlace(
        latitude: try fields.double("latitude"), longitude: try fields.double("longitude"))
    case "control.state": self = .state(try Self.words(fields, "changes"))
    case "control.diagnose": self = .diagnose
    default: return nil
    }
  }

  private static func words(_ fields: AppLinkFields, _ key: String)
    throws(AppLinkDecodingFailure) -> [String: String]
  {
    var words: [String: String] = [:]
    for member in try fields.optionalObject(key)?.members ?? [] {
      guard let word = member.value.stringValue else { throw .unexpected(field: key) }
      words[member.key] = word
    }
    return words
  }

  private static func object(_ words: [String: String]) -> JSONObject {
    JSONObject(words.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
  }

  func write(_ builder: inout AppLinkBuilder) {
    switch self {
    case .apps: builder.set("type", "control.apps")
    case .install(let path):
      builder.set("type", "control.install")
      builder.set("path", path)
    case .removeApp(let app):
      builder.set("type", "control.removeApp")
      builder.set("app", app)
    case .token(let app, let kind):
      builder.set("type", "control.token")
      builder.set("app", app)
      builder.set("kind", "\(kind.name)")
    case .notify(let app, let request):
      builder.set("type", "control.notify")
      builder.set("app", app)
      builder.set("request", request) { $0.write(&$1) }
    case .scheduled(let app):
      builder.set("type", "control.scheduled")
      builder.set("app", app)
    case .cancel(let app, let id):
      builder.set("type", "control.cancel")
      builder.set("app", app)
      builder.set("id", id)
    case .nextDates(let app, let id, let count):
      builder.set("type", "control.nextDates")
      builder.set("app", app)
      builder.set("id", id)
      builder.set("count", count)
    case .appSettings(let app):
      builder.set("type", "control.appSettings")
      builder.set("app", app)
    case .changeSettings(let app, let changes):
      builder.set("type", "control.changeSettings")
      builder.set("app", app)
      builder.set("changes", Self.object(changes))
    case .changeDevice(let changes):
      builder.set("type", "control.changeDevice")
      builder.set("changes", Self.object(changes))
    case .center(let app):
      builder.set("type", "control.center")
      builder.set("app", app)
    case .open(let app, let id):
      builder.set("type", "control.open")
      builder.set("app", app)
      builder.set("id", id)
    case .act(let app, let id, let action, let text):
      builder.set("type", "control.act")
      builder.set("app", app)
      builder.set("id", id)
      builder.set("action", action)
      builder.set("text", text)
    case .dismiss(let app, let id):
      builder.set("type", "control.dismiss")
      builder.set("app", app)
      builder.set("id", id)
    case .clock: builder.set("type", "control.clock")
    case .setClock(let date):
      builder.set("type", "control.setClock")
      builder.set("date", date)
    case .advanceClock(let milliseconds):
      builder.set("type", "control.advanceClock")
      builder.set("milliseconds", milliseconds)
    case .setZone(let zone):
      builder.set("type", "control.setZone")
      builder.set("zone", zone)
    case .setPlace(let latitude, let longitude):
      builder.set("type", "control.setPlace")
      builder.set("latitude", latitude)
      builder.set("longitude", longitude)
    case .state(let changes):
      builder.set("type", "control.state")
      builder.set("changes", Self.object(changes))
    case .diagnose: builder.set("type", "control.diagnose")
    }
  }
}
