// An app that plays its own sound file and, once, the system's sound.
import Narration
import UIKit

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  func applicationDidFinishLaunching(_ application: UIApplication) {
    application.registerUserNotificationSettings(
      UIUserNotificationSettings(types: [.alert, .sound], categories: nil))
  }

  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {
    onOrder { order in
      let notification = UILocalNotification()
      notification.alertBody = order
      notification.soundName =
        order == "default" ? UILocalNotificationDefaultSoundName : "\(order).wav"
      application.presentLocalNotificationNow(notification)
    }
    say("ready")
  }
}
