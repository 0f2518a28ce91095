public import Foundation
public import UserNotifications

// The defaults for methods that an app delegate does not implement.
extension NSApplicationDelegate {
  /// The default implementation does nothing.
  public func applicationWillFinishLaunching(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationDidFinishLaunching(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationWillBecomeActive(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationDidBecomeActive(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationWillResignActive(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationDidResignActive(_ notification: Notification) {}

  /// Returns `terminateNow`: the app terminates.
  public func applicationShouldTerminate(
    _ sender: NSApplication
  ) -> NSApplication.TerminateReply { .terminateNow }

  /// Returns false: the app keeps running.
  public func applicationShouldTerminateAfterLastWindowClosed(_ sender: NSApplication) -> Bool {
    false
  }

  /// The default implementation does nothing.
  public func applicationWillTerminate(_ notification: Notification) {}

  /// Returns true: the system reopens the app as usual.
  public func applicationShouldHandleReopen(
    _ sender: NSApplication, hasVisibleWindows flag: Bool
  ) -> Bool { true }

  /// Returns true: restorable state is decoded securely.
  public func applicationSupportsSecureRestorableState(_ app: NSApplication) -> Bool { true }

  /// The default implementation does nothing.
  public func applicationWillHide(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationDidHide(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationWillUnhide(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationDidUnhide(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationDidUpdate(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationDidChangeScreenParameters(_ notification: Notification) {}

  /// The default implementation does nothing.
  public func applicationDidChangeOcclusionState(_ notification: Notification) {}

  /// Opens each file with `application(_:openFile:)`.
  public func application(_ application: NSApplication, open urls: [URL]) {
    for url in urls where url.isFileURL {
      _ = self.application(application, openFile: url.path)
    }
  }

  /// Returns false: the file is not opened.
  public func application(_ sender: NSApplication, openFile filename: String) -> Bool { false }

  /// Returns true: an empty document may be opened.
  public func applicationShouldOpenUntitledFile(_ sender: NSApplication) -> Bool { true }

  /// Returns false: no empty document is opened.
  public func applicationOpenUntitledFile(_ sender: NSApplication) -> Bool { false }

  /// Returns false: the delegate does not show its own progress indicator.
  public func application(
    _ application: NSApplication, willContinueUserActivityWithType userActivityType: String
  ) -> Bool { false }

  /// Returns false: the activity is not continued.
  public func application(
    _ application: NSApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping ([any NSUserActivityRestoring]) -> Void
  ) -> Bool { false }

  /// The default implementation does nothing.
  public func application(
    _ application: NSApplication, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error
  ) {}

  /// The default implementation does nothing.
  public func application(
    _ application: NSApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {}

  /// The default implementation does nothing.
  public func application(
    _ application: NSApplication,
    didFailToRegisterForRemoteNotificationsWithError error: any Error
  ) {}

  /// The default implementation does nothing.
  public func application(
    _ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]
  ) {}
}
