// An app that uses the user's language in every way that the API provides: strings that the app looks up itself, with
// plural forms, and keys that the system looks up when it shows the notification.
import Foundation
import Narration
import UIKit
import UserNotifications

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    say("title \(NSLocalizedString("REMINDER", comment: "above each reminder"))")
    for minutes in [1, 5] {
      say(
        "minutes "
          + String.localizedStringWithFormat(
            NSLocalizedString("MINUTES", comment: "how long until the match"), minutes))
    }
    application.registerUserNotificationSettings(
      UIUserNotificationSettings(types: [.alert], categories: nil))
    return true
  }

  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {
    // These are keys rather than strings, so the system determines the language when it shows the notification.
    let local = UILocalNotification()
    local.alertBody = "MATCH_BEGINS"
    local.alertAction = "WATCH"
    local.fireDate = Date(timeIntervalSinceNow: 3_600)
    application.scheduleLocalNotification(local)

    let content = UNMutableNotificationContent()
    content.title = NSString.localizedUserNotificationString(forKey: "REMINDER", arguments: nil)
    content.body = NSString.localizedUserNotificationString(
      forKey: "PLAYS_AGAINST", arguments: ["Ajax", "Porto"])
    content.categoryIdentifier = "match"
    let request = UNNotificationRequest(
      identifier: "plays", content: content,
      trigger: UNTimeIntervalNotificationTrigger(timeInterval: 7_200, repeats: false))
    UNUserNotificationCenter.current().add(request) { error in
      say(error.map { "failed \($0.localizedDescription)" } ?? "scheduled")
    }
  }
}
