public import Foundation

extension UIApplication {
  /// Posted after `application(_:didFinishLaunchingWithOptions:)`; its `userInfo` has the launch
  /// options.
  nonisolated public static let didFinishLaunchingNotification = NSNotification.Name(
    rawValue: "UIApplicationDidFinishLaunchingNotification")

  /// Posted when the app comes to the front.
  nonisolated public static let didBecomeActiveNotification = NSNotification.Name(
    rawValue: "UIApplicationDidBecomeActiveNotification")

  /// Posted before the app leaves the front.
  nonisolated public static let willResignActiveNotification = NSNotification.Name(
    rawValue: "UIApplicationWillResignActiveNotification")

  /// Posted when the app is in the background.
  nonisolated public static let didEnterBackgroundNotification = NSNotification.Name(
    rawValue: "UIApplicationDidEnterBackgroundNotification")

  /// Posted before the app comes back from the background.
  nonisolated public static let willEnterForegroundNotification = NSNotification.Name(
    rawValue: "UIApplicationWillEnterForegroundNotification")

  /// Posted before the app ends.
  nonisolated public static let willTerminateNotification = NSNotification.Name(
    rawValue: "UIApplicationWillTerminateNotification")

  /// Posted when the clock, the day or the time zone changed.
  nonisolated public static let significantTimeChangeNotification = NSNotification.Name(
    rawValue: "UIApplicationSignificantTimeChangeNotification")

  /// Posted when memory is short; never on this system.
  nonisolated public static let didReceiveMemoryWarningNotification = NSNotification.Name(
    rawValue: "UIApplicationMemoryWarningNotification")

  /// Posted when `backgroundRefreshStatus` changed; never on this system.
  nonisolated public static let backgroundRefreshStatusDidChangeNotification = NSNotification.Name(
    rawValue: "UIApplicationBackgroundRefreshStatusDidChangeNotification")

  /// Posted when the user made a screenshot; never on this system.
  nonisolated public static let userDidTakeScreenshotNotification = NSNotification.Name(
    rawValue: "UIApplicationUserDidTakeScreenshotNotification")

  /// Posted when protected files are about to be locked; never on this system.
  nonisolated public static let protectedDataWillBecomeUnavailableNotification =
    NSNotification.Name(rawValue: "UIApplicationProtectedDataWillBecomeUnavailable")

  /// Posted when protected files can be read again; never on this system.
  nonisolated public static let protectedDataDidBecomeAvailableNotification =
    NSNotification.Name(rawValue: "UIApplicationProtectedDataDidBecomeAvailable")
}
