public import BelfryWire

/// A request about the device, from the user or from a command on the user's behalf.
///
/// Notification IDs are unique only within an app. `app` can be nil if the ID is unambiguous without it.
public enum ControlRequest: Sendable, Hashable {
  /// Lists the apps; answered by `rows`.
  case apps
  /// Installs an app from a folder or a `.desktop` file; answered by `rows` with one app.
  case install(path: String)
  case removeApp(String)
  /// Reads an app's token; answered by `token` in hexadecimal, or nil.
  case token(app: String, kind: TokenKind)
  /// Adds a notification for an app.
  ///
  /// If the app has never requested permission, the agent asks the user first.
  case notify(app: String, NotificationRequest)
  /// Waits for the user's response to a notification, which may be added after this request.
  ///
  /// The answer is `rows` with one row: `action`, and `text` if the action has a text field. The app does not receive
  /// the response.
  case awaitResponse(app: String, id: String)  // text: a command of the user names it
  /// Lists pending requests and their apps; a nil `app` selects every app.
  case scheduled(app: String?)
  /// Cancels a request; a nil `id` cancels all requests of the app, and a nil `app` cancels the requests of all apps.
  case cancel(app: String?, id: String?)
  /// Computes the next dates on which a request fires; answered by `dates`.
  case nextDates(app: String?, id: String, count: Int64)
  /// Reads the switches of one app or, if `app` is nil, of all apps and the device; answered by `rows`.
  case appSettings(app: String?)
  /// Changes an app's switches, such as `alert`, `sound`, `badge`, `previews`, and `location`.
  case changeSettings(app: String, [String: String])
  /// Changes device-wide settings: `languages`, `location`.
  case changeDevice([String: String])
  /// Lists the delivered notifications; answered by `rows`.
  case center(app: String?)
  /// Opens the Notification Center window on the display that these variables specify.
  case openCenter([String: String])
  case open(app: String?, id: String)
  case act(app: String?, id: String, action: String, text: String?)
  /// Dismisses a notification; a nil `id` dismisses all.
  case dismiss(app: String?, id: String?)
  /// Reads the agent's `time`, `date`, and `zone`; answered by `rows` with one row.
  case clock
  /// Sets a manual clock to a time, in milliseconds since 1970.
  case setClock(unixMilliseconds: Int64)
  /// Advances a manual clock by a number of milliseconds.
  case advanceClock(milliseconds: Int64)
  /// Changes the time zone of a manual clock.
  case setZone(String)
  case setPlace(latitude: Double, longitude: Double)
  /// Opens or closes the link to the gateway.
  case moveLink(isOnline: Bool)
  /// Cancels an app's registration; its token becomes inactive.
  case unregister(app: String, kind: TokenKind)  // text: the agent looks it up as an AppID
  /// Lists the apps that have registered with the UnifiedPush distributor; answered by `rows`.
  case subscriptions
  /// Ends the registration with this token, and informs its app.
  case removeSubscription(token: String)  // text: the agent looks it up as UTF8Text
  /// Requests a Web Push subscription and ends it again; answered by `rows`, with one row for each step.
  case testSubscription
  /// Sets `locked`, `battery`, `metered`, or `focus`; answered by `rows` with one row that contains all values.
  case state([String: String])
  /// Lists the agent's capabilities and the missing components; answered by `rows`.
  case diagnose

  /// Parses a request of the given type.
  ///
  /// Returns nil for an unknown type.
  init?(type: String, _ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    let app = try fields.optionalString("app")
    switch type {
    case "control.apps": self = .apps
    case "control.install": self = .install(path: try fields.path("path"))
    case "control.removeApp": self = .removeApp(try fields.string("app"))
    case "control.token":
      self = .token(
        app: try fields.string("app"), kind: try fields.optionalKind("kind") ?? .alert)
    case "control.notify":
      self = .notify(
        app: try fields.string("app"), try NotificationRequest(fields.fields("request")))
    case "control.awaitResponse":
      self = .awaitResponse(app: try fields.string("app"), id: try fields.string("id"))
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
    case "control.openCenter": self = .openCenter(try Self.words(fields, "environment"))
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
    case "control.setZone": self = .setZone(try fields.name("zone"))
    case "control.setPlace":
      self = .setPlace(
        latitude: try fields.double("latitude"), longitude: try fields.double("longitude"))
    case "control.moveLink": self = .moveLink(isOnline: try fields.bool("isOnline"))
    case "control.unregister":
      self = .unregister(
        app: try fields.string("app"), kind: try fields.optionalKind("kind") ?? .alert)
    case "control.subscriptions": self = .subscriptions
    case "control.removeSubscription":
      self = .removeSubscription(token: try fields.string("token"))
    case "control.testSubscription": self = .testSubscription
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
      // Keys must be ASCII, like the names of all switches, conditions, and variables. Arbitrary strings could make
      // dictionary lookups slow.
      guard member.key.isASCII, let word = member.value.stringValue, word.isASCII else {
        throw .unexpected(field: key)
      }
      words[member.key] = word
    }
    return words
  }

  private static func object(_ words: [String: String]) -> JSONObject {
    JSONObject(words.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("type", typeName)
    writeFields(&builder)
  }

  private var typeName: String {
    switch self {
    case .apps: "control.apps"
    case .install: "control.install"
    case .removeApp: "control.removeApp"
    case .token: "control.token"
    case .notify: "control.notify"
    case .awaitResponse: "control.awaitResponse"
    case .scheduled: "control.scheduled"
    case .cancel: "control.cancel"
    case .nextDates: "control.nextDates"
    case .appSettings: "control.appSettings"
    case .changeSettings: "control.changeSettings"
    case .changeDevice: "control.changeDevice"
    case .center: "control.center"
    case .openCenter: "control.openCenter"
    case .open: "control.open"
    case .act: "control.act"
    case .dismiss: "control.dismiss"
    case .clock: "control.clock"
    case .setClock: "control.setClock"
    case .advanceClock: "control.advanceClock"
    case .setZone: "control.setZone"
    case .setPlace: "control.setPlace"
    case .moveLink: "control.moveLink"
    case .unregister: "control.unregister"
    case .subscriptions: "control.subscriptions"
    case .removeSubscription: "control.removeSubscription"
    case .testSubscription: "control.testSubscription"
    case .state: "control.state"
    case .diagnose: "control.diagnose"
    }
  }

  private func writeFields(_ builder: inout AppLinkBuilder) {
    switch self {
    case .install(let path):
      builder.set("path", path)
    case .removeApp(let app):
      builder.set("app", app)
    case .moveLink(let isOnline):
      builder.set("isOnline", isOnline)
    case .token(let app, let kind), .unregister(let app, let kind):
      builder.set("app", app)
      builder.set("kind", "\(kind.name)")
    case .notify(let app, let request):
      builder.set("app", app)
      builder.set("request", request) { $0.write(&$1) }
    case .awaitResponse(let app, let id):
      builder.set("app", app)
      builder.set("id", id)
    case .scheduled(let app):
      builder.set("app", app)
    case .cancel(let app, let id):
      builder.set("app", app)
      builder.set("id", id)
    case .nextDates(let app, let id, let count):
      builder.set("app", app)
      builder.set("id", id)
      builder.set("count", count)
    case .appSettings(let app):
      builder.set("app", app)
    case .changeSettings(let app, let changes):
      builder.set("app", app)
      builder.set("changes", Self.object(changes))
    case .changeDevice(let changes):
      builder.set("changes", Self.object(changes))
    case .center(let app):
      builder.set("app", app)
    case .openCenter(let environment):
      builder.set("environment", Self.object(environment))
    case .open(let app, let id):
      builder.set("app", app)
      builder.set("id", id)
    case .act(let app, let id, let action, let text):
      builder.set("app", app)
      builder.set("id", id)
      builder.set("action", action)
      builder.set("text", text)
    case .dismiss(let app, let id):
      builder.set("app", app)
      builder.set("id", id)
    case .setClock(let date):
      builder.set("date", date)
    case .advanceClock(let milliseconds):
      builder.set("milliseconds", milliseconds)
    case .setZone(let zone):
      builder.set("zone", zone)
    case .setPlace(let latitude, let longitude):
      builder.set("latitude", latitude)
      builder.set("longitude", longitude)
    case .state(let changes):
      builder.set("changes", Self.object(changes))
    case .removeSubscription(let token):
      builder.set("token", token)
    case .apps, .clock, .diagnose, .subscriptions, .testSubscription: break
    }
  }
}
