// A Mac app from before macOS 11, which schedules a reminder and lists it, without requesting authorization.
import Cocoa
import Narration

@main
final class AppDelegate: NSObject, NSApplicationDelegate, NSUserNotificationCenterDelegate {
  func applicationDidFinishLaunching(_ notification: Notification) {
    let center = NSUserNotificationCenter.default
    let launch = notification.userInfo?[NSApplication.launchUserNotificationUserInfoKey]
    say("launched by \((launch as? NSUserNotification)?.title ?? "nobody")")
    // Set the delegate only now, as many apps do.
    center.delegate = self
    if launch == nil {
      let reminder = NSUserNotification()
      reminder.identifier = "tea"
      reminder.title = "Tea"
      reminder.informativeText = "It has drawn for three minutes."
      reminder.deliveryDate = Date(timeIntervalSinceNow: 180)
      center.scheduleNotification(reminder)
    }
    say("scheduled \(center.scheduledNotifications.compactMap(\.title))")
  }

  func userNotificationCenter(
    _ center: NSUserNotificationCenter, didActivate notification: NSUserNotification
  ) { say("activated \(notification.title ?? "")") }
}
