// An app that requests permission to send notifications, registers for a device token, and reports the events that it
// receives.
import UIKit
import UserNotifications

@main
class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    let center = UNUserNotificationCenter.current()
    center.delegate = self
    center.requestAuthorization(options: [.alert, .sound, .badge]) { granted, _ in
      report("permission \(granted)")
    }
    application.registerForRemoteNotifications()
    return true
  }

  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    // A real app sends the token to its server at each launch.
    report("token \(deviceToken.map { String(format: "%02x", $0) }.joined())")
  }

  func application(
    _ application: UIApplication,
    didFailToRegisterForRemoteNotificationsWithError error: Error
  ) {
    report("no token: \(error.localizedDescription)")
  }

  /// Shows notifications that arrive while the app is in the foreground.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping (UNNotificationPresentationOptions) -> Void
  ) {
    report("presents \(notification.request.content.title)")
    completionHandler([.banner, .list, .sound])
  }

  /// Handles the user's response: opening the notification, or choosing an action.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  ) {
    report("opened \(response.notification.request.content.title)")
    completionHandler()
  }
}

/// Prints a line and flushes it, so that the reader of a pipe receives it immediately.
func report(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
