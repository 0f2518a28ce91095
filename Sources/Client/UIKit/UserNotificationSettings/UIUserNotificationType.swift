/// The ways in which notifications may alert the user, in the API of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNAuthorizationOptions")
public struct UIUserNotificationType: OptionSet, Sendable {
  /// The raw bits of the set, as on Apple's systems.
  public let rawValue: UInt

  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The app may change the number on its icon.
  public static let badge = UIUserNotificationType(rawValue: 1 << 0)

  /// The app may play sounds.
  public static let sound = UIUserNotificationType(rawValue: 1 << 1)

  /// The app may show alerts.
  public static let alert = UIUserNotificationType(rawValue: 1 << 2)
}

/// The contexts in which a category's actions are shown.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationCategory")
public enum UIUserNotificationActionContext: UInt, Sendable {
  /// The default context, with space for up to four actions.
  case `default` = 0
  /// The minimal context, with space for up to two actions.
  case minimal = 1
}

/// The modes in which an action activates the app.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationActionOptions")
public enum UIUserNotificationActivationMode: UInt, Sendable {
  /// The action brings the app to the foreground.
  case foreground = 0
  /// The action activates the app in the background.
  case background = 1
}

/// The behaviors of an action.
@available(iOS, deprecated: 10.0, message: "Use UNTextInputNotificationAction")
public enum UIUserNotificationActionBehavior: UInt, Sendable {
  /// A plain button without text input.
  case `default` = 0
  /// A button that prompts the user for text.
  case textInput = 1
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key in an action's `parameters` for the title of the button that sends the text.
@available(iOS, deprecated: 10.0, message: "Use UNTextInputNotificationAction")
public let UIUserNotificationTextInputActionButtonTitleKey: String =
  "UIUserNotificationTextInputActionButtonTitleKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key in an action's response info for the text that the user entered.
@available(iOS, deprecated: 10.0, message: "Use UNTextInputNotificationResponse.userText")
public let UIUserNotificationActionResponseTypedTextKey: String =
  "UIUserNotificationActionResponseTypedTextKey"
