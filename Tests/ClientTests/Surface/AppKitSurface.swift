import Cocoa

// This file uses every signature of client-api section 2.3. The test passes if the file compiles.

@MainActor
private func application(_ delegate: AppDelegate) {
  let application: NSApplication = .shared
  let _: NSApplication = NSApp
  application.delegate = delegate
  let _: Bool = application.isActive
  application.dockTile.badgeLabel = "3"
  application.dockTile.showsApplicationBadge = true
  application.dockTile.display()
  application.registerForRemoteNotifications()
  application.unregisterForRemoteNotifications()
  let _: Bool = application.isRegisteredForRemoteNotifications
  application.registerForRemoteNotifications(matching: [.badge, .sound, .alert])
  let _: NSApplication.RemoteNotificationType = application.enabledRemoteNotificationTypes
  let _: [String] = [
    NSApplication.launchUserNotificationUserInfoKey, NSApplication.launchIsDefaultUserInfoKey,
    NSApplicationLaunchRemoteNotificationKey,
  ]
  NSApp.setActivationPolicy(.accessory)
  NSApp.activate(ignoringOtherApps: true)
  NSApp.activate()
  NSApp.terminate(nil)
}

private func notification(_ notification: NSUserNotification) {
  notification.title = ""
  notification.subtitle = ""
  notification.informativeText = ""
  notification.actionButtonTitle = ""
  notification.otherButtonTitle = ""
  notification.userInfo = ["a": 1]
  notification.deliveryDate = Date()
  notification.deliveryTimeZone = .current
  notification.deliveryRepeatInterval = DateComponents(day: 1)
  let _: Date? = notification.actualDeliveryDate
  let _: (Bool, Bool) = (notification.isPresented, notification.isRemote)
  notification.soundName = NSUserNotificationDefaultSoundName
  notification.hasActionButton = true
  let _: NSUserNotification.ActivationType = notification.activationType
  notification.identifier = ""
  notification.contentImage = NSImage(named: "")
  notification.hasReplyButton = true
  notification.responsePlaceholder = ""
  let _: NSAttributedString? = notification.response
  notification.additionalActions = [NSUserNotificationAction(identifier: "", title: "")]
  let _: NSUserNotificationAction? = notification.additionalActivationAction
}

private func center(_ delegate: CenterDelegate, _ notification: NSUserNotification) {
  let center: NSUserNotificationCenter = .default
  center.delegate = delegate
  center.scheduledNotifications = [notification]
  center.scheduleNotification(notification)
  center.removeScheduledNotification(notification)
  let _: [NSUserNotification] = center.deliveredNotifications
  center.deliver(notification)
  center.removeDeliveredNotification(notification)
  center.removeAllDeliveredNotifications()
}

private final class CenterDelegate: NSObject, NSUserNotificationCenterDelegate {
  func userNotificationCenter(
    _ center: NSUserNotificationCenter, didDeliver notification: NSUserNotification
  ) {}
  func userNotificationCenter(
    _ center: NSUserNotificationCenter, didActivate notification: NSUserNotification
  ) {}
  func userNotificationCenter(
    _ center: NSUserNotificationCenter, shouldPresent notification: NSUserNotification
  ) -> Bool { true }
}

private final class AppDelegate: NSObject, NSApplicationDelegate {
  func applicationWillFinishLaunching(_ notification: Notification) {}
  func applicationDidFinishLaunching(_ notification: Notification) {}
  func applicationDidBecomeActive(_ notification: Notification) {}
  func applicationWillResignActive(_ notification: Notification) {}
  func applicationShouldTerminate(_ sender: NSApplication) -> NSApplication.TerminateReply {
    .terminateNow
  }
  func applicationShouldTerminateAfterLastWindowClosed(_ sender: NSApplication) -> Bool { true }
  func applicationWillTerminate(_ notification: Notification) {}
  func applicationShouldHandleReopen(
    _ sender: NSApplication, hasVisibleWindows flag: Bool
  ) -> Bool { true }
  func applicationSupportsSecureRestorableState(_ app: NSApplication) -> Bool { true }
  func application(_ application: NSApplication, open urls: [URL]) {}
  func application(
    _ application: NSApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {}
  func application(
    _ application: NSApplication, didFailToRegisterForRemoteNotificationsWithError error: Error
  ) {}
  func application(
    _ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]
  ) {}
}

private final class ViewController: NSViewController {
  override func viewDidLoad() { super.viewDidLoad() }
  override var representedObject: Any? { didSet {} }
}

@MainActor
private func alert() {
  let alert = NSAlert()
  alert.messageText = ""
  alert.informativeText = ""
  alert.addButton(withTitle: "OK")
  alert.alertStyle = .critical
  if alert.runModal() == .alertFirstButtonReturn { NSSound(named: "Glass")?.play() }
}

@MainActor
private func desktop(_ url: URL, _ notification: NSUserNotification) {
  NSWorkspace.shared.open(url)
  let _: Bool = NSWorkspace.shared.open(url)
  let _: NotificationCenter = NSWorkspace.shared.notificationCenter
  let _: [Notification.Name] = [
    NSWorkspace.didWakeNotification, NSWorkspace.willSleepNotification,
    NSWorkspace.screensDidSleepNotification, NSWorkspace.screensDidWakeNotification,
    NSWorkspace.sessionDidBecomeActiveNotification,
    NSWorkspace.sessionDidResignActiveNotification,
  ]
  NSPasteboard.general.clearContents()
  NSPasteboard.general.setString("", forType: .string)
  let _: String? = NSPasteboard.general.string(forType: .string)
  NSSound.beep()
  notification.setValue(true, forKey: "_showsButtons")
  let window = NSWindow(
    contentRect: NSRect(x: 0, y: 0, width: 480, height: 300),
    styleMask: [.titled, .closable, .miniaturizable, .resizable, .fullSizeContentView],
    backing: .buffered, defer: false)
  window.center()
  let _: NSWindow = NSWindow()
}
