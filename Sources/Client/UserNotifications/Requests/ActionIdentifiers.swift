// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action identifier of a response in which the user opened the notification.
public let UNNotificationDefaultActionIdentifier: String =
  "com.apple.UNNotificationDefaultActionIdentifier"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action identifier of a response in which the user dismissed the notification.
public let UNNotificationDismissActionIdentifier: String =
  "com.apple.UNNotificationDismissActionIdentifier"
