import UIKit

// This file uses every signature of client-api sections 2.2 and 2.6. The test passes if the file compiles.

@MainActor
private func application(_ application: UIApplication, _ delegate: AppDelegate) async {
  application.delegate = delegate
  let _: UIApplication = .shared
  let _: UIApplication.State = application.applicationState
  application.applicationIconBadgeNumber = 3
  application.registerForRemoteNotifications()
  application.unregisterForRemoteNotifications()
  let _: Bool = application.isRegisteredForRemoteNotifications
  application.registerForRemoteNotifications(matching: [.badge, .sound])
  let _: UIRemoteNotificationType = application.enabledRemoteNotificationTypes()
  let notification = UILocalNotification()
  application.presentLocalNotificationNow(notification)
  application.scheduleLocalNotification(notification)
  application.cancelLocalNotification(notification)
  application.cancelAllLocalNotifications()
  application.scheduledLocalNotifications = [notification]
  let _: [UILocalNotification]? = application.scheduledLocalNotifications
  application.registerUserNotificationSettings(
    UIUserNotificationSettings(types: [.alert], categories: nil))
  let _: UIUserNotificationSettings? = application.currentUserNotificationSettings
  let _: TimeInterval = application.backgroundTimeRemaining
  var task: UIBackgroundTaskIdentifier = application.beginBackgroundTask()
  task = application.beginBackgroundTask { application.endBackgroundTask(.invalid) }
  task = application.beginBackgroundTask(expirationHandler: nil)
  task = application.beginBackgroundTask(withName: "", expirationHandler: {})
  application.endBackgroundTask(task)
  application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
  application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalNever)
  let _: UIBackgroundRefreshStatus = application.backgroundRefreshStatus
  let _: [String] = [
    UIApplication.openSettingsURLString, UIApplication.openNotificationSettingsURLString,
  ]
  let _: [Notification.Name] = [
    UIApplication.didFinishLaunchingNotification, UIApplication.didBecomeActiveNotification,
    UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
    UIApplication.willEnterForegroundNotification, UIApplication.willTerminateNotification,
    UIApplication.significantTimeChangeNotification,
    UIApplication.didReceiveMemoryWarningNotification,
    UIApplication.backgroundRefreshStatusDidChangeNotification,
  ]
  let _: [UIApplication.LaunchOptionsKey] = [
    .url, .sourceApplication, .remoteNotification, .localNotification, .annotation, .location,
    .newsstandDownloads, .bluetoothCentrals, .bluetoothPeripherals, .shortcutItem,
    .userActivityDictionary, .userActivityType, .cloudKitShareMetadata, .eventAttribution,
  ]
  if let url = URL(string: UIApplication.openSettingsURLString), application.canOpenURL(url) {
    application.open(url, options: [:], completionHandler: nil)
    application.open(url) { (_: Bool) in }
    _ = await application.open(url)
  }
  let _: Set<UIScene> = application.connectedScenes
}

@MainActor
private func localNotification(_ notification: UILocalNotification, _ region: CLRegion) {
  notification.fireDate = Date()
  notification.timeZone = .current
  notification.repeatInterval = .weekOfYear
  notification.repeatCalendar = .current
  notification.region = region
  notification.regionTriggersOnce = false
  notification.alertBody = ""
  notification.hasAction = true
  notification.alertAction = ""
  notification.alertLaunchImage = ""
  notification.alertTitle = ""
  notification.soundName = UILocalNotificationDefaultSoundName
  notification.applicationIconBadgeNumber = 1
  notification.userInfo = ["a": 1]
  notification.category = ""
}

@MainActor
private func settings() {
  let action = UIMutableUserNotificationAction()
  action.identifier = "ACCEPT_IDENTIFIER"
  action.title = "Accept"
  action.activationMode = .background
  action.isDestructive = false
  action.isAuthenticationRequired = false
  action.behavior = .textInput
  action.parameters = [UIUserNotificationTextInputActionButtonTitleKey: "Send"]
  let category = UIMutableUserNotificationCategory()
  category.identifier = "INVITE_CATEGORY"
  category.setActions([action], for: .default)
  category.setActions([action], for: .minimal)
  let _: [UIUserNotificationAction]? = category.actions(for: .minimal)
  let settings = UIUserNotificationSettings(types: [.alert, .badge], categories: [category])
  let _: (UIUserNotificationType, Set<UIUserNotificationCategory>?) = (
    settings.types, settings.categories
  )
  let _: String = UIUserNotificationActionResponseTypedTextKey
}

private final class AppDelegate: UIResponder, UIApplicationDelegate {
  var window: UIWindow?

  func applicationDidFinishLaunching(_ application: UIApplication) {}
  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
  ) -> Bool { true }
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool { true }
  func applicationDidBecomeActive(_ application: UIApplication) {}
  func applicationWillResignActive(_ application: UIApplication) {}
  func applicationDidEnterBackground(_ application: UIApplication) {}
  func applicationWillEnterForeground(_ application: UIApplication) {}
  func applicationWillTerminate(_ application: UIApplication) {}
  func applicationSignificantTimeChange(_ application: UIApplication) {}
  func application(
    _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
  ) {}
  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {}
  func application(
    _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error
  ) {}
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) {}
  func application(
    _ application: UIApplication, didReceive notification: UILocalNotification
  ) {}
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification, completionHandler: @escaping () -> Void
  ) { completionHandler() }
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any],
    completionHandler: @escaping () -> Void
  ) { completionHandler() }
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any], completionHandler: @escaping () -> Void
  ) { completionHandler() }
  func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    withResponseInfo responseInfo: [AnyHashable: Any], completionHandler: @escaping () -> Void
  ) { completionHandler() }
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) { completionHandler(.newData) }
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping (UIBackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }
  func application(
    _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping () -> Void
  ) { completionHandler() }
  func application(
    _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
  ) -> Bool { true }
  func application(
    _ application: UIApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
  ) -> Bool { true }
  func application(
    _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
    options: UIScene.ConnectionOptions
  ) -> UISceneConfiguration {
    UISceneConfiguration(name: "Default", sessionRole: connectingSceneSession.role)
  }
  func application(
    _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
  ) {}
}

private final class AsyncAppDelegate: NSObject, UIApplicationDelegate {
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) async -> UIBackgroundFetchResult { .noData }
}

private final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?

  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {
    guard let windowScene = scene as? UIWindowScene else { return }
    let _: UNNotificationResponse? = connectionOptions.notificationResponse
    window = UIWindow(windowScene: windowScene)
    window?.rootViewController = ViewController()
    window?.makeKeyAndVisible()
  }
  func sceneDidDisconnect(_ scene: UIScene) {}
  func sceneDidBecomeActive(_ scene: UIScene) {}
  func sceneWillResignActive(_ scene: UIScene) {}
  func sceneWillEnterForeground(_ scene: UIScene) {}
  func sceneDidEnterBackground(_ scene: UIScene) {}
}

private final class ViewController: UIViewController {
  override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = .systemBackground
  }
  override func viewWillAppear(_ animated: Bool) { super.viewWillAppear(animated) }
  override func didReceiveMemoryWarning() { super.didReceiveMemoryWarning() }
  @IBAction func tapped(_ sender: Any) {
    let alert = UIAlertController(title: "", message: nil, preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "OK", style: .default) { (_: UIAlertAction) in })
    alert.addAction(UIAlertAction(title: "Cancel", style: .cancel, handler: nil))
    present(alert, animated: true, completion: nil)
    present(alert, animated: true)
    dismiss(animated: true)
  }
}

private final class FieldController: UIViewController, UITextFieldDelegate {
  let field = UITextField(frame: .zero)
  override func viewDidLoad() { field.delegate = self }
  func textFieldShouldReturn(_ textField: UITextField) -> Bool { false }
}

@MainActor
private func values() {
  let _: [String] = [
    UIDevice.current.name, UIDevice.current.model, UIDevice.current.systemName,
    UIDevice.current.systemVersion,
  ]
  let _: UUID? = UIDevice.current.identifierForVendor
  let _: UIImage? = UIImage(named: "")
  let _: [UIColor] = [.red, UIColor(red: 0, green: 0, blue: 0, alpha: 1)]
  let _: CGRect = UIScreen.main.bounds
}

private final class FormerAlert: NSObject, UIAlertViewDelegate {
  func ask() {
    UIAlertView(title: "", message: "", delegate: nil, cancelButtonTitle: "OK").show()
    let alert = UIAlertView(
      title: "", message: "", delegate: self, cancelButtonTitle: nil, otherButtonTitles: "", "")
    alert.addButton(withTitle: "")
    alert.show()
    alert.dismiss(withClickedButtonIndex: alert.firstOtherButtonIndex, animated: true)
  }
  func alertView(_ alertView: UIAlertView, clickedButtonAt buttonIndex: Int) {
    let _: String? = alertView.buttonTitle(at: buttonIndex)
  }
  func alertView(_ alertView: UIAlertView, didDismissWithButtonIndex buttonIndex: Int) {}
}

private final class ControlsController: UIViewController {
  @IBAction func touched(_ sender: UIButton) { sender.setTitle("", for: .normal) }
  @IBAction func switched(_ sender: UISwitch) { sender.setOn(!sender.isOn, animated: true) }
  @IBAction func dated(_ sender: UIDatePicker) { let _: Date = sender.date }
  @IBAction func slid(_ sender: UISlider) { let _: Float = sender.value }
  @IBAction func stepped(_ sender: UIStepper) { let _: Double = sender.value }
  @IBAction func chosen(_ sender: UISegmentedControl) { let _: Int = sender.selectedSegmentIndex }
  @IBAction func barred(_ sender: UIBarButtonItem) { sender.isEnabled = false }
  let label = UILabel()
  let button = UIButton(type: .system)

  override func viewDidLoad() {
    super.viewDidLoad()
    label.text = ""
    tabBarItem.badgeValue = "1"
    view.endEditing(true)
    UIView.animate(withDuration: 0.3) { self.view.alpha = 0 }
    UIView.animate(withDuration: 0.3, animations: {}, completion: { _ in })
  }
}

private final class OrientedDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication, supportedInterfaceOrientationsFor window: UIWindow?
  ) -> UIInterfaceOrientationMask { .allButUpsideDown }
}

@MainActor
private func values(_ alert: UIAlertController, _ action: UIAlertAction) {
  UIPasteboard.general.string = ""
  let _: (Bool, URL?) = (UIPasteboard.general.hasStrings, UIPasteboard.general.url)
  UIImpactFeedbackGenerator(style: .medium).impactOccurred()
  UINotificationFeedbackGenerator().notificationOccurred(.success)
  UISelectionFeedbackGenerator().selectionChanged()
  alert.setValue("", forKey: "")
  action.setValue(UIColor.red, forKey: "titleTextColor")
  alert.addTextField { $0.keyboardType = .numberPad }
}
