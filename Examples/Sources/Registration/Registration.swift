// Registers for pushes in both older forms, and for the types of notification.
import Narration
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  func applicationDidFinishLaunching(_ app: UIApplication) {
    if CommandLine.arguments.contains("--before-ios-8") {
      app.registerForRemoteNotifications(matching: [.badge, .sound])
    } else {
      let types: UIUserNotificationType = [.badge, .sound, .alert]
      let mySettings = UIUserNotificationSettings(types: types, categories: nil)
      app.registerUserNotificationSettings(mySettings)
      app.registerForRemoteNotifications()
    }
  }

  func application(
    _ app: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {
    say("types \(notificationSettings.types.rawValue)")
    say("accepts \(app.currentUserNotificationSettings?.types.rawValue ?? 99)")
  }

  func application(
    _ app: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken devToken: Data
  ) {
    say("token \(devToken.map { String(format: "%02x", $0) }.joined())")
    say("enabled \(app.enabledRemoteNotificationTypes().rawValue)")
  }

  func application(
    _ app: UIApplication, didFailToRegisterForRemoteNotificationsWithError err: Error
  ) {
    say("no token: \(err.localizedDescription)")
  }
}
