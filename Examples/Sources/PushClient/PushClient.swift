// A client that turns its three types of push on and off, and shows the pushes that it receives.
import Narration
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  var badgeSwitch = true
  var alertSwitch = true
  var soundSwitch = false

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    _ = NotificationCenter.default.addObserver(
      forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
    ) { _ in MainActor.assumeIsolated { self.confirmationWasHidden() } }
    doOn()
    onOrder { order in
      // The command "types 5" sets the switches and registers again. The command "again 5" also unregisters first.
      guard let types = UInt(order.dropFirst(6)) else { return }
      self.badgeSwitch = types & 1 != 0
      self.soundSwitch = types & 2 != 0
      self.alertSwitch = types & 4 != 0
      if order.hasPrefix("again ") { UIApplication.shared.unregisterForRemoteNotifications() }
      self.doOn()
    }
    return true
  }

  var switchTypes: UIRemoteNotificationType {
    var types: UIRemoteNotificationType = []
    if badgeSwitch { types.insert(.badge) }
    if alertSwitch { types.insert(.alert) }
    if soundSwitch { types.insert(.sound) }
    return types
  }

  func doOn() { UIApplication.shared.registerForRemoteNotifications(matching: switchTypes) }

  func doOff() {
    UIApplication.shared.unregisterForRemoteNotifications()
    updateSwitches()
  }

  func confirmationWasHidden() {
    say("active")
    updateSwitches()
  }

  func updateSwitches() {
    let types = UIApplication.shared.enabledRemoteNotificationTypes()
    say("switches \(types.rawValue)")
  }

  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    say("token \(deviceToken.map { String(format: "%02x", $0) }.joined())")
    updateSwitches()
    if CommandLine.arguments.contains("--off") { doOff() }
  }

  func application(
    _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error
  ) { say("no token: \(error.localizedDescription)") }

  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) {
    let aps = userInfo["aps"] as? [String: Any]
    say("push \(aps?["alert"] as? String ?? "")")
    let badge = aps?["badge"] as? Int ?? -1
    let sound = aps?["sound"] as? String ?? "none"
    say("payload badge \(badge) sound \(sound) item \(userInfo["item"] as? String ?? "none")")
  }
}
