// An app that reports the user's preferred language to the provider, at launch and whenever it changes.
import Narration
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    sendPreferredLanguage()
    _ = NotificationCenter.default.addObserver(
      forName: NSLocale.currentLocaleDidChangeNotification, object: nil, queue: .main
    ) { _ in MainActor.assumeIsolated { self.sendPreferredLanguage() } }
    return true
  }

  func sendPreferredLanguage() {
    let preferredLang = NSLocale.preferredLanguages[0]
    let bytes = Data(preferredLang.utf8)
    say("language \(String(decoding: bytes, as: UTF8.self))")
  }
}
