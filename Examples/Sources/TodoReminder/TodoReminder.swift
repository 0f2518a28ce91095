// A to-do list that reminds the user of each item a few minutes before it is due.
import Narration
import UIKit

struct ToDoItem {
  var day, month, year, hour, minute: Int
  var eventName: String
}

let toDoItemKey = "ToDoItem"

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
    say("types \(notificationSettings.types.rawValue)")
    let inAnHour = Calendar.autoupdatingCurrent.dateComponents(
      [.day, .month, .year, .hour, .minute], from: Date(timeIntervalSinceNow: 3_600))
    let item = ToDoItem(
      day: inAnHour.day ?? 1, month: inAnHour.month ?? 1, year: inAnHour.year ?? 2001,
      hour: inAnHour.hour ?? 0, minute: inAnHour.minute ?? 0, eventName: "Call the plumber")
    scheduleNotification(item: item, interval: 30)
    for notification in application.scheduledLocalNotifications ?? [] {
      say("scheduled \(notification.alertBody ?? "")")
      say("action \(notification.alertAction ?? "")")
    }
    let now = UILocalNotification()
    // This notification is presented immediately, regardless of its fire date.
    now.fireDate = Date(timeIntervalSinceNow: 86_400)
    now.alertBody = "Nothing is due now"
    now.soundName = UILocalNotificationDefaultSoundName
    application.presentLocalNotificationNow(now)
  }

  func scheduleNotification(item: ToDoItem, interval minutesBefore: Int) {
    let calendar = Calendar.autoupdatingCurrent
    var dateComps = DateComponents()
    dateComps.day = item.day
    dateComps.month = item.month
    dateComps.year = item.year
    dateComps.hour = item.hour
    dateComps.minute = item.minute
    guard let itemDate = calendar.date(from: dateComps) else { return }

    let localNotif = UILocalNotification()
    localNotif.fireDate = itemDate.addingTimeInterval(-Double(minutesBefore * 60))
    localNotif.timeZone = NSTimeZone.default
    localNotif.alertBody = String(
      format: NSLocalizedString("%@ in %i minutes.", comment: ""), item.eventName, minutesBefore)
    localNotif.alertAction = NSLocalizedString("View Details", comment: "")
    localNotif.alertTitle = NSLocalizedString("Item Due", comment: "")
    localNotif.soundName = UILocalNotificationDefaultSoundName
    localNotif.applicationIconBadgeNumber = 1
    localNotif.userInfo = [toDoItemKey: item.eventName]
    UIApplication.shared.scheduleLocalNotification(localNotif)
  }

  func application(_ application: UIApplication, didReceive notification: UILocalNotification) {
    say("received \(notification.alertBody ?? "")")
  }
}
