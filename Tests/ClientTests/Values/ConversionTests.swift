import BelfryClient
import AppWire
import CoreLocation
import Foundation
import Testing
import UserNotifications

@testable import AppKit
@testable import UIKit

/// Tests of the conversions between the three generations of the API and the common model.
@Suite struct ConversionTests {
  private func local(_ change: (inout LocalNotificationFields) -> Void) throws
    -> AppWire.NotificationRequest
  {
    var fields = LocalNotificationFields()
    change(&fields)
    return try fields.wire(id: "id", now: false)
  }

  @Test
  func `A local notification's date, zone and recurrence`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 297_878_400)
    let wall = try local {
      $0.fireDate = date
      $0.timeZone = TimeZone(identifier: "America/Los_Angeles")
      $0.repeatInterval = .weekOfYear
      $0.repeatCalendar = Calendar(identifier: .gregorian)
    }
    #expect(
      wall.trigger
        == .date(
          unixMilliseconds: 1_276_185_600_000, zone: "America/Los_Angeles",
          recurrence: .unit(8_192), recurrenceCalendar: "gregorian"))
    let instant = try local { $0.fireDate = date }
    #expect(
      instant.trigger
        == .date(
          unixMilliseconds: 1_276_185_600_000, zone: nil, recurrence: nil, recurrenceCalendar: nil))
    #expect(try local { $0.alertBody = "now" }.trigger == nil)
  }

  @Test
  func `A pending calendar trigger's next date is the date that the agent states`() throws {
    let request = AppWire.NotificationRequest(
      id: "id", content: NotificationContent(),
      trigger: .calendar(MatchingComponents([.hour: 18]), repeats: true))
    let pending = UNNotificationRequest(
      PendingNotification(request: request, nextUnixMilliseconds: 66_600_000))
    let trigger = try #require(pending.trigger as? UNCalendarNotificationTrigger)
    #expect(trigger.nextTriggerDate() == Date(timeIntervalSince1970: 66_600))
  }

  @Test
  func `A local notification's region survives the conversion`() throws {
    let circle = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 48.85, longitude: 2.29), radius: 200,
      identifier: "tower")
    circle.notifyOnExit = false
    let request = try local { $0.region = circle }
    guard case .region(let region, let repeats)? = request.trigger else {
      Issue.record("the request has no region")
      return
    }
    #expect(!repeats)
    #expect(region.shape == .circle(latitude: 48.85, longitude: 2.29, radius: 200))
    let back = LocalNotificationFields(request)
    // S1-69 part 1 of 2: a circle with its center, radius and identifier
    #expect((back.region as? CLCircularRegion)?.radius == 200)
    #expect((back.region as? CLCircularRegion)?.center.latitude == 48.85)
    #expect(back.region?.identifier == "tower")
    #expect(back.region?.notifyOnExit == false)
    let uuid = UUID()
    let beacon = try local {
      $0.region = CLBeaconRegion(uuid: uuid, major: 1, minor: 2, identifier: "b")
      $0.regionTriggersOnce = false
    }
    let beaconBack = LocalNotificationFields(beacon)
    // S1-69 part 2 of 2: a beacon
    #expect((beaconBack.region as? CLBeaconRegion)?.uuid == uuid)
    #expect((beaconBack.region as? CLBeaconRegion)?.minor == 2)
    #expect(!beaconBack.regionTriggersOnce)
  }

  @Test
  func `A local notification's content`()
    throws
  {
    let request = try local {
      $0.alertTitle = "Title"
      $0.alertBody = "MSG_POSTED"
      $0.alertAction = "SHOW_KEY"
      $0.hasAction = false
      $0.soundName = UILocalNotificationDefaultSoundName
      $0.alertLaunchImage = "Default-watch.png"
      $0.category = "c"
      $0.userInfo = ["a": 1]
      $0.applicationIconBadgeNumber = 4
      $0.fireDate = Date(timeIntervalSince1970: 60)
      $0.timeZone = TimeZone(identifier: "America/Los_Angeles")
      $0.repeatInterval = .weekOfYear
      $0.repeatCalendar = Calendar(identifier: .buddhist)
    }
    let content = request.content
    // S3-18 part 2 of 2: each field reaches the agent
    #expect(content.title == NotificationText(key: "Title") && content.category == "c")
    #expect(content.badge == 4 && content.launchImage == "Default-watch.png")
    #expect(content.userInfo["a"] == 1)
    guard case .date(60_000, let zone?, let recurrence?, let calendar) = request.trigger else {
      Issue.record("unexpected trigger: \(String(describing: request.trigger))")
      return
    }
    #expect(zone == "America/Los_Angeles" && calendar == "buddhist")
    #expect(recurrence == .unit(UInt64(NSCalendar.Unit.weekOfYear.rawValue)))
    #expect(content.body == NotificationText(key: "MSG_POSTED"))
    // S3-20 part 2 of 3: from the app's notification
    #expect(!content.hasAction)
    #expect(content.actionTitle == NotificationText(key: "SHOW_KEY"))
    #expect(content.sound == NotificationSound())
    #expect(content.generation == .local)
    let back = LocalNotificationFields(request)
    #expect(back.alertBody == "MSG_POSTED")
    #expect(back.hasAction == false)
    #expect(back.alertLaunchImage == "Default-watch.png")
    #expect(back.soundName == UILocalNotificationDefaultSoundName)
    #expect(back.userInfo?["a"] as? Int == 1)
    #expect(try local { $0.applicationIconBadgeNumber = 3 }.content.badge == 3)
    #expect(try local { $0.soundName = "a.caf" }.content.sound?.name == "a.caf")
  }

  @Test
  func `A request survives the round trip to the agent`() throws {
    let content = UNMutableNotificationContent()
    content.title = "T"
    content.subtitle = "S"
    content.body = "B"
    content.badge = 0
    content.sound = .defaultCriticalSound(withAudioVolume: 0.5)
    content.interruptionLevel = .critical
    content.relevanceScore = 0.5
    content.threadIdentifier = "t"
    content.filterCriteria = "f"
    content.targetContentIdentifier = "x"
    content.userInfo = ["when": Date(timeIntervalSince1970: 5)]
    var components = DateComponents(hour: 2, minute: 30)
    components.timeZone = TimeZone(identifier: "Europe/Paris")
    let request = UNNotificationRequest(
      identifier: "id", content: content,
      trigger: UNCalendarNotificationTrigger(dateMatching: components, repeats: true))
    let back = UNNotificationRequest(try request.wire())
    #expect(back.content == request.content)
    let trigger = back.trigger as? UNCalendarNotificationTrigger
    #expect(trigger?.dateComponents.timeZone?.identifier == "Europe/Paris")
    #expect(trigger?.dateComponents.minute == 30)
    #expect(trigger?.repeats == true)
  }

  @Test
  func `A localized text keeps its key through the round trip`() throws {
    let content = UNMutableNotificationContent()
    content.title = NSString.localizedUserNotificationString(
      forKey: "GREETING %@", arguments: ["Anna"])
    #expect(content.title == "GREETING Anna")
    let request = UNNotificationRequest(identifier: "l", content: content, trigger: nil)
    let wire = try request.wire()
    #expect(wire.content.title.key == "GREETING %@")
    #expect(wire.content.title.arguments == ["Anna"])
    let again = try UNNotificationRequest(wire).wire()
    #expect(again.content.title == wire.content.title)
  }

  @Test
  func `NSUserNotification and its buttons survive the round trip to the agent`() throws {
    var fields = UserNotificationFields()
    fields.title = "Meeting"
    fields.informativeText = "Soon"
    fields.actionButtonTitle = "Snooze"
    fields.additionalActions = [NSUserNotificationAction(identifier: "later", title: "Later")]
    fields.deliveryDate = Date(timeIntervalSince1970: 1_000)
    fields.deliveryRepeatInterval = DateComponents(day: 1)
    let request = try fields.wire(now: false)
    #expect(request.content.generation == .desktop)
    #expect(request.content.actions?.map(\.id) == ["belfry.action", "later"])
    guard case .date(1_000_000, nil, .components?, _)? = request.trigger else {
      Issue.record("unexpected trigger: \(String(describing: request.trigger))")
      return
    }
    let back = UserNotificationFields(request)
    #expect(back.agentIdentifier == fields.agentIdentifier)
    #expect(back.identifier == nil)
    #expect(back.deliveryRepeatInterval?.day == 1)
    #expect(back.additionalActions == fields.additionalActions)
    let delivered = DeliveredNotification(request: request, unixMilliseconds: 5)
    let types: [(String, NSUserNotification.ActivationType)] = [
      (NotificationResponse.defaultAction, .contentsClicked),
      ("belfry.action", .actionButtonClicked),
      ("belfry.reply", .replied), ("later", .additionalActionClicked),
    ]
    for (action, type) in types {
      let response = NotificationResponse(notification: delivered, action: action, text: "t")
      #expect(UserNotificationFields(response).activationType == type)
    }
  }

  @Test(arguments: ["meeting", UUID().uuidString])
  func `An app's own identifier survives the round trip to the agent`(identifier: String) throws {
    var fields = UserNotificationFields()
    fields.identifier = identifier
    let request = try fields.wire(now: true)
    #expect(request.id == identifier)
    #expect(UserNotificationFields(request).identifier == identifier)
  }

  @Test
  func `A service extension's user info replaces the payload's`() throws {
    var content = NotificationContent()
    content.archive = UserInfoCoding.archive(["mine": 1])
    let payload = Array(#"{"aps":{},"theirs":2}"#.utf8)
    let changed = ContentFields(content, payload: payload)
    #expect(changed.userInfo["mine"] as? Int == 1)
    #expect(changed.userInfo["theirs"] == nil)
    #expect(ContentFields(NotificationContent(), payload: payload).userInfo["theirs"] as? Int == 2)
  }

  @Test
  func `The agent's refusals are Apple's codes, or notificationsNotAllowed with the cause beneath`()
  {
    #expect(UNError(AppLinkFailure(.attachmentCorrupt, "x")).code == .attachmentCorrupt)
    let error = UNError(AppLinkFailure(.agentUnavailable, "no agent"))
    #expect(error.code == .notificationsNotAllowed)
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(cause?.localizedDescription == "no agent")
    #expect(error.localizedDescription.contains("no agent"))
  }
}
