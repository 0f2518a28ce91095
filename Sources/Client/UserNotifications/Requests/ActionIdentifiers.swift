// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action of a response whose notification was opened.
public let UNNotificationDefaultActionIdentifier: String =
  "com.apple.UNNotificationDefaultActionIdentifier"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action of a response whose notification was dismissed.
public let UNNotificationDismissActionIdentifier: String =
  "com.apple.UNNotificationDismissActionIdentifier"
