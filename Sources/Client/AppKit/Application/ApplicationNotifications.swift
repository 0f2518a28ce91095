public import Foundation

extension NSApplication {
  /// Posted before the app has launched.
  nonisolated public static let willFinishLaunchingNotification = NSNotification.Name(
    rawValue: "NSApplicationWillFinishLaunchingNotification")

  /// Posted when the app has launched; its `userInfo` says why.
  nonisolated public static let didFinishLaunchingNotification = NSNotification.Name(
    rawValue: "NSApplicationDidFinishLaunchingNotification")

  /// Posted before the app comes to the front.
  nonisolated public static let willBecomeActiveNotification = NSNotification.Name(
    rawValue: "NSApplicationWillBecomeActiveNotification")

  /// Posted when the app is in front.
  nonisolated public static let didBecomeActiveNotification = NSNotification.Name(
    rawValue: "NSApplicationDidBecomeActiveNotification")

  /// Posted before the app leaves the front.
  nonisolated public static let willResignActiveNotification = NSNotification.Name(
    rawValue: "NSApplicationWillResignActiveNotification")

  /// Posted when the app has left the front.
  nonisolated public static let didResignActiveNotification = NSNotification.Name(
    rawValue: "NSApplicationDidResignActiveNotification")

  /// Posted before the app ends.
  nonisolated public static let willTerminateNotification = NSNotification.Name(
    rawValue: "NSApplicationWillTerminateNotification")

  /// Posted when screens changed; never on this system.
  nonisolated public static let didChangeScreenParametersNotification = NSNotification.Name(
    rawValue: "NSApplicationDidChangeScreenParametersNotification")

  /// In the `userInfo` of `didFinishLaunchingNotification`: the notification that launched the app,
  /// as an `NSUserNotification`, or as a `UNNotificationResponse` for an app that uses
  /// `UNUserNotificationCenter`.
  nonisolated public static let launchUserNotificationUserInfoKey: String =
    "NSApplicationLaunchUserNotificationKey"

  /// In the `userInfo` of `didFinishLaunchingNotification`: whether the app was launched by the
  /// user and not for a notification, as a Boolean number.
  nonisolated public static let launchIsDefaultUserInfoKey: String =
    "NSApplicationLaunchIsDefaultLaunchKey"
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// In the `userInfo` of `NSApplication.didFinishLaunchingNotification`: the payload of the newest
/// push that was delivered while the app was not running.
@available(macOS, deprecated: 10.8, message: "Use launchUserNotificationUserInfoKey")
public let NSApplicationLaunchRemoteNotificationKey: String =
  "NSApplicationLaunchRemoteNotificationKey"
