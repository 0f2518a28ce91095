import UserNotifications

@main
struct Backup {
  static func main() async throws {
    let center = UNUserNotificationCenter.current()
    guard try await center.requestAuthorization(options: [.alert, .sound]) else { return }
    let content = UNMutableNotificationContent()
    content.title = "Backup finished"
    try await center.add(
      UNNotificationRequest(identifier: "backup", content: content, trigger: nil))
  }
}
