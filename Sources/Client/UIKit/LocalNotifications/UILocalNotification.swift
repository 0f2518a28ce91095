public import CoreLocation
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `soundName` of a local notification that plays the default sound.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationSound.default")
public let UILocalNotificationDefaultSoundName: String = "UILocalNotificationDefaultSoundName"

/// A notification that the app schedules on the device, in the API used before iOS 10.
///
/// The agent stores the notification like any other notification. Scheduling copies the notification.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationRequest")
@preconcurrency @MainActor
open class UILocalNotification: NSObject, NSCopying, NSCoding {
  nonisolated let storage: FieldStorage<LocalNotificationFields>

  /// Creates a notification without properties.
  nonisolated public override init() {
    storage = FieldStorage(LocalNotificationFields())
    super.init()
  }

  nonisolated init(_ fields: LocalNotificationFields) {
    storage = FieldStorage(fields)
    super.init()
  }

  /// The date on which the notification appears; nil to deliver it immediately.
  ///
  /// A notification with a date cannot have a region.
  open var fireDate: Date? {
    get { storage.fields.fireDate }
    set { storage.fields.fireDate = newValue }
  }

  /// The time zone of `fireDate`.
  ///
  /// If the time zone is set, `fireDate` is a wall-clock time in that zone, regardless of where the device is. If the
  /// time zone is nil, `fireDate` is an absolute time.
  open var timeZone: TimeZone? {
    get { storage.fields.timeZone }
    set { storage.fields.timeZone = newValue }
  }

  /// The calendar unit after which the notification repeats; empty if the notification appears only once.
  open var repeatInterval: NSCalendar.Unit {
    get { storage.fields.repeatInterval }
    set { storage.fields.repeatInterval = newValue }
  }

  /// The calendar of the repetitions; nil for the user's calendar.
  open var repeatCalendar: Calendar? {
    get { storage.fields.repeatCalendar }
    set { storage.fields.repeatCalendar = newValue }
  }

  /// The region whose boundary triggers the notification when the device crosses it.
  ///
  /// A notification with a region cannot have a date.
  open var region: CLRegion? {
    get { storage.fields.region }
    set { storage.fields.region = newValue?.copy() as? CLRegion }
  }

  /// A Boolean value that indicates whether the region triggers the notification only once, instead of at each
  /// crossing.
  open var regionTriggersOnce: Bool {
    get { storage.fields.regionTriggersOnce }
    set { storage.fields.regionTriggersOnce = newValue }
  }

  /// The body text, or a key in the app's `Localizable.strings`.
  open var alertBody: String? {
    get { storage.fields.alertBody }
    set { storage.fields.alertBody = newValue }
  }

  /// A Boolean value that indicates whether the notification has a button or slider that opens the app.
  open var hasAction: Bool {
    get { storage.fields.hasAction }
    set { storage.fields.hasAction = newValue }
  }

  /// The title of the button or slider that opens the app, or a key in the app's `Localizable.strings`.
  open var alertAction: String? {
    get { storage.fields.alertAction }
    set { storage.fields.alertAction = newValue }
  }

  /// The image to show while the app launches from the notification.
  ///
  /// `belfry-center` shows the image until the app has connected.
  open var alertLaunchImage: String? {
    get { storage.fields.alertLaunchImage }
    set { storage.fields.alertLaunchImage = newValue }
  }

  /// The title of the notification.
  open var alertTitle: String? {
    get { storage.fields.alertTitle }
    set { storage.fields.alertTitle = newValue }
  }

  /// The name of one of the app's sound files, or `UILocalNotificationDefaultSoundName`; nil for no sound.
  open var soundName: String? {
    get { storage.fields.soundName }
    set { storage.fields.soundName = newValue }
  }

  /// The number to show on the app's icon; 0 leaves the current number unchanged.
  open var applicationIconBadgeNumber: Int {
    get { storage.fields.applicationIconBadgeNumber }
    set { storage.fields.applicationIconBadgeNumber = newValue }
  }

  /// The app's custom data, as property-list values.
  open var userInfo: [AnyHashable: Any]? {
    get { storage.fields.userInfo }
    set { storage.fields.userInfo = newValue }
  }

  /// The identifier of the category that provides the notification's buttons.
  open var category: String? {
    get { storage.fields.category }
    set { storage.fields.category = newValue }
  }

  /// Returns whether all fields of the other notification are equal to those of this one.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    (object as? UILocalNotification)?.storage.fields == storage.fields
  }

  /// The hash value of the date and the body text.
  nonisolated open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(storage.fields.fireDate)
    hasher.combine(storage.fields.alertBody)
    return hasher.finalize()
  }

  /// Returns a copy of the notification.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any {
    UILocalNotification(storage.fields)
  }

  /// Creates a notification from an archive; archives from Apple's systems have a different format.
  nonisolated public required init?(coder: NSCoder) {
    storage = FieldStorage(LocalNotificationFields(coder: coder))
    super.init()
  }

  /// Writes the notification to an archive.
  nonisolated open func encode(with coder: NSCoder) { storage.fields.encode(with: coder) }
}
