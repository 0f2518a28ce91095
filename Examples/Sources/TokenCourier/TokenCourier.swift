// An app that sends the device's token to its own server once per launch, either as text in the URL or, with
// `--binary`, as raw bytes.
import Narration
import UIKit

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    application.registerUserNotificationSettings(
      UIUserNotificationSettings(types: [.badge, .sound, .alert], categories: nil))
    return true
  }

  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {
    say("types \(notificationSettings.types.rawValue)")
    application.registerForRemoteNotifications()
  }

  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    let isBinary = CommandLine.arguments.contains("--binary")
    let hex = deviceToken.map { String(format: "%02x", $0) }.joined()
    let server = ProcessInfo.processInfo.environment["TOKEN_SERVER"] ?? "token.example.org"
    var address = URLComponents(string: server) ?? URLComponents()
    address.path = "/register"
    address.queryItems = [
      URLQueryItem(name: "token", value: isBinary ? nil : hex),
      URLQueryItem(name: "language", value: Locale.userPreferredLanguages.first),
    ]
    // URL loading refuses an address without a scheme, and reports the error to the app.
    guard let url = address.url else { return say("no address") }
    var request = URLRequest(url: url)
    if isBinary {
      request.httpMethod = "POST"
      request.httpBody = deviceToken
      request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    }
    URLSession.shared.dataTask(with: request) { _, response, error in
      if let error { return say("not delivered: \(error.localizedDescription)") }
      say("delivered \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    }.resume()
  }

  func application(
    _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error
  ) { say("no token: \(error.localizedDescription)") }
}
