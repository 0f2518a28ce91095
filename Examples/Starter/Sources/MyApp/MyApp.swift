// An app that may notify, has a device token, and says what reaches it.
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
    // A real app sends it to its server, at each launch.
    report("token \(deviceToken.map { String(format: "%02x", $0) }.joined())")
  }

  func application(
    _ application: UIApplication,
    didFailToRegisterForRemoteNotificationsWithError error: Error
  ) {
    report("no token: \(error.localizedDescription)")
  }

  /// A notification that comes while the app is in front: shown all the same.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping (UNNotificationPresentationOptions) -> Void
  ) {
    report("presents \(notification.request.content.title)")
    completionHandler([.banner, .list, .sound])
  }

  /// A person opened it, or took one of its actions.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  ) {
    report("opened \(response.notification.request.content.title)")
    completionHandler()
  }
}

/// Prints a line that a pipe's reader sees at once.
func report(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
