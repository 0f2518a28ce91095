/// The permissions that an app may request.
public enum AuthorizationOption: String, Sendable, Hashable, CaseIterable {
  case badge, sound, alert, carPlay, criticalAlert, providesAppNotificationSettings, provisional
  case announcement, timeSensitive
}

/// A person's decision about an app.
public enum AuthorizationStatus: String, Sendable, Hashable, CaseIterable {
  case notDetermined, denied, authorized, provisional

  /// Whether notifications of the app may appear at all.
  public var allows: Bool { self == .authorized || self == .provisional }
}

/// Where a notification may be shown in the foreground app, by Apple's names.
public enum PresentationOption: String, Sendable, Hashable, CaseIterable {
  case badge, sound, alert, list, banner
}

/// The notification settings of an app, as in `UNNotificationSettings`.
public struct NotificationSettings: Sendable, Hashable {
  /// The value of a switch, or its absence.
  public enum Switch: String, Sendable, Hashable, CaseIterable {
    case notSupported, disabled, enabled
  }
  /// The style of alerts.
  public enum AlertStyle: String, Sendable, Hashable, CaseIterable {
    case none, banner, alert
  }
  /// When texts are shown.
  public enum Previews: String, Sendable, Hashable, CaseIterable {
    case always, whenAuthenticated, never
  }

  /// The person's decision.
  public var status = AuthorizationStatus.notDetermined
  /// Alerts on the screen.
  public var alert = Switch.notSupported
  /// Sounds.
  public var sound = Switch.notSupported
  /// Badges.
  public var badge = Switch.notSupported
  /// The list of delivered notifications.
  public var center = Switch.notSupported
  /// On the locked screen.
  public var lockScreen = Switch.notSupported
  /// Alerts that ignore silence and focus.
  public var criticalAlert = Switch.notSupported
  /// Alerts that pass a focus.
  public var timeSensitive = Switch.notSupported
  /// Read out aloud; not supported on Linux.
  public var announcement = Switch.notSupported
  /// Gathered into a summary; not supported on Linux.
  public var scheduledDelivery = Switch.notSupported
  /// Messages of people; not supported on Linux.
  public var directMessages = Switch.notSupported
  /// In a car; not supported on Linux.
  public var carPlay = Switch.notSupported
  /// The style of alerts.
  public var alertStyle = AlertStyle.none
  /// When texts are shown.
  public var previews = Previews.always
  /// Whether the app has settings of its own to be opened.
  public var providesAppSettings = false

  /// The settings of an app that has not asked for permission.
  public init() {}

  private static var switches: [(String, WritableKeyPath<NotificationSettings, Switch>)] {
    [
      ("alert", \.alert), ("sound", \.sound), ("badge", \.badge), ("center", \.center),
      ("lockScreen", \.lockScreen), ("criticalAlert", \.criticalAlert),
      ("timeSensitive", \.timeSensitive), ("announcement", \.announcement),
      ("scheduledDelivery", \.scheduledDelivery), ("directMessages", \.directMessages),
      ("carPlay", \.carPlay),
    ]
  }

  /// Reads settings; an absent switch is `notSupported`.
  public init(json object: JSONObject) throws(AppLinkDecodingFailure) {
    try self.init(AppLinkFields(object, []))
  }

  /// The settings as JSON, with every switch.
  public var json: JSONObject {
    var builder = AppLinkBuilder()
    write(&builder)
    return builder.object
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    status = try fields.word("status")
    for (key, path) in Self.switches {
      self[keyPath: path] = try fields.optionalWord(key) ?? .notSupported
    }
    alertStyle = try fields.optionalWord("alertStyle") ?? .none
    previews = try fields.optionalWord("previews") ?? .always
    providesAppSettings = try fields.bool("providesAppSettings")
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("status", status.rawValue)
    for (key, path) in Self.switches { builder.set(key, self[keyPath: path].rawValue) }
    builder.set("alertStyle", alertStyle.rawValue)
    builder.set("previews", previews.rawValue)
    builder.set("providesAppSettings", providesAppSettings)
  }
}
