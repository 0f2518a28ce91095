import NotificationCenter

// A file that imports only this module must also have access to everything that Apple's module re-exports.

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
