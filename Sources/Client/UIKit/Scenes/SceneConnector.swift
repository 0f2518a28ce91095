import BelfryClient
import Foundation
import UserNotifications

/// An object that connects the app's scene if the app's delegate or manifest specifies a class for the scene's
/// delegate.
@MainActor
final class SceneConnector {
  private(set) var connected: Set<UIScene> = []
  /// The user's response that launched the app, stored until the scene connects.
  var launchResponse: UNNotificationResponse?

  /// Connects the scene, unless it is already connected.
  func connectIfNeeded(response: UNNotificationResponse?) {
    guard connected.isEmpty, let delegate = UIApplication.shared.delegate else { return }
    let session = UISceneSession(role: .windowApplication, identifier: "belfry.scene")
    let options = UIScene.ConnectionOptions(notificationResponse: response ?? launchResponse)
    launchResponse = nil
    let configuration = delegate.application(
      .shared, configurationForConnecting: session, options: options)
    let delegateClass =
      configuration.delegateClass as? NSObject.Type
      ?? SceneManifest.delegateClass(named: configuration.name, role: session.role)
    guard let delegateClass else { return }
    let sceneClass = configuration.sceneClass as? UIScene.Type ?? UIWindowScene.self
    let scene = sceneClass.init(session: session, connectionOptions: options)
    session.configuration = configuration
    session.scene = scene
    scene.delegate = NewObject.make(delegateClass) as? any UISceneDelegate
    connected = [scene]
    scene.activationState = .foregroundInactive
    scene.delegate?.scene(scene, willConnectTo: session, options: options)
    NotificationCenter.default.post(name: UIScene.willConnectNotification, object: scene)
  }

  func willEnterForeground() {
    each(.foregroundInactive, UIScene.willEnterForegroundNotification) {
      $0.sceneWillEnterForeground($1)
    }
  }

  func didBecomeActive() {
    each(.foregroundActive, UIScene.didActivateNotification) { $0.sceneDidBecomeActive($1) }
  }

  func willResignActive() {
    each(.foregroundInactive, UIScene.willDeactivateNotification) { $0.sceneWillResignActive($1) }
  }

  func didEnterBackground() {
    each(.background, UIScene.didEnterBackgroundNotification) { $0.sceneDidEnterBackground($1) }
  }

  func open(_ url: URL) -> Bool {
    guard let scene = connected.first, let delegate = scene.delegate else { return false }
    delegate.scene(scene, openURLContexts: [UIOpenURLContext(url: url)])
    return true
  }

  private func each(
    _ state: UIScene.ActivationState, _ name: Notification.Name,
    _ tell: (any UISceneDelegate, UIScene) -> Void
  ) {
    for scene in connected {
      scene.activationState = state
      if let delegate = scene.delegate { tell(delegate, scene) }
      NotificationCenter.default.post(name: name, object: scene)
    }
  }
}

/// The scene configurations in the app's manifest (`UIApplicationSceneManifest` of its Info.plist).
enum SceneManifest {
  static func delegateClass(named name: String?, role: UISceneSession.Role) -> NSObject.Type? {
    let manifest = Bundle.main.object(forInfoDictionaryKey: "UIApplicationSceneManifest")
    let roles = (manifest as? [String: Any])?["UISceneConfigurations"] as? [String: Any]
    let configurations = roles?[role.rawValue] as? [[String: Any]] ?? []
    let named = configurations.first { $0["UISceneConfigurationName"] as? String == name }
    let configuration = name == nil ? configurations.first : named
    guard let className = configuration?["UISceneDelegateClassName"] as? String else { return nil }
    return NSClassFromString(className) as? NSObject.Type
  }
}
