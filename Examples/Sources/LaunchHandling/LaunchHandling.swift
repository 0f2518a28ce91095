// An app that determines whether a notification launched it, and handles another notification while it is running.
import Narration
import UIKit

let toDoItemKey = "ToDoItem"

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ app: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    say("launched")
    _ = NotificationCenter.default.addObserver(
      forName: UIApplication.didFinishLaunchingNotification, object: nil, queue: nil
    ) { note in say("posted \(note.userInfo?.count ?? 0)") }
    if let localNotif = launchOptions?[.localNotification] as? UILocalNotification {
      display(localNotif, app, "launch")
    } else if let payload = launchOptions?[.remoteNotification] as? [AnyHashable: Any] {
      say("launch push \(payload["item"] as? String ?? "")")
    }
    app.registerUserNotificationSettings(
      UIUserNotificationSettings(types: [.alert, .badge, .sound], categories: nil))
    app.registerForRemoteNotifications()
    return true
  }

  func application(
    _ app: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {
    say("types \(notificationSettings.types.rawValue)")
    guard CommandLine.arguments.contains("--remind") else { return }
    let reminder = UILocalNotification()
    reminder.alertBody = "Buy milk"
    reminder.applicationIconBadgeNumber = 3
    reminder.userInfo = [toDoItemKey: "milk"]
    app.presentLocalNotificationNow(reminder)
  }

  func application(
    _ app: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data
  ) {
    say("token \(token.map { String(format: "%02x", $0) }.joined())")
  }

  func applicationDidBecomeActive(_ app: UIApplication) { say("active") }

  func application(_ app: UIApplication, didReceive notification: UILocalNotification) {
    display(notification, app, "running")
  }

  func application(
    _ app: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    say("push \(userInfo["item"] as? String ?? "")")
    app.applicationIconBadgeNumber = 0
    completionHandler(.newData)
  }

  func display(_ notification: UILocalNotification, _ app: UIApplication, _ how: String) {
    let itemName = notification.userInfo?[toDoItemKey] as? String ?? ""
    app.applicationIconBadgeNumber = notification.applicationIconBadgeNumber - 1
    say("\(how) \(itemName) badge \(app.applicationIconBadgeNumber)")
    say("region \(notification.region?.identifier ?? "none")")
  }
}
