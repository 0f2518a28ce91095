// An alarm that rings at nine in the morning wherever its owner is, because its date has a time zone.
import Narration
import UIKit

class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    application.registerUserNotificationSettings(
      UIUserNotificationSettings(types: [.alert, .badge, .sound], categories: nil))
    return true
  }

  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {
    let notification = UILocalNotification()
    // The date is June 10, 2010, at 9:00 AM in Los Angeles. Because of the time zone, the alarm rings at 9:00 AM
    // everywhere.
    notification.fireDate = Date(timeIntervalSinceReferenceDate: 297_878_400)
    notification.timeZone = TimeZone(identifier: "America/Los_Angeles")
    notification.repeatInterval = .weekOfYear
    notification.repeatCalendar = .current
    notification.alertBody = "Good morning"
    notification.soundName = UILocalNotificationDefaultSoundName
    application.scheduleLocalNotification(notification)
    say("scheduled \(application.scheduledLocalNotifications?.count ?? 0)")
    if CommandLine.arguments.contains("--cancel") {
      application.cancelLocalNotification(notification)
      say("left \(application.scheduledLocalNotifications?.count ?? 0)")
    }
  }

  func application(_ application: UIApplication, didReceive notification: UILocalNotification) {
    say("ring")
  }
}
