import AppKit
import CoreLocation
import Foundation
import Testing
import UIKit
import UserNotifications

/// Tests of archiving, copying, and comparing the values that apps hold.
@Suite struct ArchiveTests {
  private func archived<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
  }

  private var request: UNNotificationRequest {
    let content = UNMutableNotificationContent()
    content.title = "title"
    content.subtitle = "subtitle"
    content.body = "body"
    content.badge = 3
    content.sound = UNNotificationSound.criticalSoundNamed(
      UNNotificationSoundName("a.caf"), withAudioVolume: 0.5)
    content.categoryIdentifier = "category"
    content.threadIdentifier = "thread"
    content.targetContentIdentifier = "target"
    content.interruptionLevel = .timeSensitive
    content.relevanceScore = 0.25
    content.userInfo = ["date": Date(timeIntervalSince1970: 0), "n": 1]
    return UNNotificationRequest(
      identifier: "id", content: content,
      trigger: UNCalendarNotificationTrigger(
        dateMatching: DateComponents(hour: 8, weekday: 2), repeats: true))
  }

  @Test
  func `A request survives an archive with everything in it`() throws {
    let request = request
    let back = try #require(try archived(request))
    #expect(back == request)
    #expect(back.content.userInfo["date"] as? Date == Date(timeIntervalSince1970: 0))
    #expect((back.trigger as? UNCalendarNotificationTrigger)?.dateComponents.weekday == 2)
  }

  @Test
  func `A request holds a copy of its content`() {
    let content = UNMutableNotificationContent()
    content.title = "before"
    let request = UNNotificationRequest(identifier: "", content: content, trigger: nil)
    content.title = "after"
    #expect(request.content.title == "before")
    #expect(!(request.content is UNMutableNotificationContent))
    let mutable = request.content.mutableCopy() as? UNMutableNotificationContent
    mutable?.title = "changed"
    #expect(request.content.title == "before")
    #expect(mutable?.title == "changed")
  }

  @Test
  func `Triggers, categories and settings survive an archive`() throws {
    let interval = UNTimeIntervalNotificationTrigger(timeInterval: 90, repeats: true)
    #expect(try archived(interval) == interval)
    let region = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 3, identifier: "r")
    region.notifyOnExit = false
    let location = UNLocationNotificationTrigger(region: region, repeats: true)
    let back = try archived(location)
    #expect((back?.region as? CLCircularRegion)?.radius == 3)
    #expect(back?.region.notifyOnExit == false)
    let category = UNNotificationCategory(
      identifier: "c",
      actions: [
        UNNotificationAction(identifier: "a", title: "A", options: [.destructive]),
        UNTextInputNotificationAction(
          identifier: "t", title: "T", textInputButtonTitle: "B", textInputPlaceholder: "P"),
      ], intentIdentifiers: ["i"], options: [.customDismissAction])
    #expect(try archived(category) == category)
  }

  @Test
  @MainActor
  func `A UILocalNotification survives an archive, and is compared by what is in it`() throws {
    let notification = UILocalNotification()
    notification.fireDate = Date(timeIntervalSinceReferenceDate: 297_878_400)
    notification.timeZone = TimeZone(identifier: "America/Los_Angeles")
    notification.repeatInterval = .weekOfYear
    notification.repeatCalendar = Calendar(identifier: .buddhist)
    notification.alertBody = "body"
    notification.alertAction = "action"
    notification.alertTitle = "title"
    notification.alertLaunchImage = "Default-watch.png"
    notification.soundName = UILocalNotificationDefaultSoundName
    notification.applicationIconBadgeNumber = 2
    notification.userInfo = ["a": 1]
    notification.category = "c"
    notification.hasAction = false
    func archived(_ one: UILocalNotification) throws -> UILocalNotification {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: one, requiringSecureCoding: false)
      return try #require(
        try NSKeyedUnarchiver.unarchiveTopLevelObjectWithData(data) as? UILocalNotification)
    }
    let back = try archived(notification)
    // S3-18 part 1 of 2: a program sets and reads each field
    // S3-30 part 1 of 2: a notification with a date
    #expect(back.fireDate == Date(timeIntervalSinceReferenceDate: 297_878_400))
    #expect(back.timeZone?.identifier == "America/Los_Angeles")
    #expect(back.repeatInterval == .weekOfYear)
    #expect(back.repeatCalendar?.identifier == .buddhist)
    #expect(back.alertBody == "body" && back.alertAction == "action" && back.alertTitle == "title")
    #expect(!back.hasAction && back.alertLaunchImage == "Default-watch.png")
    #expect(back.soundName == UILocalNotificationDefaultSoundName)
    #expect(back.applicationIconBadgeNumber == 2 && back.category == "c")
    #expect(back.userInfo?["a"] as? Int == 1)
    #expect(back == notification)
    let placed = UILocalNotification()
    placed.region = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 3, identifier: "r")
    placed.regionTriggersOnce = false
    let backPlaced = try archived(placed)
    // S3-30 part 2 of 2: a notification with a region
    #expect((backPlaced.region as? CLCircularRegion)?.radius == 3)
    #expect(backPlaced.region?.identifier == "r" && !backPlaced.regionTriggersOnce)
    // A change to any field makes the objects unequal.
    let changes: [(UILocalNotification) -> Void] = [
      { $0.fireDate = nil }, { $0.timeZone = nil }, { $0.repeatInterval = [] },
      { $0.repeatCalendar = nil }, { $0.alertBody = nil }, { $0.alertAction = nil },
      { $0.alertTitle = nil }, { $0.hasAction = true }, { $0.alertLaunchImage = nil },
      { $0.soundName = nil }, { $0.applicationIconBadgeNumber = 0 }, { $0.userInfo = nil },
      { $0.category = nil },
    ]
    for change in changes {
      let other = try archived(notification)
      change(other)
      #expect(other != notification)
    }
    let copy = try #require(notification.copy() as? UILocalNotification)
    #expect(copy == notification)
    copy.alertBody = "other"
    #expect(copy != notification)
  }

  @Test
  @MainActor func `A UILocalNotification starts with Apple's values`() {
    let notification = UILocalNotification()
    // S0-7
    #expect(notification.fireDate == nil)
    #expect(notification.timeZone == nil)
    #expect(notification.repeatInterval == [])
    #expect(notification.hasAction)
    #expect(notification.applicationIconBadgeNumber == 0)
    #expect(notification.userInfo == nil)
    #expect(notification.regionTriggersOnce)
  }

  @Test
  @MainActor
  func `Minimal actions fall back to the first two, and keep their order`() {
    let actions = ["a", "b", "c"].map { name in
      let action = UIMutableUserNotificationAction()
      action.identifier = name
      return action
    }
    let category = UIMutableUserNotificationCategory()
    category.setActions(actions, for: .default)
    #expect(category.actions(for: .default)?.map(\.identifier) == ["a", "b", "c"])
    // S1-28 part 1 of 2: in the category
    #expect(category.actions(for: .minimal)?.map(\.identifier) == ["a", "b"])
    category.setActions([actions[2]], for: .minimal)
    #expect(category.actions(for: .minimal)?.map(\.identifier) == ["c"])
    // Later changes to an action don't affect the category.
    actions[0].title = "changed"
    #expect(category.actions(for: .default)?.first?.title == nil)
  }

  @Test
  @MainActor func `Sets distinguish categories by value, in both interfaces`() {
    func make(_ name: String) -> UIUserNotificationCategory {
      let category = UIMutableUserNotificationCategory()
      category.identifier = name
      return category
    }
    #expect(Set([make("a"), make("a"), make("b")]).count == 2)
    let current = ["a", "a", "b"].map {
      UNNotificationCategory(identifier: $0, actions: [], intentIdentifiers: [])
    }
    #expect(Set(current).count == 2)
  }

  @Test
  func `NSUserNotification counts as the same by its identifier or as a copy`() throws {
    let notification = NSUserNotification()
    notification.title = "t"
    let copy = try #require(notification.copy() as? NSUserNotification)
    #expect(copy == notification)
    copy.title = "other"
    #expect(notification.title == "t")
    #expect(NSUserNotification() != notification)
    let (one, other) = (NSUserNotification(), NSUserNotification())
    one.identifier = "x"
    other.identifier = "x"
    #expect(one == other)
    #expect(!one.isPresented)
    #expect(one.activationType == .none)
  }
}
