// An app that fetches a restaurant's menu when a background notification announces a new one.
import Narration
import UIKit

func updateMenu(withData data: Data) { say("menu \(String(decoding: data, as: UTF8.self))") }

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    say("launched \(application.applicationState == .background ? "behind" : "")")
    UIApplication.shared.registerForRemoteNotifications()
    return true
  }

  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    say("token \(deviceToken.map { String(format: "%02x", $0) }.joined())")
  }

  func application(
    _ application: UIApplication,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    if userInfo["save"] != nil { return save(application, completionHandler) }
    guard let address = userInfo["menu"] as? String, let url = URL(string: address) else {
      say("no menu")
      completionHandler(.failed)
      return
    }
    let task = URLSession.shared.dataTask(with: url) { data, response, error in
      guard let data = data else {
        say("no menu at \(url.absoluteString)")
        completionHandler(.noData)
        return
      }
      updateMenu(withData: data)
      completionHandler(.newData)
    }
    task.resume()
  }

  var saving = UIBackgroundTaskIdentifier.invalid

  /// Continues to run after the fetch, until the work is done or the background time is almost over.
  func save(
    _ application: UIApplication, _ completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    saving = application.beginBackgroundTask {
      say("the time ends")
      application.endBackgroundTask(self.saving)
      self.saving = .invalid
    }
    let left = application.backgroundTimeRemaining
    say("saving \(saving != .invalid) \(left > 20 && left <= 30 ? "limited" : "\(left)")")
    completionHandler(.newData)
  }
}
