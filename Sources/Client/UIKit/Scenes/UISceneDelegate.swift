public import Foundation

/// The delegate that handles a scene's events.
///
/// Every member is optional.
@MainActor
public protocol UISceneDelegate: NSObjectProtocol {
  /// Tells the delegate that the scene is connecting; the options contain the response that launched the app.
  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions)

  /// Tells the delegate that the scene was disconnected.
  func sceneDidDisconnect(_ scene: UIScene)

  /// Tells the delegate that the scene became active.
  func sceneDidBecomeActive(_ scene: UIScene)

  /// Tells the delegate that the scene is about to become inactive.
  func sceneWillResignActive(_ scene: UIScene)

  /// Tells the delegate that the scene is about to enter the foreground.
  func sceneWillEnterForeground(_ scene: UIScene)

  /// Tells the delegate that the scene is in the background.
  func sceneDidEnterBackground(_ scene: UIScene)

  /// Opens URLs in the scene.
  func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>)

  /// Returns the activity to restore at the next launch; never called on this system.
  func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?

  /// Tells the delegate that an activity is about to be handed over; never called on this system.
  func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String)

  /// Continues an activity; never called on this system.
  func scene(_ scene: UIScene, continue userActivity: NSUserActivity)

  /// Tells the delegate that handing over an activity failed; never called on this system.
  func scene(
    _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error)

  /// Tells the delegate that an activity was updated; never called on this system.
  func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity)
}

/// The delegate of a scene with windows.
@MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
  /// The window of the scene.
  var window: UIWindow? { get set }

  /// Performs a Home Screen quick action that the user chose; never called on this system.
  func windowScene(
    _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
    completionHandler: @escaping @Sendable (Bool) -> Void)

  /// Performs a Home Screen quick action that the user chose; never called on this system.
  func windowScene(
    _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem
  ) async -> Bool
}

extension UIWindowSceneDelegate {
  /// Calls the completion handler with false.
  public func windowScene(
    _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
    completionHandler: @escaping @Sendable (Bool) -> Void
  ) { completionHandler(false) }

  /// Returns false: the action was not performed.
  public func windowScene(
    _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem
  ) async -> Bool { false }

  /// The window of a delegate that does not store one; always nil.
  public var window: UIWindow? {
    get { nil }
    set {}
  }
}

extension UISceneDelegate {
  /// The default implementation does nothing.
  public func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {}

  /// The default implementation does nothing.
  public func sceneDidDisconnect(_ scene: UIScene) {}

  /// The default implementation does nothing.
  public func sceneDidBecomeActive(_ scene: UIScene) {}

  /// The default implementation does nothing.
  public func sceneWillResignActive(_ scene: UIScene) {}

  /// The default implementation does nothing.
  public func sceneWillEnterForeground(_ scene: UIScene) {}

  /// The default implementation does nothing.
  public func sceneDidEnterBackground(_ scene: UIScene) {}

  /// The default implementation does nothing.
  public func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>) {}

  /// Returns nil: there is no state to restore.
  public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { nil }

  /// The default implementation does nothing.
  public func scene(
    _ scene: UIScene, willContinueUserActivityWithType userActivityType: String
  ) {}

  /// The default implementation does nothing.
  public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}

  /// The default implementation does nothing.
  public func scene(
    _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error
  ) {}

  /// The default implementation does nothing.
  public func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity) {}
}
