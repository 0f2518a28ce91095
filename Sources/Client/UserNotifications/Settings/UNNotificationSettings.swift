public import Foundation

/// What the user allows the app, at the moment of the question.
open class UNNotificationSettings: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: the only stored property is a constant.
  package let values: NotificationSettingsValues

  package init(_ values: NotificationSettingsValues) {
    self.values = values
    super.init()
  }

  /// Whether the app may notify at all.
  open var authorizationStatus: UNAuthorizationStatus { values.authorizationStatus }

  /// Sounds.
  open var soundSetting: UNNotificationSetting { values.sound }

  /// The number on the icon.
  open var badgeSetting: UNNotificationSetting { values.badge }

  /// Visible notifications.
  open var alertSetting: UNNotificationSetting { values.alert }

  /// The list of what was delivered.
  open var notificationCenterSetting: UNNotificationSetting { values.notificationCenter }

  /// Notifications on the locked screen.
  open var lockScreenSetting: UNNotificationSetting { values.lockScreen }

  /// Notifications in a car: not supported on this system.
  open var carPlaySetting: UNNotificationSetting { values.carPlay }

  /// Banners or alerts.
  open var alertStyle: UNAlertStyle { values.alertStyle }

  /// When the text may be seen.
  open var showPreviewsSetting: UNShowPreviewsSetting { values.showPreviews }

  /// Sounds that break through mute.
  open var criticalAlertSetting: UNNotificationSetting { values.criticalAlert }

  /// Whether the app said that it has a settings page of its own.
  open var providesAppNotificationSettings: Bool { values.providesAppNotificationSettings }

  /// Reading out: not supported on this system.
  open var announcementSetting: UNNotificationSetting { values.announcement }

  /// Notifications that break through Focus.
  open var timeSensitiveSetting: UNNotificationSetting { values.timeSensitive }

  /// Delivery in a summary: not supported on this system.
  open var scheduledDeliverySetting: UNNotificationSetting { values.scheduledDelivery }

  /// Direct messages: not supported on this system.
  open var directMessagesSetting: UNNotificationSetting { values.directMessages }

  /// The settings, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("authorizationStatus", authorizationStatus.word),
        ("notificationCenterSetting", notificationCenterSetting.word),
        ("soundSetting", soundSetting.word),
        ("badgeSetting", badgeSetting.word),
        ("lockScreenSetting", lockScreenSetting.word),
        ("carPlaySetting", carPlaySetting.word),
        ("announcementSetting", announcementSetting.word),
        ("criticalAlertSetting", criticalAlertSetting.word),
        ("timeSensitiveSetting", timeSensitiveSetting.word),
        ("alertSetting", alertSetting.word),
        ("scheduledDeliverySetting", scheduledDeliverySetting.word),
        ("directMessagesSetting", directMessagesSetting.word),
        ("alertStyle", alertStyle.word),
        ("showPreviewsSetting", showPreviewsSetting.word),
        ("providesAppNotificationSettings", providesAppNotificationSettings),
      ])
  }

  /// Whether every value is the same.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? UNNotificationSettings)?.values == values
  }

  /// The hash of the values.
  open override var hash: Int { values.hashValue }

  /// Returns the settings themselves: they never change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Settings can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads archived settings; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard
      let data = coder.decodeObject(of: NSData.self, forKey: "settings") as Data?,
      let values = try? PropertyListDecoder().decode(NotificationSettingsValues.self, from: data)
    else { return nil }
    self.values = values
    super.init()
  }

  /// Writes the settings to an archive.
  open func encode(with coder: NSCoder) {
    guard let data = try? PropertyListEncoder().encode(values) else { return }
    coder.encode(data as NSData, forKey: "settings")
  }
}
