public import Foundation
public import UserNotifications

/// The delegate that handles an app's events.
///
/// Every member is optional. All methods are called on the main thread.
///
/// The conforming class itself must implement the methods. Methods that a subclass adds are not called, because there
/// is no Objective-C runtime to find them.
@MainActor
public protocol NSApplicationDelegate: NSObjectProtocol {
  // MARK: Life cycle

  /// Tells the delegate that the app is launching.
  func applicationWillFinishLaunching(_ notification: Notification)

  /// Tells the delegate that the app has launched; the notification's `userInfo` contains the reason for the launch.
  func applicationDidFinishLaunching(_ notification: Notification)

  /// Tells the delegate that the app is about to become active.
  func applicationWillBecomeActive(_ notification: Notification)

  /// Tells the delegate that the app became active.
  func applicationDidBecomeActive(_ notification: Notification)

  /// Tells the delegate that the app is about to become inactive.
  func applicationWillResignActive(_ notification: Notification)

  /// Tells the delegate that the app became inactive.
  func applicationDidResignActive(_ notification: Notification)

  /// Returns whether the app may terminate.
  func applicationShouldTerminate(_ sender: NSApplication) -> NSApplication.TerminateReply

  /// Returns whether the app terminates when its last window closes.
  func applicationShouldTerminateAfterLastWindowClosed(_ sender: NSApplication) -> Bool

  /// Tells the delegate that the app is about to terminate.
  func applicationWillTerminate(_ notification: Notification)

  /// Tells the delegate that the user opened the running app again.
  ///
  /// Returns whether the system reopens the app as usual.
  func applicationShouldHandleReopen(
    _ sender: NSApplication, hasVisibleWindows flag: Bool
  ) -> Bool

  /// Returns whether restorable state is decoded securely.
  func applicationSupportsSecureRestorableState(_ app: NSApplication) -> Bool

  /// Tells the delegate that the app is about to be hidden; never called on this system.
  func applicationWillHide(_ notification: Notification)

  /// Tells the delegate that the app was hidden; never called on this system.
  func applicationDidHide(_ notification: Notification)

  /// Tells the delegate that the app is about to be shown again; never called on this system.
  func applicationWillUnhide(_ notification: Notification)

  /// Tells the delegate that the app was shown again; never called on this system.
  func applicationDidUnhide(_ notification: Notification)

  /// Tells the delegate that events were handled; never called on this system.
  func applicationDidUpdate(_ notification: Notification)

  /// Tells the delegate that the screens changed; never called on this system.
  func applicationDidChangeScreenParameters(_ notification: Notification)

  /// Tells the delegate that the app was covered or uncovered; never called on this system.
  func applicationDidChangeOcclusionState(_ notification: Notification)

  // MARK: Files, URLs, and activities

  /// Opens URLs and files that were passed as process arguments.
  func application(_ application: NSApplication, open urls: [URL])

  /// Opens a file; called if the delegate does not implement `application(_:open:)`.
  func application(_ sender: NSApplication, openFile filename: String) -> Bool

  /// Returns whether an empty document is opened; never called on this system.
  func applicationShouldOpenUntitledFile(_ sender: NSApplication) -> Bool

  /// Opens an empty document; never called on this system.
  func applicationOpenUntitledFile(_ sender: NSApplication) -> Bool

  /// Tells the delegate that an activity is about to be handed over; never called on this system.
  func application(
    _ application: NSApplication, willContinueUserActivityWithType userActivityType: String
  ) -> Bool

  /// Continues an activity; never called on this system.
  func application(
    _ application: NSApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping ([any NSUserActivityRestoring]) -> Void
  ) -> Bool

  /// Tells the delegate that handing over an activity failed; never called on this system.
  func application(
    _ application: NSApplication, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error)

  // MARK: Remote notifications

  /// Delivers the device token after a registration and whenever the token changes.
  func application(
    _ application: NSApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)

  /// Tells the delegate that the registration failed.
  func application(
    _ application: NSApplication,
    didFailToRegisterForRemoteNotificationsWithError error: any Error)

  /// Delivers a push that arrived while the app was running.
  func application(
    _ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any])
}

/// An object that can continue an activity.
@MainActor
public protocol NSUserActivityRestoring: NSObjectProtocol {
  /// Restores the state that is needed to continue an activity.
  func restoreUserActivityState(_ userActivity: NSUserActivity)
}
