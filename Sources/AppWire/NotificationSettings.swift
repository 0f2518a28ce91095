public import BelfryWire

/// The permissions that an app can request.
public enum AuthorizationOption: String, Sendable, Hashable, CaseIterable {
  case badge, sound, alert, carPlay, criticalAlert, providesAppNotificationSettings, provisional
  case announcement, timeSensitive
}

/// The user's decision about an app's notifications.
public enum AuthorizationStatus: String, Sendable, Hashable, CaseIterable {
  case notDetermined, denied, authorized, provisional

  /// True if the app's notifications can be displayed.
  public var allows: Bool { self == .authorized || self == .provisional }
}

/// The ways to present a notification while the app is in the foreground; the names are Apple's.
public enum PresentationOption: String, Sendable, Hashable, CaseIterable {
  case badge, sound, alert, list, banner
}

/// The notification settings of an app, as in `UNNotificationSettings`.
public struct NotificationSettings: Sendable, Hashable {
  /// The value of a switch, or `notSupported` for a switch that the system does not support.
  public enum Switch: String, Sendable, Hashable, CaseIterable {
    case notSupported, disabled, enabled
  }
  /// The style of alerts.
  public enum AlertStyle: String, Sendable, Hashable, CaseIterable {
    case none, banner, alert
  }
  /// The condition under which previews are displayed.
  public enum Previews: String, Sendable, Hashable, CaseIterable {
    case always, whenAuthenticated, never
  }

  /// The user's decision about the app's notifications.
  public var status = AuthorizationStatus.notDetermined
  /// The switch for alerts on screen.
  public var alert = Switch.notSupported
  /// The switch for sounds.
  public var sound = Switch.notSupported
  /// The switch for badges.
  public var badge = Switch.notSupported
  /// The switch for the list of delivered notifications.
  public var center = Switch.notSupported
  /// The switch for alerts on the lock screen.
  public var lockScreen = Switch.notSupported
  /// The switch for alerts that ignore silent mode and focus.
  public var criticalAlert = Switch.notSupported
  /// The switch for alerts that break through a focus.
  public var timeSensitive = Switch.notSupported
  /// The switch for announcements that are read aloud; not supported on Linux.
  public var announcement = Switch.notSupported
  /// The switch for scheduled summaries; not supported on Linux.
  public var scheduledDelivery = Switch.notSupported
  /// The switch for direct messages from other people; not supported on Linux.
  public var directMessages = Switch.notSupported
  /// The switch for notifications in a car; not supported on Linux.
  public var carPlay = Switch.notSupported
  /// The style of alerts.
  public var alertStyle = AlertStyle.none
  /// The condition under which previews are displayed.
  public var previews = Previews.always
  /// True if the app has its own settings that the user can open.
  public var providesAppSettings = false

  /// Creates the settings of an app that has not requested permission.
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

  /// Reads the settings; an absent switch is `notSupported`.
  public init(json object: JSONObject) throws(AppLinkDecodingFailure) {
    try self.init(AppLinkFields(object, []))
  }

  /// The settings in JSON form, including every switch.
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
