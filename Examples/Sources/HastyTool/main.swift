// A tool that schedules a notification and exits immediately, without waiting for an answer.
import UserNotifications

let center = UNUserNotificationCenter.current()
center.requestAuthorization(options: [.alert]) { _, _ in }
let content = UNMutableNotificationContent()
content.title = "Hasty"
center.add(UNNotificationRequest(identifier: "hasty", content: content, trigger: nil))
