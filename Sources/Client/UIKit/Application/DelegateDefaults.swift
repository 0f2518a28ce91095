import BelfryClient
public import Foundation

// The defaults for methods that an app delegate does not implement. They do nothing, or call an older variant of the
// method.
extension UIApplicationDelegate {
  /// The window of a delegate that does not store one; always nil.
  public var window: UIWindow? {
    get { nil }
    set {}
  }

  /// The default implementation does nothing.
  public func applicationDidFinishLaunching(_ application: UIApplication) {}

  /// Returns true, so that the launch continues.
  public func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool { true }

  /// Calls `applicationDidFinishLaunching(_:)`, the older variant of this method, and returns true.
  public func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    applicationDidFinishLaunching(application)
    return true
  }

  /// The default implementation does nothing.
  public func applicationDidBecomeActive(_ application: UIApplication) {}

  /// The default implementation does nothing.
  public func applicationWillResignActive(_ application: UIApplication) {}

  /// The default implementation does nothing.
  public func applicationDidEnterBackground(_ application: UIApplication) {}

  /// The default implementation does nothing.
  public func applicationWillEnterForeground(_ application: UIApplication) {}

  /// The default implementation does nothing.
  public func applicationWillTerminate(_ application: UIApplication) {}

  /// The default implementation does nothing.
  public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}

  /// The default implementation does nothing.
  public func applicationSignificantTimeChange(_ application: UIApplication) {}

  /// The default implementation does nothing.
  public func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}

  /// The default implementation does nothing.
  public func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {}

  /// The default implementation does nothing.
  public func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {}

  /// The default implementation does nothing.
  public func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {}

  /// The default implementation does nothing.
  public func application(
    _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
  ) {}

  /// The default implementation does nothing.
  public func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }

  /// Calls the completion handler immediately.
  public func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) { completionHandler() }

  /// Calls the variant with a completion handler.
  public func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String
  ) async {
    await withCheckedContinuation { continuation in
      let done = CallOnce<Void> { continuation.resume() }
      self.application(application, handleEventsForBackgroundURLSession: identifier) {
        done.call(())
      }
    }
  }

  /// Returns false: the URL is not opened.
  public func application(
    _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
  ) -> Bool { false }

  /// Returns false: the delegate does not show its own progress indicator.
  public func application(
    _ application: UIApplication, willContinueUserActivityWithType userActivityType: String
  ) -> Bool { false }

  /// Returns false: the activity is not continued.
  public func application(
    _ application: UIApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping @Sendable ([any UIUserActivityRestoring]?) -> Void
  ) -> Bool { false }

  /// The default implementation does nothing.
  public func application(
    _ application: UIApplication, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error
  ) {}

  /// Calls the completion handler with false.
  public func application(
    _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem,
    completionHandler: @escaping @Sendable (Bool) -> Void
  ) { completionHandler(false) }

  /// Returns false: the action was not performed.
  public func application(
    _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem
  ) async -> Bool { false }

  /// Returns true: the extension point is allowed.
  public func application(
    _ application: UIApplication,
    shouldAllowExtensionPointIdentifier extensionPointIdentifier:
      UIApplication.ExtensionPointIdentifier
  ) -> Bool { true }

  /// Returns a configuration that takes its values from the app's manifest.
  public func application(
    _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration {
    UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
  }

  /// The default implementation does nothing.
  public func application(
    _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
  ) {}
}
