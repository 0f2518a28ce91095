import NotificationCenter

// A file that imports this module alone has what Apple's brings with it.

@MainActor
final class PendingModel: NSObject, ObservableObject, UNUserNotificationCenterDelegate {
  @Published var pending: [UNNotificationRequest] = []

  func update() async {
    pending = await UNUserNotificationCenter.current().pendingNotificationRequests()
    if let url = URL(string: UIApplication.openSettingsURLString) {
      await UIApplication.shared.open(url)
    }
  }
}
