public import CoreLocation
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The system's sound, as a local notification's `soundName`.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationSound.default")
public let UILocalNotificationDefaultSoundName: String = "UILocalNotificationDefaultSoundName"

/// A notification that the app schedules on the device, in the form before iOS 10.
///
/// The agent stores it like every other notification; scheduling takes a copy.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationRequest")
@preconcurrency @MainActor
open class UILocalNotification: NSObject, NSCopying, NSCoding {
  nonisolated let storage: FieldStorage<LocalNotificationFields>

  /// A notification without properties.
  nonisolated public override init() {
    storage = FieldStorage(LocalNotificationFields())
    super.init()
  }

  nonisolated init(_ fields: LocalNotificationFields) {
    storage = FieldStorage(fields)
    super.init()
  }

  /// When it appears; nil for at once.
  ///
  /// It cannot have a region as well.
  open var fireDate: Date? {
    get { storage.fields.fireDate }
    set { storage.fields.fireDate = newValue }
  }

  /// With a zone `fireDate` is the wall time that it is in that zone, wherever the device is;
  /// without one it is the instant.
  open var timeZone: TimeZone? {
    get { storage.fields.timeZone }
    set { storage.fields.timeZone = newValue }
  }

  /// How often it appears again: a calendar unit, or none for once.
  open var repeatInterval: NSCalendar.Unit {
    get { storage.fields.repeatInterval }
    set { storage.fields.repeatInterval = newValue }
  }

  /// The calendar of the repetition; nil for the user's.
  open var repeatCalendar: Calendar? {
    get { storage.fields.repeatCalendar }
    set { storage.fields.repeatCalendar = newValue }
  }

  /// Appears when the device crosses the region's edge.
  ///
  /// It cannot have a date as well.
  open var region: CLRegion? {
    get { storage.fields.region }
    set { storage.fields.region = newValue?.copy() as? CLRegion }
  }

  /// Whether the region counts once, or at each crossing.
  open var regionTriggersOnce: Bool {
    get { storage.fields.regionTriggersOnce }
    set { storage.fields.regionTriggersOnce = newValue }
  }

  /// The text, or a key of the app's `Localizable.strings`.
  open var alertBody: String? {
    get { storage.fields.alertBody }
    set { storage.fields.alertBody = newValue }
  }

  /// Whether it has a button or slider that opens the app.
  open var hasAction: Bool {
    get { storage.fields.hasAction }
    set { storage.fields.hasAction = newValue }
  }

  /// The text of that button, or a key of the app's `Localizable.strings`.
  open var alertAction: String? {
    get { storage.fields.alertAction }
    set { storage.fields.alertAction = newValue }
  }

  /// The image shown while the app is launched from it; stored, a Linux desktop shows none.
  open var alertLaunchImage: String? {
    get { storage.fields.alertLaunchImage }
    set { storage.fields.alertLaunchImage = newValue }
  }

  /// The first line.
  open var alertTitle: String? {
    get { storage.fields.alertTitle }
    set { storage.fields.alertTitle = newValue }
  }

  /// A sound file of the app, or `UILocalNotificationDefaultSoundName`; nil for silence.
  open var soundName: String? {
    get { storage.fields.soundName }
    set { storage.fields.soundName = newValue }
  }

  /// The number on the app's icon; 0 leaves it as it is.
  open var applicationIconBadgeNumber: Int {
    get { storage.fields.applicationIconBadgeNumber }
    set { storage.fields.applicationIconBadgeNumber = newValue }
  }

  /// The app's own data: property-list values.
  open var userInfo: [AnyHashable: Any]? {
    get { storage.fields.userInfo }
    set { storage.fields.userInfo = newValue }
  }

  /// The category whose buttons it has.
  open var category: String? {
    get { storage.fields.category }
    set { storage.fields.category = newValue }
  }

  /// Whether the other notification is the same in every respect.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    (object as? UILocalNotification)?.storage.fields == storage.fields
  }

  /// The hash of date and text.
  nonisolated open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(storage.fields.fireDate)
    hasher.combine(storage.fields.alertBody)
    return hasher.finalize()
  }

  /// A copy.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any {
    UILocalNotification(storage.fields)
  }

  /// Reads an archived notification; archives of Apple's systems have another form.
  nonisolated public required init?(coder: NSCoder) {
    storage = FieldStorage(LocalNotificationFields(coder: coder))
    super.init()
  }

  /// Writes the notification to an archive.
  nonisolated open func encode(with coder: NSCoder) { storage.fields.encode(with: coder) }
}
