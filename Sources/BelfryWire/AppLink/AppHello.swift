/// Whether an app is in the foreground.
public enum AppState: String, Sendable, Hashable, CaseIterable {
  case foreground, background
}

/// The first message of a connection: the app's identity and its present state.
///
/// It is sent after each reconnect as well, so that a restarted agent knows the app again.
public struct AppHello: Sendable, Hashable {
  /// The version of the message set that this code speaks.
  public static let protocolVersion: Int64 = 1

  /// What a connection is for.
  public enum Role: String, Sendable, Hashable, CaseIterable {
    /// The app itself.
    case app
    /// A service extension of the app, started by the agent.
    case serviceExtension
    /// A content extension of the app, started by the agent while its notification's window stands.
    case contentExtension
    /// A command that reads or changes the device's state for the person.
    case control
  }

  /// The version of the message set.
  public var version: Int64
  /// What the connection is for.
  public var role: Role
  /// The app's declared id; nil where the agent should identify the process.
  public var appID: String?
  /// Whether an id that is not installed may become a development app of this user.
  public var isDevelopment: Bool
  /// The display name; nil for the installed name, or else the id.
  public var name: String?
  /// The folder that holds the app's resources, as an absolute path.
  public var bundlePath: String?
  /// Whether the app is in front.
  public var state: AppState
  /// Canonical BCP 47 tags, most wanted first; nil follows the device.
  public var languages: [String]?
  /// The value of `BELFRY_LAUNCH` that the agent started this process with.
  public var launch: String?
  /// Background modes of the app's own manifest (`remote-notification`, `location`, …).
  public var backgroundModes: [String]
  /// The text that explains the use of the location; without it access is refused (S1-65).
  public var locationUsage: String?

  /// A greeting of a running app.
  public init(
    role: Role = .app, appID: String?, isDevelopment: Bool = false, state: AppState = .foreground
  ) {
    version = Self.protocolVersion
    self.role = role
    self.appID = appID
    self.isDevelopment = isDevelopment
    self.state = state
    backgroundModes = []
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    version = try fields.integer("version")
    role = try fields.optionalWord("role") ?? .app
    appID = try fields.optionalString("app")
    isDevelopment = try fields.bool("development")
    name = try fields.optionalString("name")
    bundlePath = try fields.optionalString("bundle")
    state = try fields.optionalWord("state") ?? .foreground
    languages = try fields.optionalWords("languages")
    launch = try fields.optionalString("launch")
    // It is looked up among the agent's own tokens.
    guard launch?.isASCII != false else { throw .unexpected(field: "launch") }
    backgroundModes = try fields.words("backgroundModes")
    locationUsage = try fields.optionalString("locationUsage")
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("version", version)
    builder.set("role", role == .app ? nil : role.rawValue)
    builder.set("app", appID)
    builder.set("development", isDevelopment)
    builder.set("name", name)
    builder.set("bundle", bundlePath)
    builder.set("state", state.rawValue)
    builder.set("languages", languages)
    builder.set("launch", launch)
    builder.set("backgroundModes", backgroundModes.isEmpty ? nil : backgroundModes)
    builder.set("locationUsage", locationUsage)
  }
}

/// Why an app was started.
public struct AppLaunch: Sendable, Hashable {
  /// The cause.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The person, or anything else but the agent.
    case user
    /// The person opened a notification or one of its actions; a `response` event follows.
    case response
    /// A push that wants background time; an `arrived` event follows.
    case push
    /// A region was entered or left.
    case location
    /// A background task that the app asked for; a `task` event follows.
    case task
  }

  /// The cause.
  public var reason: Reason
  /// The notification that the person opened.
  public var response: NotificationResponse?
  /// The push's payload, byte for byte.
  public var payload: [UInt8]?
  /// Whether the app comes to the front: it does if the user starts it, for an opened notification, and for
  /// an action that says so (S1-24, S1-36).
  public var isForeground: Bool

  /// A launch; without `isForeground`, in front if it needs no more than its cause to be.
  public init(
    reason: Reason, response: NotificationResponse? = nil, payload: [UInt8]? = nil,
    isForeground: Bool? = nil
  ) {
    self.reason = reason
    self.response = response
    self.payload = payload
    self.isForeground = isForeground ?? Self.isForeground(reason, response)
  }

  /// The value for an earlier agent, which does not send it: it opened the app only for its default action.
  private static func isForeground(_ reason: Reason, _ response: NotificationResponse?) -> Bool {
    switch reason {
    case .user: true
    case .push, .location, .task: false
    case .response: response?.action == NotificationResponse.defaultAction
    }
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    reason = try fields.optionalWord("reason") ?? .user
    response = try fields.optionalFields("response").map(NotificationResponse.init)
    payload = try fields.optionalBytes("payload")
    isForeground = try fields.bool("foreground", default: Self.isForeground(reason, response))
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("reason", reason.rawValue)
    builder.set("foreground", isForeground, unless: Self.isForeground(reason, response))
    builder.set("response", response) { $0.write(&$1) }
    builder.set("payload", bytes: payload)
  }
}

/// The agent's answer to `hello`.
public struct AppWelcome: Sendable, Hashable {
  /// The version of the message set.
  public var version: Int64
  /// The app's id as the agent knows it; nil for a control connection.
  public var appID: String?
  /// An identifier of this run of the agent.
  public var agentRun: String
  /// The app's settings.
  public var settings: NotificationSettings
  /// The number on the app's icon; 0 is none.
  public var badge: Int64
  /// Canonical BCP 47 tags, most wanted first.
  public var languages: [String]
  /// Why this process was started.
  public var launch: AppLaunch
  /// Whether the app is registered for remote notifications.
  public var isRegistered: Bool

  /// A welcome.
  public init(
    appID: String?, agentRun: String, settings: NotificationSettings = NotificationSettings(),
    badge: Int64 = 0, languages: [String] = [], launch: AppLaunch = AppLaunch(reason: .user),
    isRegistered: Bool = false
  ) {
    version = AppHello.protocolVersion
    self.appID = appID
    self.agentRun = agentRun
    self.settings = settings
    self.badge = badge
    self.languages = languages
    self.launch = launch
    self.isRegistered = isRegistered
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    version = try fields.integer("version")
    appID = try fields.optionalString("app")
    agentRun = try fields.string("run")
    settings = try NotificationSettings(fields.fields("settings"))
    badge = try fields.optionalInteger("badge") ?? 0
    languages = try fields.strings("languages")
    launch = try fields.optionalFields("launch").map(AppLaunch.init) ?? AppLaunch(reason: .user)
    isRegistered = try fields.bool("registered")
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("version", version)
    builder.set("app", appID)
    builder.set("run", agentRun)
    builder.set("settings", settings) { $0.write(&$1) }
    builder.set("badge", badge)
    builder.set("languages", languages)
    builder.set("launch", launch) { $0.write(&$1) }
    builder.set("registered", isRegistered)
  }
}
