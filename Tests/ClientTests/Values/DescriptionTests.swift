import CoreLocation
import Foundation
import Testing
import UserNotifications

/// Tests of the descriptions of objects in a log, which contain the same fields in the same format as on Apple's
/// systems.
@Suite struct DescriptionTests {
  /// Returns the object's description without addresses.
  private func text(_ object: NSObject) -> String {
    object.description.replacing(/0x[0-9a-f]+/, with: "0x0")
  }

  @Test
  func `A request shows its content and trigger, and a response what was done`() {
    let content = UNMutableNotificationContent()
    content.title = "Milk"
    content.badge = 3
    content.sound = .default
    let request = UNNotificationRequest(
      identifier: "milk", content: content,
      trigger: UNTimeIntervalNotificationTrigger(timeInterval: 5, repeats: false))
    let shown = text(request)
    #expect(
      shown.hasPrefix(
        "<UNNotificationRequest: 0x0; identifier: milk, content: <UNNotificationContent: 0x0; "
          + "title: Milk, subtitle: , body: , summaryArgument: , "))
    #expect(shown.contains("badge: 3, sound: <UNNotificationSound: 0x0; name: (null), "))
    #expect(shown.contains("attachments: (\n), "))
    #expect(
      shown.hasSuffix(
        "trigger: <UNTimeIntervalNotificationTrigger: 0x0; repeats: NO, timeInterval: 5.0>>"))

    let notification = UNNotification(date: Date(timeIntervalSince1970: 0), request: request)
    #expect(text(notification).hasPrefix("<UNNotification: 0x0; date: 1970-01-01 00:00:00 +0000, "))
    let response = UNTextInputNotificationResponse(
      notification: notification, actionIdentifier: "REPLY", userText: "yes")
    #expect(
      text(response).hasPrefix("<UNTextInputNotificationResponse: 0x0; actionIdentifier: REPLY, "))
    #expect(text(response).hasSuffix("userText: yes>"))
  }

  @Test
  func `Settings show words, and categories their buttons`() {
    var values = NotificationSettingsValues()
    values.authorizationStatus = .authorized
    values.alert = .enabled
    values.alertStyle = .banner
    let shown = text(UNNotificationSettings(values))
    #expect(shown.hasPrefix("<UNNotificationSettings: 0x0; authorizationStatus: Authorized, "))
    #expect(shown.contains("alertSetting: Enabled, "))
    #expect(shown.contains("carPlaySetting: NotSupported, "))
    #expect(shown.contains("alertStyle: Banner, "))
    #expect(shown.hasSuffix("providesAppNotificationSettings: NO>"))

    let category = UNNotificationCategory(
      identifier: "INVITE",
      actions: [
        UNNotificationAction(identifier: "NO", title: "No", options: [.destructive, .foreground])
      ], intentIdentifiers: [], options: .customDismissAction)
    #expect(
      text(category).contains(
        "<UNNotificationAction: 0x0; identifier: NO, title: No, "
          + "options: (destructive, foreground)>"))
    #expect(text(category).hasSuffix("options: (customDismissAction)>"))
  }

  @Test
  func `Regions show where they are`() throws {
    let circle = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 37.33182, longitude: -122.03118), radius: 200,
      identifier: "shop")
    let words =
      "CLCircularRegion (identifier:'shop', center:<+37.33182000,-122.03118000>, radius:200.00m)"
    #expect(circle.description == words)
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(
      CLBeaconRegion(uuid: uuid, major: 7, identifier: "desk").description
        == "CLBeaconRegion (identifier:'desk', uuid:E621E1F8-C36C-495A-93FC-0C247A3E6E5F, "
        + "major:7, minor:(null))")
    let trigger = UNLocationNotificationTrigger(region: circle, repeats: true)
    #expect(text(trigger) == "<UNLocationNotificationTrigger: 0x0; repeats: YES, region: \(words)>")
  }
}
