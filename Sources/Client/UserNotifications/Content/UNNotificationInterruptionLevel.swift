/// How urgently a notification is presented.
public enum UNNotificationInterruptionLevel: UInt, Sendable {
  /// Into the list only: no sound, and the screen stays dark.
  case passive = 0
  /// At once, with its sound.
  case active = 1
  /// At once, through Focus as well when the user allows it.
  case timeSensitive = 2
  /// At once, through Focus and mute; needs the critical-alerts entitlement.
  case critical = 3
}
