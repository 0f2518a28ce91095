public import Foundation
public import UserNotifications

/// The delegate for the events of an app.
///
/// Every member is optional. All are called on the main thread.
///
/// The class that conforms has to implement the methods: what a subclass of it adds is not called,
/// since there is no Objective-C runtime to find it.
@MainActor
public protocol NSApplicationDelegate: NSObjectProtocol {
  // MARK: Life

  /// The app is starting.
  func applicationWillFinishLaunching(_ notification: Notification)

  /// The app has started; the notification's `userInfo` says why.
  func applicationDidFinishLaunching(_ notification: Notification)

  /// The app is about to come to the front.
  func applicationWillBecomeActive(_ notification: Notification)

  /// The app is in front.
  func applicationDidBecomeActive(_ notification: Notification)

  /// The app is about to leave the front.
  func applicationWillResignActive(_ notification: Notification)

  /// The app has left the front.
  func applicationDidResignActive(_ notification: Notification)

  /// Whether the app ends now that it is asked to.
  func applicationShouldTerminate(_ sender: NSApplication) -> NSApplication.TerminateReply

  /// Whether the app ends with its last window.
  func applicationShouldTerminateAfterLastWindowClosed(_ sender: NSApplication) -> Bool

  /// The app is about to end.
  func applicationWillTerminate(_ notification: Notification)

  /// The user starts the running app again; returns whether the system does the usual.
  func applicationShouldHandleReopen(
    _ sender: NSApplication, hasVisibleWindows flag: Bool
  ) -> Bool

  /// Whether restorable states are decoded securely.
  func applicationSupportsSecureRestorableState(_ app: NSApplication) -> Bool

  /// The app is about to be hidden; never called on this system.
  func applicationWillHide(_ notification: Notification)

  /// The app was hidden; never called on this system.
  func applicationDidHide(_ notification: Notification)

  /// The app is about to be shown again; never called on this system.
  func applicationWillUnhide(_ notification: Notification)

  /// The app is shown again; never called on this system.
  func applicationDidUnhide(_ notification: Notification)

  /// Events were handled; never called on this system.
  func applicationDidUpdate(_ notification: Notification)

  /// Screens changed; never called on this system.
  func applicationDidChangeScreenParameters(_ notification: Notification)

  /// The app was covered or uncovered; never called on this system.
  func applicationDidChangeOcclusionState(_ notification: Notification)

  // MARK: Files, URLs and activities

  /// URLs and files to open: arguments of the process.
  func application(_ application: NSApplication, open urls: [URL])

  /// A file to open, for apps without `application(_:open:)`.
  func application(_ sender: NSApplication, openFile filename: String) -> Bool

  /// Whether an empty document is opened; never asked on this system.
  func applicationShouldOpenUntitledFile(_ sender: NSApplication) -> Bool

  /// Opens an empty document; never called on this system.
  func applicationOpenUntitledFile(_ sender: NSApplication) -> Bool

  /// An activity is coming; never called on this system.
  func application(
    _ application: NSApplication, willContinueUserActivityWithType userActivityType: String
  ) -> Bool

  /// An activity to go on with; never called on this system.
  func application(
    _ application: NSApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping ([any NSUserActivityRestoring]) -> Void
  ) -> Bool

  /// An activity did not come; never called on this system.
  func application(
    _ application: NSApplication, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error)

  // MARK: Remote notifications

  /// The device's token: after a registration, and whenever it changes.
  func application(
    _ application: NSApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)

  /// There is no token; the error says why.
  func application(
    _ application: NSApplication,
    didFailToRegisterForRemoteNotificationsWithError error: any Error)

  /// A push arrived while the app is running.
  func application(
    _ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any])
}

/// An object that can continue an activity.
@MainActor
public protocol NSUserActivityRestoring: NSObjectProtocol {
  /// Continues an activity.
  func restoreUserActivityState(_ userActivity: NSUserActivity)
}
