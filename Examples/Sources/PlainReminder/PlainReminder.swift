// A command-line tool that uses the notification center without an application object.
import Narration
import UserNotifications

@main
struct PlainReminder {
  static func main() async {
    let center = UNUserNotificationCenter.current()
    do {
      let granted = try await center.requestAuthorization(options: [.alert, .sound])
      say("permission \(granted)")
      let content = UNMutableNotificationContent()
      content.title = CommandLine.arguments.dropFirst().first ?? "Reminder"
      content.sound = .default
      content.userInfo = ["made": Date(timeIntervalSince1970: 0), "count": 3]
      let request = UNNotificationRequest(
        identifier: "reminder", content: content,
        trigger: nil)
      try await center.add(request)
      say("added")
      for notification in await center.deliveredNotifications() {
        let made = notification.request.content.userInfo["made"] as? Date
        say("delivered \(notification.request.content.title) \(made != nil)")
      }
    } catch let error as UNError {
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
      say("error \(error.code.rawValue) \(cause?.localizedDescription ?? "")")
    } catch { say("other error \(error)") }
  }
}
