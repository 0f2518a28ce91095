// A Mac app's notification, which uses the API from before macOS 11.
import Cocoa
import Narration

@main
class AppDelegate: NSObject, NSApplicationDelegate, NSUserNotificationCenterDelegate {
  func applicationDidFinishLaunching(_ notification: Notification) {
    // This makes it a menu bar app.
    if CommandLine.arguments.contains("--accessory") { NSApp.setActivationPolicy(.accessory) }
    let isUsual = notification.userInfo?[NSApplication.launchIsDefaultUserInfoKey] as? Bool
    say("launched \(isUsual ?? true)")
    if let payload = notification.userInfo?[NSApplicationLaunchRemoteNotificationKey]
      as? [AnyHashable: Any]
    {
      say("launch push \(payload["item"] as? String ?? "")")
    }
    let hasBadgeAlone = CommandLine.arguments.contains("--badge-only")
    NSApp.registerForRemoteNotifications(
      matching: hasBadgeAlone ? .badge : [.badge, .sound, .alert])
    // The registration has already prompted the user.
    if CommandLine.arguments.contains("--push-only") { return }
    // Without a delegate, the notification is not presented in the foreground.
    if !CommandLine.arguments.contains("--no-delegate") {
      NSUserNotificationCenter.default.delegate = self
    }
    UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound, .badge]) {
      granted, _ in
      say("permission \(granted)")
      DispatchQueue.main.async { self.present() }
    }
  }

  func applicationDidBecomeActive(_ notification: Notification) { say("active") }

  /// Shows a notification with the newer API, with an action that opens the app and an action that does not.
  func presentWithActions() {
    let center = UNUserNotificationCenter.current()
    center.setNotificationCategories([
      UNNotificationCategory(
        identifier: "MEETING",
        actions: [
          UNNotificationAction(identifier: "LATER", title: "Later", options: []),
          UNNotificationAction(identifier: "SHOW", title: "Show", options: [.foreground]),
        ], intentIdentifiers: [])
    ])
    let content = UNMutableNotificationContent()
    content.title = "Planning"
    content.categoryIdentifier = "MEETING"
    center.add(UNNotificationRequest(identifier: "planning", content: content, trigger: nil)) {
      error in
      say("planned \(error == nil)")
    }
  }

  func present() {
    if CommandLine.arguments.contains("--actions") { return presentWithActions() }
    let userNotification = NSUserNotification()
    userNotification.title = "Meeting"
    userNotification.informativeText = "In ten minutes"
    userNotification.hasActionButton = true
    userNotification.actionButtonTitle = "Snooze"
    if CommandLine.arguments.contains("--later") {
      userNotification.deliveryDate = Date(timeIntervalSinceNow: 20)
      NSUserNotificationCenter.default.scheduleNotification(userNotification)
      say("scheduled \(NSUserNotificationCenter.default.scheduledNotifications.count)")
    } else {
      NSUserNotificationCenter.default.deliver(userNotification)
    }
  }

  func application(
    _ application: NSApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    say("token \(deviceToken.map { String(format: "%02x", $0) }.joined())")
    say("enabled \(NSApp.enabledRemoteNotificationTypes.rawValue)")
  }

  func application(
    _ application: NSApplication, didFailToRegisterForRemoteNotificationsWithError error: Error
  ) { say("no token: \(error.localizedDescription)") }

  func application(
    _ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]
  ) { say("push \(userInfo["item"] as? String ?? "")") }

  func userNotificationCenter(
    _ center: NSUserNotificationCenter, didDeliver notification: NSUserNotification
  ) { say("delivered \(notification.title ?? "")") }

  func userNotificationCenter(
    _ center: NSUserNotificationCenter, shouldPresent notification: NSUserNotification
  ) -> Bool {
    if CommandLine.arguments.contains("--quiet") {
      DispatchQueue.main.async { self.sayPresented() }
      return false
    }
    return true
  }

  /// Prints, for each delivered notification, whether it was presented.
  func sayPresented() {
    let delivered = NSUserNotificationCenter.default.deliveredNotifications
    say("presented \(delivered.map(\.isPresented))")
  }

  func userNotificationCenter(
    _ center: NSUserNotificationCenter, didActivate notification: NSUserNotification
  ) { say("activated \(notification.activationType.rawValue)") }
}
