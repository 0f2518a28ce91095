// A restaurant that announces its special with an alert. Opening the alert puts the dish into the cart.
import Narration
import UIKit
import UserNotifications

struct Item {
  var name: String
  var price: Float
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
  var cart: [Item] = []

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    UIApplication.shared.registerForRemoteNotifications()
    UNUserNotificationCenter.current().delegate = self
    subscribeToNotifications(self)
    return true
  }

  func application(
    _ application: UIApplication,
    didFailToRegisterForRemoteNotificationsWithError error: Error
  ) {
    say("no token: \(error.localizedDescription)")
  }

  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    forwardTokenToServer(token: deviceToken)
  }

  func forwardTokenToServer(token: Data) {
    let tokenString = token.map { String(format: "%02.2hhx", $0) }.joined()
    say("token \(tokenString)")
    guard let server = ProcessInfo.processInfo.environment["REGISTRY"],
      var components = URLComponents(string: server)
    else { return }
    components.queryItems = [URLQueryItem(name: "deviceToken", value: tokenString)]
    guard let url = components.url else { return }
    let task = URLSession.shared.dataTask(with: url) { _, response, error in
      if let error = error { return say("registry: \(error.localizedDescription)") }
      say("registry \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    }
    task.resume()
  }

  @IBAction func subscribeToNotifications(_ sender: Any) {
    let userNotificationCenter = UNUserNotificationCenter.current()
    userNotificationCenter.requestAuthorization(options: [.alert, .sound, .badge]) {
      (granted, error) in
      say("permission \(granted)")
    }
  }

  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  ) {
    let userInfo = response.notification.request.content.userInfo
    guard let name = userInfo["special"] as? String, let text = userInfo["price"] as? String,
      let price = Float(text)
    else {
      say("not for the cart")
      completionHandler()
      return
    }
    addItemToCart(Item(name: name, price: price))
    completionHandler()
  }

  func addItemToCart(_ item: Item) {
    cart.append(item)
    say("cart \(item.name) \(item.price) \(Thread.isMainThread ? "main" : "other") thread")
  }
}
