import BelfryClient
import AppWire
import CoreLocation
import Foundation
import UserNotifications

extension LocalNotificationFields {
  /// Returns the notification in the agent's wire format.
  ///
  /// - Throws: `UserInfoCoding.Unsuitable` if `userInfo` contains a value that a property list cannot represent.
  func wire(id: String, now: Bool) throws(UserInfoCoding.Unsuitable)
    -> AppWire.NotificationRequest
  {
    var content = NotificationContent()
    content.generation = .local
    content.title = .init(keyOrText: alertTitle)
    content.body = .init(keyOrText: alertBody)
    content.actionTitle = .init(keyOrText: alertAction)
    content.hasAction = hasAction
    content.launchImage = alertLaunchImage ?? ""
    content.category = category ?? ""
    // Zero leaves the badge unchanged (S3-19).
    content.badge = applicationIconBadgeNumber == 0 ? nil : Int64(applicationIconBadgeNumber)
    content.sound = soundName.map {
      NotificationSound(name: $0 == UILocalNotificationDefaultSoundName ? nil : $0)
    }
    (content.userInfo, content.archive) = try UserInfoCoding.encode(userInfo ?? [:])
    return AppWire.NotificationRequest(id: id, content: content, trigger: now ? nil : trigger)
  }

  private var trigger: AppWire.NotificationTrigger? {
    if let region { return .region(NotificationRegion(region), repeats: !regionTriggersOnce) }
    guard let fireDate else { return nil }
    return .date(
      unixMilliseconds: fireDate.unixMilliseconds, zone: timeZone?.identifier,
      recurrence: repeatInterval.isEmpty ? nil : .unit(UInt64(repeatInterval.rawValue)),
      recurrenceCalendar: repeatCalendar?.name)
  }

  /// Creates the fields of a scheduled or delivered notification.
  init(_ request: AppWire.NotificationRequest) {
    self.init()
    let content = request.content
    alertTitle = content.title.keyOrText
    alertBody = content.body.keyOrText
    alertAction = content.actionTitle.keyOrText
    hasAction = content.hasAction
    alertLaunchImage = content.launchImage.isEmpty ? nil : content.launchImage
    category = content.category.isEmpty ? nil : content.category
    applicationIconBadgeNumber = Int(clamping: content.badge ?? 0)
    soundName = content.sound.map { $0.name ?? UILocalNotificationDefaultSoundName }
    let data = UserInfoCoding.decode(content.userInfo, archive: content.archive)
    userInfo = data.isEmpty ? nil : data
    switch request.trigger {
    case .date(let moment, let zone, let recurrence, let calendar):
      fireDate = Date(unixMilliseconds: moment)
      timeZone = zone.flatMap(TimeZone.init(identifier:))
      if case .unit(let unit)? = recurrence {
        repeatInterval = NSCalendar.Unit(rawValue: UInt(unit))
      }
      repeatCalendar = calendar.flatMap(Calendar.named)
    case .region(let region, let repeats):
      self.region = CLRegion.make(region)
      regionTriggersOnce = !repeats
    default: break
    }
  }
}

extension NotificationText {
  /// Creates the text of a local notification from a string, which can be a key in the app's `Localizable.strings`
  /// (S3-21).
  fileprivate init(keyOrText text: String?) {
    let text = text ?? ""
    let known = NotificationText(app: text)
    if known.key != nil || text.isEmpty { self = known } else { self.init(key: text) }
  }

  /// The text or key that the app set; nil if it set none.
  fileprivate var keyOrText: String? {
    let text = remembered
    return text.isEmpty ? nil : text
  }
}
