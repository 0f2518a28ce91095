// A baseball game that begins at the same moment for all fans, because its date has no time zone.
import Narration
import UIKit

@main
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
    // The date is Thursday, June 10, 2010, at 2:00 PM in Los Angeles and 5:00 PM in New York.
    notification.fireDate = Date(timeIntervalSinceReferenceDate: 297_896_400)
    notification.timeZone = nil
    notification.alertBody = "MSG_GAME"
    notification.alertAction = "SHOW_KEY"
    notification.alertLaunchImage = "Default-game.png"
    notification.hasAction = true
    application.scheduleLocalNotification(notification)
    say("scheduled \(application.scheduledLocalNotifications?.count ?? 0)")
  }

  func application(_ application: UIApplication, didReceive notification: UILocalNotification) {
    say("play ball")
  }
}
