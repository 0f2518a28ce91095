// An app that shows which state is available when the system first calls its delegate, and how a system prompt affects
// the app.
import Narration
import UIKit
import UserNotifications

@main
final class AppDelegate: NSObject, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    let types = application.enabledRemoteNotificationTypes().rawValue
    let language = NSLocale.preferredLanguages.first ?? ""
    say(
      "first badge \(application.applicationIconBadgeNumber) registered "
        + "\(application.isRegisteredForRemoteNotifications) types \(types) language \(language)")
    return true
  }

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    // The user has completed the item by opening it.
    if CommandLine.arguments.contains("--open") { application.applicationIconBadgeNumber -= 1 }
    if CommandLine.arguments.contains("--ask") { ask() }
    if CommandLine.arguments.contains("--register") {
      application.registerForRemoteNotifications(matching: [.badge, .alert])
    }
    onOrder { order in
      if order == "badge" { say("badge \(application.applicationIconBadgeNumber)") }
      if order == "ask" { self.ask() }
      if order == "state" { say("state \(application.applicationState.rawValue)") }
    }
    say("launched")
    return true
  }

  func ask() {
    UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .badge]) {
      granted, _ in
      DispatchQueue.main.async { say("granted \(granted)") }
    }
  }

  func applicationDidBecomeActive(_ application: UIApplication) {
    say("active")
    if CommandLine.arguments.contains("--register-when-active") {
      application.registerForRemoteNotifications(matching: [.alert])
    }
  }

  func applicationWillResignActive(_ application: UIApplication) { say("resigned") }

  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    say("token \(deviceToken.map { String(format: "%02x", $0) }.joined())")
  }
}
