public import Foundation

/// The delegate for the events of a scene.
///
/// Every member is optional.
@MainActor
public protocol UISceneDelegate: NSObjectProtocol {
  /// The scene is being connected; the options have the response that launched the app.
  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions)

  /// The scene was disconnected.
  func sceneDidDisconnect(_ scene: UIScene)

  /// The scene is in front.
  func sceneDidBecomeActive(_ scene: UIScene)

  /// The scene is about to leave the front.
  func sceneWillResignActive(_ scene: UIScene)

  /// The scene is about to come back from the background.
  func sceneWillEnterForeground(_ scene: UIScene)

  /// The scene is in the background.
  func sceneDidEnterBackground(_ scene: UIScene)

  /// URLs to open.
  func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>)

  /// What to give back at the next launch; never asked on this system.
  func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?

  /// An activity is coming; never called on this system.
  func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String)

  /// An activity to go on with; never called on this system.
  func scene(_ scene: UIScene, continue userActivity: NSUserActivity)

  /// An activity did not come; never called on this system.
  func scene(
    _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error)

  /// An activity was changed; never called on this system.
  func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity)
}

/// The delegate of a scene with windows.
@MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
  /// The scene's window.
  var window: UIWindow? { get set }

  /// The user chose an action of the app's launcher; never called on this system.
  func windowScene(
    _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
    completionHandler: @escaping @Sendable (Bool) -> Void)

  /// The user chose an action of the app's launcher; never called on this system.
  func windowScene(
    _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem
  ) async -> Bool
}

extension UIWindowSceneDelegate {
  /// Reports that nothing was done.
  public func windowScene(
    _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
    completionHandler: @escaping @Sendable (Bool) -> Void
  ) { completionHandler(false) }

  /// Reports that nothing was done.
  public func windowScene(
    _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem
  ) async -> Bool { false }

  /// No window, for a delegate that keeps none.
  public var window: UIWindow? {
    get { nil }
    set {}
  }
}

extension UISceneDelegate {
  /// Does nothing.
  public func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {}

  /// Does nothing.
  public func sceneDidDisconnect(_ scene: UIScene) {}

  /// Does nothing.
  public func sceneDidBecomeActive(_ scene: UIScene) {}

  /// Does nothing.
  public func sceneWillResignActive(_ scene: UIScene) {}

  /// Does nothing.
  public func sceneWillEnterForeground(_ scene: UIScene) {}

  /// Does nothing.
  public func sceneDidEnterBackground(_ scene: UIScene) {}

  /// Does nothing.
  public func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>) {}

  /// Nothing to give back.
  public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { nil }

  /// Does nothing.
  public func scene(
    _ scene: UIScene, willContinueUserActivityWithType userActivityType: String
  ) {}

  /// Does nothing.
  public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}

  /// Does nothing.
  public func scene(
    _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error
  ) {}

  /// Does nothing.
  public func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity) {}
}
