public import Foundation

extension UIApplication {
  /// Posted after `application(_:didFinishLaunchingWithOptions:)`; its `userInfo` contains the launch options.
  nonisolated public static let didFinishLaunchingNotification = NSNotification.Name(
    rawValue: "UIApplicationDidFinishLaunchingNotification")

  /// Posted when the app becomes active.
  nonisolated public static let didBecomeActiveNotification = NSNotification.Name(
    rawValue: "UIApplicationDidBecomeActiveNotification")

  /// Posted when the app is about to become inactive.
  nonisolated public static let willResignActiveNotification = NSNotification.Name(
    rawValue: "UIApplicationWillResignActiveNotification")

  /// Posted when the app enters the background.
  nonisolated public static let didEnterBackgroundNotification = NSNotification.Name(
    rawValue: "UIApplicationDidEnterBackgroundNotification")

  /// Posted before the app enters the foreground.
  nonisolated public static let willEnterForegroundNotification = NSNotification.Name(
    rawValue: "UIApplicationWillEnterForegroundNotification")

  /// Posted before the app terminates.
  nonisolated public static let willTerminateNotification = NSNotification.Name(
    rawValue: "UIApplicationWillTerminateNotification")

  /// Posted when the clock, the day, or the time zone changes.
  nonisolated public static let significantTimeChangeNotification = NSNotification.Name(
    rawValue: "UIApplicationSignificantTimeChangeNotification")

  /// Posted on Apple's systems when memory is low; never posted on this system.
  nonisolated public static let didReceiveMemoryWarningNotification = NSNotification.Name(
    rawValue: "UIApplicationMemoryWarningNotification")

  /// Posted on Apple's systems when `backgroundRefreshStatus` changes; never posted on this system.
  nonisolated public static let backgroundRefreshStatusDidChangeNotification = NSNotification.Name(
    rawValue: "UIApplicationBackgroundRefreshStatusDidChangeNotification")

  /// Posted on Apple's systems when the user takes a screenshot; never posted on this system.
  nonisolated public static let userDidTakeScreenshotNotification = NSNotification.Name(
    rawValue: "UIApplicationUserDidTakeScreenshotNotification")

  /// Posted on Apple's systems before protected files become unavailable; never posted on this system.
  nonisolated public static let protectedDataWillBecomeUnavailableNotification =
    NSNotification.Name(rawValue: "UIApplicationProtectedDataWillBecomeUnavailable")

  /// Posted on Apple's systems when protected files become available; never posted on this system.
  nonisolated public static let protectedDataDidBecomeAvailableNotification =
    NSNotification.Name(rawValue: "UIApplicationProtectedDataDidBecomeAvailable")
}
