// A push client with a switch for each type, two buttons in its bar, and a text view for received pushes. It registers
// again whenever it becomes active, because the user might have answered the system's prompt in the meantime.
import Narration
import UIKit

enum Tag {
  static let text = 1
  static let badge = 11
  static let sound = 12
  static let alert = 13
}

final class SwitchBoard: UIViewController {
  override func viewDidLoad() {
    title = "Pushes"
    let text = UITextView()
    text.tag = Tag.text
    view.addSubview(text)
    for tag in [Tag.badge, Tag.sound, Tag.alert] {
      let control = UISwitch()
      control.tag = tag
      view.addSubview(control)
    }
    navigationItem.leftBarButtonItem = UIBarButtonItem(
      title: "Off", primaryAction: UIAction { [weak self] _ in self?.unregister() })
    navigationItem.rightBarButtonItem = UIBarButtonItem(
      title: "On", primaryAction: UIAction { [weak self] _ in self?.register() })
    _ = NotificationCenter.default.addObserver(
      forName: UIApplication.didBecomeActiveNotification, object: nil, queue: nil
    ) { [weak self] _ in MainActor.assumeIsolated { self?.questionIsGone() } }
    showReality()
  }

  func isOn(_ tag: Int) -> Bool { (view.viewWithTag(tag) as? UISwitch)?.isOn ?? false }

  func set(_ tag: Int, _ isOn: Bool) { (view.viewWithTag(tag) as? UISwitch)?.isOn = isOn }

  var chosen: UIRemoteNotificationType {
    var types: UIRemoteNotificationType = []
    if isOn(Tag.badge) { types.insert(.badge) }
    if isOn(Tag.sound) { types.insert(.sound) }
    if isOn(Tag.alert) { types.insert(.alert) }
    return types
  }

  func showReality() {
    let types = UIApplication.shared.enabledRemoteNotificationTypes()
    set(Tag.badge, types.contains(.badge))
    set(Tag.sound, types.contains(.sound))
    set(Tag.alert, types.contains(.alert))
    say("switches \(chosen.rawValue)")
  }

  func register() {
    guard !chosen.isEmpty else { return show("nothing to register") }
    show("registering")
    UIApplication.shared.registerForRemoteNotifications(matching: chosen)
  }

  func unregister() {
    UIApplication.shared.unregisterForRemoteNotifications()
    showReality()
    show("unregistered")
  }

  func questionIsGone() {
    say("active")
    UIApplication.shared.registerForRemoteNotifications(matching: chosen)
    showReality()
  }

  func show(_ words: String) {
    let text = UIApplication.shared.keyWindow?.viewWithTag(Tag.text) as? UITextView
    text?.text = words
    say("text \(text?.text ?? "is missing")")
  }
}

@main
final class AppDelegate: NSObject, UIApplicationDelegate {
  let board = SwitchBoard()

  func applicationDidFinishLaunching(_ application: UIApplication) {
    let window = UIWindow(frame: UIScreen.main.bounds)
    window.addSubview(UINavigationController(rootViewController: board).view)
    window.makeKeyAndVisible()
    let center = NotificationCenter.default
    _ = center.addObserver(
      forName: UIApplication.didFinishLaunchingNotification, object: nil, queue: nil
    ) { notification in
      let info = notification.userInfo ?? [:]
      let payload = info[UIApplication.LaunchOptionsKey.remoteNotification.rawValue]
      say("launch options \((payload as? [String: Any])?["item"] as? String ?? "none")")
    }
    _ = center.addObserver(
      forName: UIApplication.willResignActiveNotification, object: nil, queue: nil
    ) { _ in say("resigned") }
    onOrder { order in
      let bar = self.board.navigationItem
      switch order {
      case "on": bar.rightBarButtonItem.map { self.press($0) }
      case "off": bar.leftBarButtonItem.map { self.press($0) }
      default:
        for tag in [Tag.badge, Tag.sound, Tag.alert] {
          self.board.set(tag, order.contains("\(tag)"))
        }
        say("chosen \(self.board.chosen.rawValue)")
      }
    }
  }

  func press(_ item: UIBarButtonItem) {
    let button = UIButton(primaryAction: item.primaryAction)
    button.sendActions(for: .touchUpInside)
  }

  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    say("token \(deviceToken.map { String(format: "%02x", $0) }.joined())")
  }

  func application(
    _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error
  ) { board.show("no token: \(error.localizedDescription)") }

  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) { board.show("push \(userInfo["item"] as? String ?? "")") }
}
