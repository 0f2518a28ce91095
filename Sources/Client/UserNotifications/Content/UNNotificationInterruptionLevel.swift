/// The urgency of a notification.
public enum UNNotificationInterruptionLevel: UInt, Sendable {
  /// The notification is only added to the list: no sound is played, and the screen stays off.
  case passive = 0
  /// The notification is presented immediately, with its sound.
  case active = 1
  /// The notification is presented immediately, and breaks through Focus if the user allows it.
  case timeSensitive = 2
  /// The notification is presented immediately, and breaks through Focus and mute; requires the critical-alerts
  /// entitlement.
  case critical = 3
}
