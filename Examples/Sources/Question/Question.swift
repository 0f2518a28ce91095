// A program that asks the user a question, like an app with a screen.
import Narration
import UIKit
import UserNotifications

class QuestionController: UIViewController {
  override func viewDidLoad() {
    super.viewDidLoad()
    say("loaded")
  }

  override func viewDidAppear(_ animated: Bool) {
    super.viewDidAppear(animated)
    let alert = UIAlertController(
      title: "New list", message: "What shall it be called?", preferredStyle: .alert)
    alert.addTextField { $0.placeholder = "Groceries" }
    alert.addAction(UIAlertAction(title: "Cancel", style: .cancel) { _ in say("cancelled") })
    alert.addAction(
      UIAlertAction(title: "Add", style: .default) { _ in
        say("added \(alert.textFields?.first?.text ?? "")")
      })
    present(alert, animated: true)
  }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    UNUserNotificationCenter.current().requestAuthorization(options: .alert) { granted, _ in
      DispatchQueue.main.async { self.start() }
    }
    return true
  }

  func start() {
    window = UIWindow(frame: UIScreen.main.bounds)
    window?.rootViewController = QuestionController()
    window?.makeKeyAndVisible()
  }
}
