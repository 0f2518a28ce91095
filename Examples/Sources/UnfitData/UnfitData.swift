// A program that attaches data that isn't a property list to a notification, through the API that its first argument
// specifies.
import AppKit
import Narration
import UIKit
import UserNotifications

/// An object of a class that the app defines.
final class Recipe: NSObject {}

@main
struct UnfitData {
  static func main() async throws {
    let kind = CommandLine.arguments.dropFirst().first ?? "center"
    let value: Any = CommandLine.arguments.last == "object" ? Recipe() : ["a", NSNull()]
    switch kind {
    case "local":
      let notification = UILocalNotification()
      notification.alertBody = "unfit"
      notification.userInfo = ["value": value]
      await MainActor.run { UIApplication.shared.presentLocalNotificationNow(notification) }
    case "desktop":
      let notification = NSUserNotification()
      notification.title = "unfit"
      notification.userInfo = ["value": value]
      NSUserNotificationCenter.default.deliver(notification)
    default:
      let center = UNUserNotificationCenter.current()
      _ = try await center.requestAuthorization(options: [.alert])
      let content = UNMutableNotificationContent()
      content.title = "unfit"
      content.userInfo = ["value": value]
      let request = UNNotificationRequest(identifier: "unfit", content: content, trigger: nil)
      do {
        try await center.add(request)
      } catch {
        say("refused \(error.localizedDescription)")
      }
      content.userInfo = ["value": ["a", 1]]
      try await center.add(
        UNNotificationRequest(identifier: "fit", content: content, trigger: nil))
    }
    say("added")
  }
}
