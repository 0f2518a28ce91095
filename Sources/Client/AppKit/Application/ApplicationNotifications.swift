public import Foundation

extension NSApplication {
  /// Posted before the app finishes launching.
  nonisolated public static let willFinishLaunchingNotification = NSNotification.Name(
    rawValue: "NSApplicationWillFinishLaunchingNotification")

  /// Posted when the app has launched; the notification's `userInfo` contains the reason.
  nonisolated public static let didFinishLaunchingNotification = NSNotification.Name(
    rawValue: "NSApplicationDidFinishLaunchingNotification")

  /// Posted before the app becomes active.
  nonisolated public static let willBecomeActiveNotification = NSNotification.Name(
    rawValue: "NSApplicationWillBecomeActiveNotification")

  /// Posted when the app becomes active.
  nonisolated public static let didBecomeActiveNotification = NSNotification.Name(
    rawValue: "NSApplicationDidBecomeActiveNotification")

  /// Posted before the app becomes inactive.
  nonisolated public static let willResignActiveNotification = NSNotification.Name(
    rawValue: "NSApplicationWillResignActiveNotification")

  /// Posted when the app has become inactive.
  nonisolated public static let didResignActiveNotification = NSNotification.Name(
    rawValue: "NSApplicationDidResignActiveNotification")

  /// Posted before the app terminates.
  nonisolated public static let willTerminateNotification = NSNotification.Name(
    rawValue: "NSApplicationWillTerminateNotification")

  /// Posted on Apple's systems when the screens change; never posted on this system.
  nonisolated public static let didChangeScreenParametersNotification = NSNotification.Name(
    rawValue: "NSApplicationDidChangeScreenParametersNotification")

  /// The key in the `userInfo` of `didFinishLaunchingNotification` for the notification that launched the app.
  ///
  /// The value is an `NSUserNotification`, or a `UNNotificationResponse` for an app that uses
  /// `UNUserNotificationCenter`.
  nonisolated public static let launchUserNotificationUserInfoKey: String =
    "NSApplicationLaunchUserNotificationKey"

  /// The key in the `userInfo` of `didFinishLaunchingNotification` for a Boolean number that is true if the user
  /// launched the app, and false if a notification did.
  nonisolated public static let launchIsDefaultUserInfoKey: String =
    "NSApplicationLaunchIsDefaultLaunchKey"
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key in the `userInfo` of `NSApplication.didFinishLaunchingNotification` for the payload of the newest push that
/// was delivered while the app was not running.
@available(macOS, deprecated: 10.8, message: "Use launchUserNotificationUserInfoKey")
public let NSApplicationLaunchRemoteNotificationKey: String =
  "NSApplicationLaunchRemoteNotificationKey"
