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
  /// True if a missing delegate class was reported; the scene is connected at each activation of the app.
  private var hasReportedFailure = false

  /// Connects the scene, unless it is already connected.
  func connectIfNeeded(response: UNNotificationResponse?) {
    guard connected.isEmpty, let delegate = UIApplication.shared.delegate else { return }
    let session = UISceneSession(role: .windowApplication, identifier: "belfry.scene")
    let options = UIScene.ConnectionOptions(notificationResponse: response ?? launchResponse)
    launchResponse = nil
    let configuration = delegate.application(
      .shared, configurationForConnecting: session, options: options)
    guard let delegateClass = findDelegateClass(configuration, of: session, for: delegate) else {
      return
    }
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

  /// Returns the class of the scene's delegate; nil if the app has no scene.
  private func findDelegateClass(
    _ configuration: UISceneConfiguration, of session: UISceneSession,
    for delegate: any UIApplicationDelegate
  ) -> NSObject.Type? {
    if let chosen = configuration.delegateClass as? NSObject.Type { return chosen }
    do throws(SceneManifest.Failure) {
      return try SceneManifest.delegateClass(
        named: configuration.name, role: session.role,
        module: String(String(reflecting: type(of: delegate)).prefix { $0 != "." }),
        in: SceneManifest.current)
    } catch {
      if !hasReportedFailure {
        FileHandle.standardError.write(Data("belfry: \(error.message)\n".utf8))
      }
      hasReportedFailure = true
      return nil
    }
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
