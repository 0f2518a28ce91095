public import Foundation

/// The delegate that handles an app's events.
///
/// Every member is optional; if a method has two variants, an app implements one of them. All methods are called on the
/// main thread.
///
/// The conforming class itself must implement the methods. Methods that a subclass adds are not called, because there
/// is no Objective-C runtime to find them.
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
  /// The app's window, for apps without scenes.
  var window: UIWindow? { get set }

  // MARK: Life cycle

  /// Tells the delegate that the app has launched; called for apps without
  /// `application(_:didFinishLaunchingWithOptions:)`.
  func applicationDidFinishLaunching(_ application: UIApplication)

  /// Tells the delegate that the app is launching.
  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// Tells the delegate that the app has launched; the options contain the reason for the launch.
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// Tells the delegate that the app became active.
  func applicationDidBecomeActive(_ application: UIApplication)

  /// Tells the delegate that the app is about to become inactive.
  func applicationWillResignActive(_ application: UIApplication)

  /// Tells the delegate that the app is in the background.
  func applicationDidEnterBackground(_ application: UIApplication)

  /// Tells the delegate that the app is about to enter the foreground.
  func applicationWillEnterForeground(_ application: UIApplication)

  /// Tells the delegate that the app is about to terminate.
  func applicationWillTerminate(_ application: UIApplication)

  /// Tells the delegate that memory is low; never called on this system.
  func applicationDidReceiveMemoryWarning(_ application: UIApplication)

  /// Tells the delegate that the clock, the day, or the time zone changed.
  func applicationSignificantTimeChange(_ application: UIApplication)

  /// Tells the delegate that protected files are available; never called on this system.
  func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)

  /// Tells the delegate that protected files are about to become unavailable; never called on this system.
  func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)

  // MARK: Settings and registration

  /// Delivers the notification types that the user allows, after `registerUserNotificationSettings(_:)`.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenter.requestAuthorization")
  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings)

  /// Delivers the device token after a registration and whenever the token changes.
  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)

  /// Tells the delegate that the registration failed.
  func application(
    _ application: UIApplication,
    didFailToRegisterForRemoteNotificationsWithError error: any Error)

  // MARK: Pushes

  /// Delivers a push that arrived while the app was running, for apps that do not implement a method with a fetch
  /// result.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any])

  /// Delivers a push; the app has about 30 s to report the result of its fetch.
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void)

  /// Delivers a push; the app has about 30 s to report the result of its fetch.
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) async -> UIBackgroundFetchResult

  // MARK: Local notifications and actions, before iOS 10

  /// Delivers a local notification that is due while the app is in the foreground, or that the user opened.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(_ application: UIApplication, didReceive notification: UILocalNotification)

  /// Tells the delegate that the user chose an action of a local notification.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification,
    completionHandler: @escaping @Sendable () -> Void)

  /// Tells the delegate that the user chose an action of a local notification.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification
  ) async

  /// Tells the delegate that the user chose an action of a local notification, possibly with text.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void)

  /// Tells the delegate that the user chose an action of a local notification, possibly with text.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any]
  ) async

  /// Tells the delegate that the user chose an action of a push.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void)

  /// Tells the delegate that the user chose an action of a push.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any]
  ) async

  /// Tells the delegate that the user chose an action of a push, possibly with text.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    withResponseInfo responseInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void)

  /// Tells the delegate that the user chose an action of a push, possibly with text.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    withResponseInfo responseInfo: [AnyHashable: Any]
  ) async

  // MARK: Background

  /// Lets the app fetch new content; never called on this system, where pushes wake apps.
  @available(iOS, deprecated: 13.0, message: "Use a push with content-available")
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (UIBackgroundFetchResult) -> Void)

  /// Tells the delegate that background transfers have finished; never called on this system.
  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void)

  /// Tells the delegate that background transfers have finished; never called on this system.
  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String) async

  // MARK: URLs and activities

  /// Opens a URL.
  ///
  /// The URL must be the only argument of the app's process and must have a scheme.
  func application(
    _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
  ) -> Bool

  /// Tells the delegate that an activity is about to be handed over; never called on this system.
  func application(
    _ application: UIApplication, willContinueUserActivityWithType userActivityType: String
  ) -> Bool

  /// Continues an activity; never called on this system.
  func application(
    _ application: UIApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping @Sendable ([any UIUserActivityRestoring]?) -> Void
  ) -> Bool

  /// Tells the delegate that handing over an activity failed; never called on this system.
  func application(
    _ application: UIApplication, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error)

  /// Performs a Home Screen quick action that the user chose; never called on this system.
  func application(
    _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem,
    completionHandler: @escaping @Sendable (Bool) -> Void)

  /// Performs a Home Screen quick action that the user chose; never called on this system.
  func application(
    _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem
  ) async -> Bool

  /// Returns whether the app allows a kind of extension, such as third-party keyboards; never called on this system.
  func application(
    _ application: UIApplication,
    shouldAllowExtensionPointIdentifier extensionPointIdentifier:
      UIApplication.ExtensionPointIdentifier
  ) -> Bool

  // MARK: Scenes

  /// Returns the configuration of a scene that is about to connect.
  ///
  /// If the delegate does not implement this method, the app's manifest provides the configuration.
  func application(
    _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration

  /// Tells the delegate that the user closed scenes; never called on this system.
  func application(
    _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
}

/// An object that can continue an activity.
@MainActor
public protocol UIUserActivityRestoring: NSObjectProtocol {
  /// Restores the state that is needed to continue an activity.
  func restoreUserActivityState(_ userActivity: NSUserActivity)
}

extension UIResponder: UIUserActivityRestoring {}
