import AppKit
import CoreLocation
import Foundation
@testable import PushKit
import Testing
@testable import UserNotifications

@testable import UIKit

/// A check that code runs on the main queue.
///
/// In a test process, the main thread is parked, so the main queue acts as an app's main thread.
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}

/// Tests that the system calls every optional delegate method if the method is declared as apps declare it.
///
/// A method that only resembles a requirement would compile, but would never be called.
@Suite @MainActor struct WitnessTests {
  private final class App: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    var calls: [String] = []
    func note(_ name: String = #function) { calls.append(name) }

    func applicationDidFinishLaunching(_ application: UIApplication) { note() }
    func application(
      _ application: UIApplication,
      willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
      note()
      return true
    }
    func application(
      _ application: UIApplication,
      didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
      note()
      return true
    }
    func applicationDidBecomeActive(_ application: UIApplication) { note() }
    func applicationWillResignActive(_ application: UIApplication) { note() }
    func applicationDidEnterBackground(_ application: UIApplication) { note() }
    func applicationWillEnterForeground(_ application: UIApplication) { note() }
    func applicationWillTerminate(_ application: UIApplication) { note() }
    func applicationSignificantTimeChange(_ application: UIApplication) { note() }
    func application(
      _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
    ) { note() }
    func application(
      _ application: UIApplication,
      didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) { note() }
    func application(
      _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error
    ) { note() }
    func application(
      _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) { note() }
    func application(
      _ application: UIApplication, didReceive notification: UILocalNotification
    ) { note() }
    func application(
      _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
      fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
      note()
      completionHandler(.newData)
    }
    func application(
      _ application: UIApplication, handleActionWithIdentifier identifier: String?,
      for notification: UILocalNotification, completionHandler: @escaping () -> Void
    ) {
      note()
      completionHandler()
    }
    func application(
      _ application: UIApplication, handleActionWithIdentifier identifier: String?,
      for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any],
      completionHandler: @escaping () -> Void
    ) {
      note()
      completionHandler()
    }
    func application(
      _ application: UIApplication, handleActionWithIdentifier identifier: String?,
      forRemoteNotification userInfo: [AnyHashable: Any], completionHandler: @escaping () -> Void
    ) {
      note()
      completionHandler()
    }
    func application(
      _ application: UIApplication, handleActionWithIdentifier identifier: String?,
      forRemoteNotification userInfo: [AnyHashable: Any],
      withResponseInfo responseInfo: [AnyHashable: Any], completionHandler: @escaping () -> Void
    ) {
      note()
      completionHandler()
    }
    func application(
      _ application: UIApplication,
      performFetchWithCompletionHandler completionHandler:
        @escaping (UIBackgroundFetchResult) -> Void
    ) {
      note()
      completionHandler(.noData)
    }
    func application(
      _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
      completionHandler: @escaping () -> Void
    ) {
      note()
      completionHandler()
    }
    func application(
      _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
      note()
      return true
    }
    func application(
      _ application: UIApplication, continue userActivity: NSUserActivity,
      restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
    ) -> Bool {
      note()
      return true
    }
    func application(
      _ application: UIApplication, performActionFor shortcutItem: UIApplicationShortcutItem,
      completionHandler: @escaping (Bool) -> Void
    ) {
      note()
      completionHandler(true)
    }
    func application(
      _ application: UIApplication,
      configurationForConnecting connectingSceneSession: UISceneSession,
      options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
      note()
      return UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
    }
    func application(
      _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    ) { note() }
  }

  @Test
  func `An app delegate's members are what the system calls`() async {
    let app = App()
    let delegate: any UIApplicationDelegate = app
    let application = UIApplication.shared
    let local = UILocalNotification()
    let session = UISceneSession(role: .windowApplication, identifier: "")
    delegate.applicationDidFinishLaunching(application)
    _ = delegate.application(application, willFinishLaunchingWithOptions: nil)
    _ = delegate.application(application, didFinishLaunchingWithOptions: nil)
    delegate.applicationDidBecomeActive(application)
    delegate.applicationWillResignActive(application)
    delegate.applicationDidEnterBackground(application)
    delegate.applicationWillEnterForeground(application)
    delegate.applicationWillTerminate(application)
    delegate.applicationSignificantTimeChange(application)
    delegate.application(
      application, didRegister: UIUserNotificationSettings(types: [], categories: nil))
    delegate.application(
      application, didRegisterForRemoteNotificationsWithDeviceToken: Data())
    delegate.application(
      application, didFailToRegisterForRemoteNotificationsWithError: CancellationError())
    application.receiveInOldestForm([:], delegate)
    delegate.application(application, didReceive: local)
    #expect(await delegate.application(application, didReceiveRemoteNotification: [:]) == .newData)
    await delegate.application(
      application, handleActionWithIdentifier: "", for: local)
    await delegate.application(
      application, handleActionWithIdentifier: "", for: local, withResponseInfo: [:])
    await delegate.application(
      application, handleActionWithIdentifier: "", forRemoteNotification: [:])
    await delegate.application(
      application, handleActionWithIdentifier: "", forRemoteNotification: [:],
      withResponseInfo: [:])
    delegate.application(application) { (_: UIBackgroundFetchResult) in }
    await delegate.application(application, handleEventsForBackgroundURLSession: "")
    _ = delegate.application(application, open: URL(fileURLWithPath: "/"), options: [:])
    _ = delegate.application(
      application, continue: NSUserActivity(activityType: "")
    ) { _ in }
    delegate.application(
      application, performActionFor: UIApplicationShortcutItem(type: "", localizedTitle: "")
    ) { (_: Bool) in }
    _ = delegate.application(
      application, configurationForConnecting: session, options: UIScene.ConnectionOptions())
    delegate.application(application, didDiscardSceneSessions: [])
    #expect(app.calls.count == 26)
    #expect(Set(app.calls).count == 26)
  }

  private final class Scene: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    var calls: [String] = []
    func note(_ name: String = #function) { calls.append(name) }

    func scene(
      _ scene: UIScene, willConnectTo session: UISceneSession,
      options connectionOptions: UIScene.ConnectionOptions
    ) { note() }
    func sceneDidDisconnect(_ scene: UIScene) { note() }
    func sceneDidBecomeActive(_ scene: UIScene) { note() }
    func sceneWillResignActive(_ scene: UIScene) { note() }
    func sceneWillEnterForeground(_ scene: UIScene) { note() }
    func sceneDidEnterBackground(_ scene: UIScene) { note() }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) { note() }
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { note() }
    func windowScene(
      _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
      completionHandler: @escaping (Bool) -> Void
    ) { note() }
  }

  @Test
  func `A scene delegate's members are what the system calls`() {
    let recorder = Scene()
    let delegate: any UIWindowSceneDelegate = recorder
    let session = UISceneSession(role: .windowApplication, identifier: "")
    let scene = UIWindowScene(session: session, connectionOptions: UIScene.ConnectionOptions())
    delegate.scene(scene, willConnectTo: session, options: UIScene.ConnectionOptions())
    delegate.sceneDidDisconnect(scene)
    delegate.sceneDidBecomeActive(scene)
    delegate.sceneWillResignActive(scene)
    delegate.sceneWillEnterForeground(scene)
    delegate.sceneDidEnterBackground(scene)
    delegate.scene(scene, openURLContexts: [])
    delegate.scene(scene, continue: NSUserActivity(activityType: ""))
    delegate.windowScene(
      scene, performActionFor: UIApplicationShortcutItem(type: "", localizedTitle: "")
    ) { _ in }
    #expect(Set(recorder.calls).count == 9)
  }

  private final class Mac: NSObject, NSApplicationDelegate, NSUserNotificationCenterDelegate {
    var calls: [String] = []
    func note(_ name: String = #function) { calls.append(name) }

    func applicationWillFinishLaunching(_ notification: Notification) { note() }
    func applicationDidFinishLaunching(_ notification: Notification) { note() }
    func applicationWillBecomeActive(_ notification: Notification) { note() }
    func applicationDidBecomeActive(_ notification: Notification) { note() }
    func applicationWillResignActive(_ notification: Notification) { note() }
    func applicationDidResignActive(_ notification: Notification) { note() }
    func applicationWillTerminate(_ notification: Notification) { note() }
    func applicationShouldTerminate(_ sender: NSApplication) -> NSApplication.TerminateReply {
      note()
      return .terminateCancel
    }
    func applicationShouldTerminateAfterLastWindowClosed(_ sender: NSApplication) -> Bool {
      note()
      return false
    }
    func applicationShouldHandleReopen(
      _ sender: NSApplication, hasVisibleWindows flag: Bool
    ) -> Bool {
      note()
      return true
    }
    func applicationSupportsSecureRestorableState(_ app: NSApplication) -> Bool {
      note()
      return true
    }
    func application(_ application: NSApplication, open urls: [URL]) { note() }
    func application(_ sender: NSApplication, openFile filename: String) -> Bool {
      note()
      return true
    }
    func application(
      _ application: NSApplication,
      didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) { note() }
    func application(
      _ application: NSApplication,
      didFailToRegisterForRemoteNotificationsWithError error: Error
    ) { note() }
    func application(
      _ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]
    ) { note() }
    nonisolated func userNotificationCenter(
      _ center: NSUserNotificationCenter, didDeliver notification: NSUserNotification
    ) { MainActor.assumeIsolated { note("didDeliver") } }
    nonisolated func userNotificationCenter(
      _ center: NSUserNotificationCenter, didActivate notification: NSUserNotification
    ) { MainActor.assumeIsolated { note("didActivate") } }
    nonisolated func userNotificationCenter(
      _ center: NSUserNotificationCenter, shouldPresent notification: NSUserNotification
    ) -> Bool {
      MainActor.assumeIsolated { note("shouldPresent") }
      return true
    }
  }

  @Test
  func `A Mac app delegate's members are what the system calls`() {
    let recorder = Mac()
    let delegate: any NSApplicationDelegate = recorder
    let application = NSApplication.shared
    let notification = Notification(name: Notification.Name("n"))
    delegate.applicationWillFinishLaunching(notification)
    delegate.applicationDidFinishLaunching(notification)
    delegate.applicationWillBecomeActive(notification)
    delegate.applicationDidBecomeActive(notification)
    delegate.applicationWillResignActive(notification)
    delegate.applicationDidResignActive(notification)
    delegate.applicationWillTerminate(notification)
    _ = delegate.applicationShouldTerminate(application)
    _ = delegate.applicationShouldTerminateAfterLastWindowClosed(application)
    _ = delegate.applicationShouldHandleReopen(application, hasVisibleWindows: true)
    _ = delegate.applicationSupportsSecureRestorableState(application)
    delegate.application(application, open: [])
    _ = delegate.application(application, openFile: "")
    delegate.application(
      application, didRegisterForRemoteNotificationsWithDeviceToken: Data())
    delegate.application(
      application, didFailToRegisterForRemoteNotificationsWithError: CancellationError())
    delegate.application(application, didReceiveRemoteNotification: [:])
    let center: any NSUserNotificationCenterDelegate = recorder
    center.userNotificationCenter(.default, didDeliver: NSUserNotification())
    center.userNotificationCenter(.default, didActivate: NSUserNotification())
    _ = center.userNotificationCenter(.default, shouldPresent: NSUserNotification())
    #expect(Set(recorder.calls).count == 19)
  }

  private final class Location: NSObject, CLLocationManagerDelegate {
    nonisolated(unsafe) var calls: [String] = []
    func note(_ name: String = #function) { calls.append(name) }

    func locationManager(
      _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
    ) { note() }
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { note() }
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      note()
    }
    func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) { note() }
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) { note() }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { note() }
    func locationManager(
      _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) { note() }
    func locationManager(
      _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: Error
    ) { note() }
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
      note()
    }
  }

  @Test
  func `A location delegate's members are what the system calls`() {
    let recorder = Location()
    let delegate: any CLLocationManagerDelegate = recorder
    let manager = CLLocationManager()
    let region = CLCircularRegion(
      center: CLLocationCoordinate2D(), radius: 1, identifier: "")
    delegate.locationManager(manager, didChangeAuthorization: .denied)
    delegate.locationManagerDidChangeAuthorization(manager)
    delegate.locationManager(manager, didUpdateLocations: [])
    delegate.locationManager(manager, didFailWithError: CLError(.denied))
    delegate.locationManager(manager, didEnterRegion: region)
    delegate.locationManager(manager, didExitRegion: region)
    delegate.locationManager(manager, didDetermineState: .inside, for: region)
    delegate.locationManager(manager, monitoringDidFailFor: region, withError: CLError(.denied))
    delegate.locationManager(manager, didStartMonitoringFor: region)
    #expect(Set(recorder.calls).count == 9)
  }

  private final class HandlerPushes: NSObject, PKPushRegistryDelegate, @unchecked Sendable {
    var calls: [String] = []

    func pushRegistry(
      _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials,
      for type: PKPushType
    ) {}
    func pushRegistry(
      _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
      for type: PKPushType, completion: @escaping () -> Void
    ) {
      calls.append("handler")
      completion()
    }
  }

  private final class AsyncPushes: NSObject, PKPushRegistryDelegate, @unchecked Sendable {
    var calls: [String] = []

    func pushRegistry(
      _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials,
      for type: PKPushType
    ) {}
    func pushRegistry(
      _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
      for type: PKPushType
    ) async { calls.append("async") }
  }

  private final class OldestPushes: NSObject, PKPushRegistryDelegate, @unchecked Sendable {
    var calls: [String] = []

    func pushRegistry(
      _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials,
      for type: PKPushType
    ) {}
    func pushRegistry(
      _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
      for type: PKPushType
    ) { calls.append("oldest") }
  }

  @Test
  func `A push registry's delegate gets the push in the form that it has`() async {
    let registry = PKPushRegistry(queue: nil)
    let payload = PKPushPayload(type: .voIP, dictionaryPayload: [:])
    let metadata = PKVoIPPushMetadata(mustReport: false)
    let (handler, asynchronous, oldest) = (HandlerPushes(), AsyncPushes(), OldestPushes())
    let delegates: [any PKPushRegistryDelegate & Sendable] = [handler, asynchronous, oldest]
    for delegate in delegates {
      await delegate.pushRegistry(
        registry, didReceiveIncomingVoIPPushWith: payload, metadata: metadata)
      await delegate.pushRegistry(
        registry, didReceiveIncomingPushWith: payload, for: .fileProvider)
    }
    #expect(handler.calls == ["handler", "handler"])
    #expect(asynchronous.calls == ["async", "async"])
    #expect(oldest.calls == ["oldest", "oldest"])
  }

  private final class HandlerCenter: NSObject, UNUserNotificationCenterDelegate {
    nonisolated(unsafe) var calls: [String] = []

    func userNotificationCenter(
      _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
      withCompletionHandler completionHandler:
        @escaping (UNNotificationPresentationOptions) -> Void
    ) {
      calls.append("willPresent \(MainQueue.isCurrent)")
      completionHandler([.banner])
    }
    func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void
    ) {
      calls.append("didReceive \(MainQueue.isCurrent)")
      completionHandler()
      completionHandler()
    }
    func userNotificationCenter(
      _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
    ) { calls.append("openSettings") }
  }

  @Test
  func `A center's delegate is called on the main thread, and one answer counts`() async {
    let recorder = HandlerCenter()
    let delegate: any UNUserNotificationCenterDelegate = recorder
    let center = UNUserNotificationCenter.current()
    let notification = UNNotification(
      date: Date(),
      request: UNNotificationRequest(
        identifier: "", content: UNNotificationContent(), trigger: nil))
    #expect(
      await delegate.userNotificationCenter(center, willPresent: notification) == [.banner])
    await delegate.userNotificationCenter(
      center,
      didReceive: UNNotificationResponse(notification: notification, actionIdentifier: ""))
    delegate.userNotificationCenter(center, openSettingsFor: nil)
    #expect(recorder.calls == ["willPresent true", "didReceive true", "openSettings"])
  }
}
