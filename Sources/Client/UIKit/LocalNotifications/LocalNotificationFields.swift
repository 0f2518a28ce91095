import BelfryClient
import CoreLocation
import Foundation

/// The fields of a `UILocalNotification`.
struct LocalNotificationFields {
  var fireDate: Date?
  var timeZone: TimeZone?
  var repeatInterval: NSCalendar.Unit = []
  var repeatCalendar: Calendar?
  var region: CLRegion?
  var regionTriggersOnce = true
  var alertBody: String?
  var hasAction = true
  var alertAction: String?
  var alertLaunchImage: String?
  var alertTitle: String?
  var soundName: String?
  var applicationIconBadgeNumber = 0
  var userInfo: [AnyHashable: Any]?
  var category: String?

  init() {}
}

extension LocalNotificationFields: Equatable {
  static func == (one: LocalNotificationFields, other: LocalNotificationFields) -> Bool {
    one.fireDate == other.fireDate && one.timeZone == other.timeZone
      && one.repeatInterval == other.repeatInterval
      && one.repeatCalendar?.identifier == other.repeatCalendar?.identifier
      && one.region == other.region && one.regionTriggersOnce == other.regionTriggersOnce
      && one.alertBody == other.alertBody && one.hasAction == other.hasAction
      && one.alertAction == other.alertAction && one.alertLaunchImage == other.alertLaunchImage
      && one.alertTitle == other.alertTitle && one.soundName == other.soundName
      && one.applicationIconBadgeNumber == other.applicationIconBadgeNumber
      && one.category == other.category
      && NSDictionary(dictionary: one.userInfo ?? [:]).isEqual(
        NSDictionary(dictionary: other.userInfo ?? [:]))
  }
}

extension LocalNotificationFields {
  private static var userInfoClasses: [AnyClass] {
    [
      NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
    ]
  }

  init(coder: NSCoder) {
    self.init()
    func text(_ key: String) -> String? {
      coder.decodeObject(of: NSString.self, forKey: key) as String?
    }
    if coder.containsValue(forKey: "fireDate") {
      fireDate = Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "fireDate"))
    }
    timeZone = text("timeZone").flatMap(TimeZone.init(identifier:))
    repeatInterval = NSCalendar.Unit(
      rawValue: UInt(truncatingIfNeeded: coder.decodeInt64(forKey: "repeatInterval")))
    repeatCalendar = text("repeatCalendar").flatMap(Calendar.named)
    region =
      coder.decodeObject(
        of: [CLRegion.self, CLCircularRegion.self, CLBeaconRegion.self], forKey: "region")
      as? CLRegion
    regionTriggersOnce = coder.decodeBool(forKey: "regionTriggersOnce")
    alertBody = text("alertBody")
    hasAction = coder.decodeBool(forKey: "hasAction")
    alertAction = text("alertAction")
    alertLaunchImage = text("alertLaunchImage")
    alertTitle = text("alertTitle")
    soundName = text("soundName")
    applicationIconBadgeNumber = coder.decodeInteger(forKey: "applicationIconBadgeNumber")
    userInfo =
      coder.decodeObject(of: Self.userInfoClasses, forKey: "userInfo") as? [AnyHashable: Any]
    category = text("category")
  }

  func encode(with coder: NSCoder) {
    if let fireDate {
      coder.encode(fireDate.timeIntervalSinceReferenceDate, forKey: "fireDate")
    }
    coder.encode(timeZone?.identifier as NSString?, forKey: "timeZone")
    coder.encode(Int64(truncatingIfNeeded: repeatInterval.rawValue), forKey: "repeatInterval")
    coder.encode(repeatCalendar?.name as NSString?, forKey: "repeatCalendar")
    coder.encode(region, forKey: "region")
    coder.encode(regionTriggersOnce, forKey: "regionTriggersOnce")
    coder.encode(alertBody as NSString?, forKey: "alertBody")
    coder.encode(hasAction, forKey: "hasAction")
    coder.encode(alertAction as NSString?, forKey: "alertAction")
    coder.encode(alertLaunchImage as NSString?, forKey: "alertLaunchImage")
    coder.encode(alertTitle as NSString?, forKey: "alertTitle")
    coder.encode(soundName as NSString?, forKey: "soundName")
    coder.encode(applicationIconBadgeNumber, forKey: "applicationIconBadgeNumber")
    coder.encode(userInfo as NSDictionary?, forKey: "userInfo")
    coder.encode(category as NSString?, forKey: "category")
  }
}
