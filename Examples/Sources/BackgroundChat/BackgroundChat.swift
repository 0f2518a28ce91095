// A chat that continues in the background as long as the system allows, and notifies the user of new messages.
import Narration
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  var bgTask = UIBackgroundTaskIdentifier.invalid
  var incoming = ["Anna: are you there?"]

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    application.registerUserNotificationSettings(
      UIUserNotificationSettings(types: [.alert, .badge, .sound], categories: nil))
    return true
  }

  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) { say("types \(notificationSettings.types.rawValue)") }

  func applicationDidEnterBackground(_ application: UIApplication) {
    say("background")
    bgTask = application.beginBackgroundTask {
      DispatchQueue.main.async {
        if self.bgTask != .invalid {
          application.endBackgroundTask(self.bgTask)
          self.bgTask = .invalid
        }
      }
    }
    say(
      "time \(application.backgroundTimeRemaining == .greatestFiniteMagnitude ? "free" : "limited")"
    )
    DispatchQueue.main.async {
      while application.backgroundTimeRemaining > 1.0 {
        guard let friend = self.checkForIncomingChat() else { break }
        let localNotif = UILocalNotification()
        localNotif.alertBody = friend
        localNotif.alertAction = "Read Message"
        localNotif.soundName = "alarmsound.caf"
        localNotif.applicationIconBadgeNumber = 1
        application.presentLocalNotificationNow(localNotif)
        say("presented")
      }
      application.endBackgroundTask(self.bgTask)
      self.bgTask = .invalid
      say("done")
    }
  }

  func applicationWillEnterForeground(_ application: UIApplication) { say("foreground") }

  func checkForIncomingChat() -> String? { incoming.isEmpty ? nil : incoming.removeFirst() }
}
