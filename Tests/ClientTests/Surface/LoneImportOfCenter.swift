import NotificationCenter

// This file imports only one module, and must also have access to everything that Apple's module of the same name
// re-exports.

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
