// An app that registers notification types, and registers for pushes with both of the older APIs.
import Narration
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  /// Returns the number that follows a word on the command line.
  func number(after word: String) -> Int? {
    let arguments = CommandLine.arguments
    guard let place = arguments.firstIndex(of: word), place + 1 < arguments.count else {
      return nil
    }
    return Int(arguments[place + 1])
  }

  func applicationDidFinishLaunching(_ app: UIApplication) {
    if CommandLine.arguments.contains("--nothing") {
      present(app)
    } else if CommandLine.arguments.contains("--before-ios-8") {
      app.registerForRemoteNotifications(matching: [.badge, .sound])
    } else {
      let types = number(after: "--types").map { UIUserNotificationType(rawValue: UInt($0)) }
      let mySettings = UIUserNotificationSettings(
        types: types ?? [.badge, .sound, .alert], categories: categories)
      app.registerUserNotificationSettings(mySettings)
      app.registerForRemoteNotifications()
    }
  }

  /// The categories that the command-line arguments request.
  ///
  /// Each category has its own name. With `--alike`, all categories have the same name, but each has its own action.
  var categories: Set<UIUserNotificationCategory>? {
    let isAlike = CommandLine.arguments.contains("--alike")
    guard let count = number(after: isAlike ? "--alike" : "--categories") else { return nil }
    return Set(
      (1...count).map { index in
        let action = UIMutableUserNotificationAction()
        action.identifier = "A\(index)"
        action.title = "Do"
        let category = UIMutableUserNotificationCategory()
        category.identifier = isAlike ? "C" : "C\(index)"
        category.setActions([action], for: .default)
        return category
      })
  }

  func application(
    _ app: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {
    say("types \(notificationSettings.types.rawValue)")
    say("accepts \(app.currentUserNotificationSettings?.types.rawValue ?? 99)")
    say("categories \(notificationSettings.categories?.count ?? 0)")
    if CommandLine.arguments.contains("--remind") { present(app) }
  }

  func present(_ app: UIApplication) {
    let reminder = UILocalNotification()
    reminder.alertBody = "Buy milk"
    reminder.soundName = UILocalNotificationDefaultSoundName
    app.presentLocalNotificationNow(reminder)
    say("reminded")
  }

  func application(_ app: UIApplication, didReceive notification: UILocalNotification) {
    say("received \(notification.alertBody ?? "")")
  }

  func applicationDidEnterBackground(_ app: UIApplication) {
    if CommandLine.arguments.contains("--remind") { present(app) }
  }

  func application(
    _ app: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken devToken: Data
  ) {
    say("token \(devToken.map { String(format: "%02x", $0) }.joined())")
    say("enabled \(app.enabledRemoteNotificationTypes().rawValue)")
  }

  func application(
    _ app: UIApplication, didFailToRegisterForRemoteNotificationsWithError err: Error
  ) {
    say("no token: \(err.localizedDescription)")
    disableRemoteFeatures()
  }

  /// Disables the features that can't work without a token.
  func disableRemoteFeatures() { say("remote features off") }
}
