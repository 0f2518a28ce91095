public import Foundation
public import UserNotifications

// What happens for the members that an app delegate leaves out.
extension NSApplicationDelegate {
  /// Does nothing.
  public func applicationWillFinishLaunching(_ notification: Notification) {}

  /// Does nothing.
  public func applicationDidFinishLaunching(_ notification: Notification) {}

  /// Does nothing.
  public func applicationWillBecomeActive(_ notification: Notification) {}

  /// Does nothing.
  public func applicationDidBecomeActive(_ notification: Notification) {}

  /// Does nothing.
  public func applicationWillResignActive(_ notification: Notification) {}

  /// Does nothing.
  public func applicationDidResignActive(_ notification: Notification) {}

  /// Ends.
  public func applicationShouldTerminate(
    _ sender: NSApplication
  ) -> NSApplication.TerminateReply { .terminateNow }

  /// Goes on.
  public func applicationShouldTerminateAfterLastWindowClosed(_ sender: NSApplication) -> Bool {
    false
  }

  /// Does nothing.
  public func applicationWillTerminate(_ notification: Notification) {}

  /// The usual.
  public func applicationShouldHandleReopen(
    _ sender: NSApplication, hasVisibleWindows flag: Bool
  ) -> Bool { true }

  /// Yes.
  public func applicationSupportsSecureRestorableState(_ app: NSApplication) -> Bool { true }

  /// Does nothing.
  public func applicationWillHide(_ notification: Notification) {}

  /// Does nothing.
  public func applicationDidHide(_ notification: Notification) {}

  /// Does nothing.
  public func applicationWillUnhide(_ notification: Notification) {}

  /// Does nothing.
  public func applicationDidUnhide(_ notification: Notification) {}

  /// Does nothing.
  public func applicationDidUpdate(_ notification: Notification) {}

  /// Does nothing.
  public func applicationDidChangeScreenParameters(_ notification: Notification) {}

  /// Does nothing.
  public func applicationDidChangeOcclusionState(_ notification: Notification) {}

  /// Opens the files one by one.
  public func application(_ application: NSApplication, open urls: [URL]) {
    for url in urls where url.isFileURL {
      _ = self.application(application, openFile: url.path)
    }
  }

  /// Opens nothing.
  public func application(_ sender: NSApplication, openFile filename: String) -> Bool { false }

  /// No empty document.
  public func applicationShouldOpenUntitledFile(_ sender: NSApplication) -> Bool { true }

  /// No empty document.
  public func applicationOpenUntitledFile(_ sender: NSApplication) -> Bool { false }

  /// Waits for nothing.
  public func application(
    _ application: NSApplication, willContinueUserActivityWithType userActivityType: String
  ) -> Bool { false }

  /// Goes on with nothing.
  public func application(
    _ application: NSApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping ([any NSUserActivityRestoring]) -> Void
  ) -> Bool { false }

  /// Does nothing.
  public func application(
    _ application: NSApplication, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error
  ) {}

  /// Does nothing.
  public func application(
    _ application: NSApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {}

  /// Does nothing.
  public func application(
    _ application: NSApplication,
    didFailToRegisterForRemoteNotificationsWithError error: any Error
  ) {}

  /// Does nothing.
  public func application(
    _ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]
  ) {}
}
