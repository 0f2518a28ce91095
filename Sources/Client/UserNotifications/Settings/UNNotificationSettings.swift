public import Foundation

/// The notification settings of the app at the time of the request.
open class UNNotificationSettings: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: the only stored property is a constant.
  package let values: NotificationSettingsValues

  package init(_ values: NotificationSettingsValues) {
    self.values = values
    super.init()
  }

  /// The app's permission to post notifications.
  open var authorizationStatus: UNAuthorizationStatus { values.authorizationStatus }

  /// The setting for sounds other than critical sounds.
  open var soundSetting: UNNotificationSetting { values.sound }

  /// The setting for the number on the icon.
  open var badgeSetting: UNNotificationSetting { values.badge }

  /// The setting for alerts on the screen; `alertStyle` specifies their style.
  open var alertSetting: UNNotificationSetting { values.alert }

  /// The setting for the list of delivered notifications.
  open var notificationCenterSetting: UNNotificationSetting { values.notificationCenter }

  /// The setting for notifications on the lock screen.
  open var lockScreenSetting: UNNotificationSetting { values.lockScreen }

  /// The setting for notifications in a car; not supported on this system.
  open var carPlaySetting: UNNotificationSetting { values.carPlay }

  /// The style of alerts: banners, or alerts that stay on the screen.
  open var alertStyle: UNAlertStyle { values.alertStyle }

  /// The setting for previews of a notification's text.
  open var showPreviewsSetting: UNShowPreviewsSetting { values.showPreviews }

  /// The setting for sounds that ignore mute.
  open var criticalAlertSetting: UNNotificationSetting { values.criticalAlert }

  /// A Boolean value that indicates whether the app has its own notification settings page.
  open var providesAppNotificationSettings: Bool { values.providesAppNotificationSettings }

  /// The setting for reading notifications aloud; not supported on this system.
  open var announcementSetting: UNNotificationSetting { values.announcement }

  /// The setting for notifications that break through Focus.
  open var timeSensitiveSetting: UNNotificationSetting { values.timeSensitive }

  /// The setting for delivery in a scheduled summary; not supported on this system.
  open var scheduledDeliverySetting: UNNotificationSetting { values.scheduledDelivery }

  /// The setting for direct messages; not supported on this system.
  open var directMessagesSetting: UNNotificationSetting { values.directMessages }

  /// A description of the settings, for logs.
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

  /// Returns whether the other settings are equal to these.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? UNNotificationSettings)?.values == values
  }

  /// The hash value of the settings.
  open override var hash: Int { values.hashValue }

  /// Returns the same object, because settings are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates settings from an archive; nil if the archive does not contain any.
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
