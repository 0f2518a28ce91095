// A tour of the API for local notifications before iOS 10.
import Narration
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  let shown = UILocalNotification()

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    application.registerUserNotificationSettings(
      UIUserNotificationSettings(types: [.alert, .badge, .sound], categories: nil))
    onOrder { order in
      guard order == "cancel all" else { return }
      application.cancelAllLocalNotifications()
      application.applicationIconBadgeNumber = 0
      say("cancelled")
    }
    return true
  }

  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {
    say("settings \(application.currentUserNotificationSettings?.types.rawValue ?? 99)")

    let once = UILocalNotification()
    once.fireDate = Date(timeIntervalSinceNow: 3_600)
    once.alertBody = "Once"
    let daily = UILocalNotification()
    daily.fireDate = Date(timeIntervalSinceNow: 7_200)
    daily.repeatInterval = .day
    daily.alertBody = "Daily"
    application.scheduleLocalNotification(once)
    application.scheduleLocalNotification(daily)
    say("two \(bodies)")
    if let equal = once.copy() as? UILocalNotification {
      application.cancelLocalNotification(equal)
    }
    say("left \(bodies)")
    application.scheduledLocalNotifications = [once]
    say("replaced \(bodies)")
    application.cancelAllLocalNotifications()
    say("none \(bodies)")
  }

  var bodies: String {
    (UIApplication.shared.scheduledLocalNotifications ?? []).compactMap(\.alertBody).sorted()
      .joined(separator: " ")
  }

  func applicationDidEnterBackground(_ application: UIApplication) {
    shown.alertTitle = "Title"
    shown.alertBody = "Body"
    shown.soundName = UILocalNotificationDefaultSoundName
    shown.applicationIconBadgeNumber = 5
    application.presentLocalNotificationNow(shown)
    // A badge number of zero leaves the badge unchanged.
    let quiet = UILocalNotification()
    quiet.alertBody = "No badge"
    application.presentLocalNotificationNow(quiet)
    say("presented")
  }

  func applicationWillEnterForeground(_ application: UIApplication) {
    say("badge \(application.applicationIconBadgeNumber)")
    application.cancelLocalNotification(shown)
    say("one cancelled")
  }
}
