/// What notifications may do, in the form of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNAuthorizationOptions")
public struct UIUserNotificationType: OptionSet, Sendable {
  /// The bits, as on Apple's systems.
  public let rawValue: UInt

  /// A set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The number on the icon.
  public static let badge = UIUserNotificationType(rawValue: 1 << 0)

  /// Sounds.
  public static let sound = UIUserNotificationType(rawValue: 1 << 1)

  /// Visible notifications.
  public static let alert = UIUserNotificationType(rawValue: 1 << 2)
}

/// Where a category's actions are shown.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationCategory")
public enum UIUserNotificationActionContext: UInt, Sendable {
  /// Where there is room: up to four.
  case `default` = 0
  /// Where there is little room: up to two.
  case minimal = 1
}

/// Whether an action brings the app to the foreground.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationActionOptions")
public enum UIUserNotificationActivationMode: UInt, Sendable {
  /// It does.
  case foreground = 0
  /// It does not.
  case background = 1
}

/// Whether an action asks for text.
@available(iOS, deprecated: 10.0, message: "Use UNTextInputNotificationAction")
public enum UIUserNotificationActionBehavior: UInt, Sendable {
  /// A plain button.
  case `default` = 0
  /// A button that asks for text.
  case textInput = 1
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The title of the button that sends the text, among an action's parameters.
@available(iOS, deprecated: 10.0, message: "Use UNTextInputNotificationAction")
public let UIUserNotificationTextInputActionButtonTitleKey: String =
  "UIUserNotificationTextInputActionButtonTitleKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// What the user wrote, in the response info of an action.
@available(iOS, deprecated: 10.0, message: "Use UNTextInputNotificationResponse.userText")
public let UIUserNotificationActionResponseTypedTextKey: String =
  "UIUserNotificationActionResponseTypedTextKey"
