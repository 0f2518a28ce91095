// An invitation that is accepted, declined, or postponed without opening the app.
import Narration
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    let acceptAction = UIMutableUserNotificationAction()
    acceptAction.identifier = "ACCEPT_IDENTIFIER"
    acceptAction.title = "Accept"
    acceptAction.activationMode = .background
    acceptAction.isDestructive = false
    acceptAction.isAuthenticationRequired = false

    let maybeAction = UIMutableUserNotificationAction()
    maybeAction.identifier = "MAYBE_IDENTIFIER"
    maybeAction.title = "Maybe"
    maybeAction.activationMode = .foreground

    let declineAction = UIMutableUserNotificationAction()
    declineAction.identifier = "DECLINE_IDENTIFIER"
    declineAction.title = "Decline"
    declineAction.activationMode = .background
    declineAction.isDestructive = true
    declineAction.isAuthenticationRequired = true

    let inviteCategory = UIMutableUserNotificationCategory()
    inviteCategory.identifier = "INVITE_CATEGORY"
    inviteCategory.setActions([acceptAction, maybeAction, declineAction], for: .default)
    inviteCategory.setActions([acceptAction, declineAction], for: .minimal)

    let categories: Set<UIUserNotificationCategory> = [inviteCategory]
    let types: UIUserNotificationType = [.badge, .sound, .alert]
    application.registerUserNotificationSettings(
      UIUserNotificationSettings(types: types, categories: categories))
    application.registerForRemoteNotifications()
    return true
  }

  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {
    say("types \(notificationSettings.types.rawValue)")
    guard CommandLine.arguments.contains("--invite") else { return }
    let notification = UILocalNotification()
    notification.alertBody = "Dinner at eight?"
    notification.fireDate = Date(timeIntervalSinceNow: 60)
    notification.category = "INVITE_CATEGORY"
    notification.userInfo = ["invitation": 42]
    application.scheduleLocalNotification(notification)
    say("invited")
  }

  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    say("token \(deviceToken.map { String(format: "%02x", $0) }.joined())")
  }

  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification, completionHandler: @escaping () -> Void
  ) {
    let number = notification.userInfo?["invitation"] as? Int ?? 0
    say("\(identifier ?? "") \(number) of \(notification.category ?? "none")")
    finish(completionHandler)
  }

  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any], completionHandler: @escaping () -> Void
  ) {
    let category = (userInfo["aps"] as? [String: Any])?["category"] as? String
    say("\(identifier ?? "") \(userInfo["invitation"] as? Int ?? 0) of \(category ?? "none")")
    finish(completionHandler)
  }

  /// Completes the handling of an action by calling its completion handler, except with `--never`.
  func finish(_ completionHandler: () -> Void) {
    if !CommandLine.arguments.contains("--never") { completionHandler() }
  }

  func applicationDidBecomeActive(_ application: UIApplication) { say("active") }

  func applicationDidEnterBackground(_ application: UIApplication) { say("behind") }
}
