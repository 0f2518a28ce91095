// An app that announces the dish of the day with a notification whose interface is DishView.
import Narration
import UIKit
import UserNotifications

@main
final class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
  let center = UNUserNotificationCenter.current()

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    center.delegate = self
    center.setNotificationCategories([
      UNNotificationCategory(
        identifier: "DISH",
        actions: [
          UNNotificationAction(identifier: "ORDER", title: "Order"),
          UNNotificationAction(identifier: "MORE", title: "What is in it?"),
          UNNotificationAction(identifier: "LATER", title: "Not today"),
          UNTextInputNotificationAction(
            identifier: "WISH", title: "Wish", options: [], textInputButtonTitle: "Send",
            textInputPlaceholder: "A wish for the kitchen"),
        ], intentIdentifiers: [])
    ])
    center.requestAuthorization(options: [.alert]) { granted, _ in say("granted \(granted)") }
    onOrder { [self] name in announce(name) }
    return true
  }

  func announce(_ name: String) {
    let content = UNMutableNotificationContent()
    content.title = "Dish of the day"
    content.body = "Tap to see what it is"
    content.categoryIdentifier = "DISH"
    content.userInfo = ["dish": name, "parts": "leek, potatoes, cream"]
    do {
      if let picture = Bundle.main.url(forResource: "dish", withExtension: "png") {
        content.attachments = [try UNNotificationAttachment(identifier: "dish", url: picture)]
      }
    } catch { say("no picture: \(error)") }
    center.add(UNNotificationRequest(identifier: name, content: content, trigger: nil)) { error in
      say(error == nil ? "announced \(name)" : "failed")
    }
  }

  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  ) {
    say("response \(response.actionIdentifier) to \(response.notification.request.identifier)")
    completionHandler()
  }
}
