import AppWire
import Foundation
import Testing
import UserNotifications

@testable import AppKit

/// Tests of the contents of the notification that informs a Mac app of its launch.
@MainActor @Suite struct LaunchUserInfoTests {
  private final class Delegate: NSObject, UNUserNotificationCenterDelegate {}

  private func object(_ generation: NotificationGeneration, push: Bool = false) -> Any? {
    var content = AppWire.NotificationContent()
    content.generation = generation
    content.title = NotificationText("Milk")
    let delivered = DeliveredNotification(
      request: .init(id: "milk", content: content), unixMilliseconds: 0,
      payload: push ? Array(#"{"item":"milk"}"#.utf8) : nil)
    var launch = AppLaunch(reason: .response)
    launch.response = .init(
      notification: delivered, action: AppWire.NotificationResponse.defaultAction)
    return LaunchUserInfo.make(launch, newestPush: nil)[
      NSApplication.launchUserNotificationUserInfoKey]
  }

  private final class OlderDelegate: NSObject, NSUserNotificationCenterDelegate {}

  @Test
  func `notifications that others show in the app's name have the type that the app uses`() {
    let delegate = OlderDelegate()
    NSUserNotificationCenter.default.delegate = delegate
    defer { NSUserNotificationCenter.default.delegate = nil }
    #expect((object(.userNotification) as? NSUserNotification)?.title == "Milk")
    #expect(object(.userNotification, push: true) is NSUserNotification)
    let newer = Delegate()
    UNUserNotificationCenter.current().delegate = newer
    defer { UNUserNotificationCenter.current().delegate = nil }
    #expect(object(.userNotification) is UNNotificationResponse)
  }

  @Test
  func `It is an object of the interface that the notification was made with`() {
    for hasDelegate in [false, true] {
      let delegate = Delegate()
      UNUserNotificationCenter.current().delegate = hasDelegate ? delegate : nil
      defer { UNUserNotificationCenter.current().delegate = nil }
      #expect(object(.userNotification) is UNNotificationResponse)
      #expect(object(.userNotification, push: true) is UNNotificationResponse)
      let older = object(.desktop) as? NSUserNotification
      #expect(older?.title == "Milk")
      #expect(older?.activationType == .contentsClicked)
    }
  }
}
