public import Foundation

/// The delegate for the events of an app.
///
/// Every member is optional; of a method's two forms an app writes one. All are called on the main
/// thread.
///
/// The class that conforms has to implement the methods: what a subclass of it adds is not called,
/// since there is no Objective-C runtime to find it.
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
  /// The app's window, for apps without scenes.
  var window: UIWindow? { get set }

  // MARK: Life

  /// The app has started; called for apps without `application(_:didFinishLaunchingWithOptions:)`.
  func applicationDidFinishLaunching(_ application: UIApplication)

  /// The app is starting.
  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// The app has started; the options say why.
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool

  /// The app is in front.
  func applicationDidBecomeActive(_ application: UIApplication)

  /// The app is about to leave the front.
  func applicationWillResignActive(_ application: UIApplication)

  /// The app is in the background.
  func applicationDidEnterBackground(_ application: UIApplication)

  /// The app is about to come back from the background.
  func applicationWillEnterForeground(_ application: UIApplication)

  /// The app is about to end.
  func applicationWillTerminate(_ application: UIApplication)

  /// Memory is short; never called on this system.
  func applicationDidReceiveMemoryWarning(_ application: UIApplication)

  /// The clock, the day or the time zone changed.
  func applicationSignificantTimeChange(_ application: UIApplication)

  /// Protected files can be read; never called on this system.
  func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)

  /// Protected files are about to be locked; never called on this system.
  func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)

  // MARK: Settings and registration

  /// What the user allows, after `registerUserNotificationSettings(_:)`.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenter.requestAuthorization")
  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings)

  /// The device's token: after a registration, and whenever it changes.
  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)

  /// There is no token; the error says why.
  func application(
    _ application: UIApplication,
    didFailToRegisterForRemoteNotificationsWithError error: any Error)

  // MARK: Pushes

  /// A push arrived while the app was running, for apps without the form with a fetch result.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any])

  /// A push arrived; the app has about 30 s to say what came of it.
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void)

  /// A push arrived; the app has about 30 s to say what came of it.
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) async -> UIBackgroundFetchResult

  // MARK: Local notifications and actions, before iOS 10

  /// A local notification is due while the app is in front, or the user opened it.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(_ application: UIApplication, didReceive notification: UILocalNotification)

  /// The user chose an action of a local notification.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification,
    completionHandler: @escaping @Sendable () -> Void)

  /// The user chose an action of a local notification.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification
  ) async

  /// The user chose an action of a local notification, perhaps with text.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void)

  /// The user chose an action of a local notification, perhaps with text.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any]
  ) async

  /// The user chose an action of a push.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void)

  /// The user chose an action of a push.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any]
  ) async

  /// The user chose an action of a push, perhaps with text.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    withResponseInfo responseInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void)

  /// The user chose an action of a push, perhaps with text.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenterDelegate")
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    withResponseInfo responseInfo: [AnyHashable: Any]
  ) async

  // MARK: Background

  /// The app may look for something new; never called on this system, pushes wake apps here.
  @available(iOS, deprecated: 13.0, message: "Use a push with content-available")
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (UIBackgroundFetchResult) -> Void)

  /// Transfers in the background have ended; never called on this system.
  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void)

  /// Transfers in the background have ended; never called on this system.
  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String) async

  // MARK: URLs and activities

  /// A URL to open: an argument of the process that has a scheme.
  func application(
    _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
  ) -> Bool

  /// An activity is coming; never called on this system.
  func application(
    _ application: UIApplication, willContinueUserActivityWithType userActivityType: String
  ) -> Bool

  /// An activity to go on with; never called on this system.
  func application(
    _ application: UIApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping @Sendable ([any UIUserActivityRestoring]?) -> Void
  ) -> Bool

  /// An activity did not come; never called on this system.
  func application(
    _ application: UIApplication, didFailToContinueUserActivityWithType userActivityType: String,
    error: any Error)

  /// The user chose an action of the app's launcher; never called on this system.
  func application(
    _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem,
    completionHandler: @escaping @Sendable (Bool) -> Void)

  /// The user chose an action of the app's launcher; never called on this system.
  func application(
    _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem
  ) async -> Bool

  /// Whether the app lets extensions of a kind in, such as other keyboards; never asked on this system.
  func application(
    _ application: UIApplication,
    shouldAllowExtensionPointIdentifier extensionPointIdentifier:
      UIApplication.ExtensionPointIdentifier
  ) -> Bool

  // MARK: Scenes

  /// How the app's scene is set up; the manifest says when the app does not.
  func application(
    _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration

  /// The user closed scenes; never called on this system.
  func application(
    _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
}

/// An object that can continue an activity.
@MainActor
public protocol UIUserActivityRestoring: NSObjectProtocol {
  /// Continues an activity.
  func restoreUserActivityState(_ userActivity: NSUserActivity)
}

extension UIResponder: UIUserActivityRestoring {}
