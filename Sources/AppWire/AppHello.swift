internal import BelfryWire

/// The state of an app: in the foreground or in the background.
public enum AppState: String, Sendable, Hashable, CaseIterable {
  case foreground, background
}

/// The first message of a connection: the app's identity and its current state.
///
/// The app also sends this message after each reconnect, because a restarted agent does not know the app.
public struct AppHello: Sendable, Hashable {
  /// The version of the message set that this code supports.
  public static let protocolVersion: Int64 = 1

  /// The purpose of a connection.
  public enum Role: String, Sendable, Hashable, CaseIterable {
    /// The connection of the app itself.
    case app
    /// A service extension of the app, started by the agent.
    case serviceExtension
    /// A content extension of the app, started by the agent while the notification's window is open.
    case contentExtension
    /// A command that reads or changes the device's state for the user.
    case control
  }

  /// The version of the message set.
  public var version: Int64
  /// The purpose of the connection.
  public var role: Role
  /// The ID that the app declares; nil if the agent should identify the app by its process.
  public var appID: String?
  /// True if an app whose ID is not installed is allowed to become a development app of the current user.
  public var isDevelopment: Bool
  /// The display name; nil selects the installed app's name, or the ID if no installed app has that ID.
  public var name: String?
  /// The absolute path of the folder with the app's resources.
  public var bundlePath: String?
  /// The app's state: in the foreground or in the background.
  public var state: AppState
  /// The app's languages as canonical BCP 47 tags, most preferred first; nil selects the device's languages.
  public var languages: [String]?
  /// The value of `BELFRY_LAUNCH` that the agent set when it started this process.
  public var launch: String?
  /// The background modes in the app's own manifest (`remote-notification`, `location`, …).
  public var backgroundModes: [String]
  /// The explanation of why the app uses the device's location.
  ///
  /// Without an explanation, access is refused (S1-65).
  public var locationUsage: String?

  /// Creates the greeting that an app sends when it connects.
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
    bundlePath = try fields.optionalPath("bundle")
    state = try fields.optionalWord("state") ?? .foreground
    languages = try fields.optionalLanguages("languages")
    launch = try fields.optionalString("launch")
    // The agent compares this value with its own launch tokens, which are ASCII.
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

/// The reason that an app was launched, with the associated data.
public struct AppLaunch: Sendable, Hashable {
  /// The cause of a launch.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The user, or any program other than the agent, started the app.
    case user
    /// The user opened a notification or chose one of its actions; a `response` event follows.
    case response
    /// A push requires background time; an `arrived` event follows.
    case push
    /// The device entered or left a region.
    case location
    /// A background task that the app requested is due; a `task` event follows.
    case task
  }

  /// The cause of the launch.
  public var reason: Reason
  /// The user's response to the notification that they opened.
  public var response: NotificationResponse?
  /// The push's payload, byte for byte.
  public var payload: [UInt8]?
  /// True if the app opens in the foreground.
  ///
  /// An app opens in the foreground if the user starts it, opens a notification, or chooses an action that requires the
  /// foreground (S1-24, S1-36).
  public var isForeground: Bool

  /// Creates the description of a launch.
  ///
  /// If `isForeground` is nil, it is derived from the cause.
  public init(
    reason: Reason, response: NotificationResponse? = nil, payload: [UInt8]? = nil,
    isForeground: Bool? = nil
  ) {
    self.reason = reason
    self.response = response
    self.payload = payload
    self.isForeground = isForeground ?? Self.isForeground(reason, response)
  }

  /// Returns the default for a message from an older agent, which does not contain this value.
  ///
  /// An older agent opens an app in the foreground only if the user starts it or chooses the default action.
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
  /// The ID by which the agent knows the app; nil for a control connection.
  public var appID: String?
  /// The identifier of this run of the agent.
  public var agentRun: String
  /// The app's notification settings.
  public var settings: NotificationSettings
  /// The number on the app's icon; 0 means no badge.
  public var badge: Int64
  /// The app's languages as canonical BCP 47 tags, most preferred first.
  public var languages: [String]
  /// The reason that this process was started.
  public var launch: AppLaunch
  /// True if the app is registered for remote notifications, and has received its device token.
  public var isRegistered: Bool

  /// Creates the answer to a greeting.
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
