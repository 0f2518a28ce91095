/// The values of a `UNNotificationSettings` object.
package struct NotificationSettingsValues: Hashable, Codable, Sendable {
  package var authorizationStatus = UNAuthorizationStatus.notDetermined
  package var sound = UNNotificationSetting.notSupported
  package var badge = UNNotificationSetting.notSupported
  package var alert = UNNotificationSetting.notSupported
  package var notificationCenter = UNNotificationSetting.notSupported
  package var lockScreen = UNNotificationSetting.notSupported
  package var carPlay = UNNotificationSetting.notSupported
  package var criticalAlert = UNNotificationSetting.notSupported
  package var announcement = UNNotificationSetting.notSupported
  package var timeSensitive = UNNotificationSetting.notSupported
  package var scheduledDelivery = UNNotificationSetting.notSupported
  package var directMessages = UNNotificationSetting.notSupported
  package var alertStyle = UNAlertStyle.none
  package var showPreviews = UNShowPreviewsSetting.always
  package var providesAppNotificationSettings = false

  package init() {}
}

extension UNAuthorizationStatus: Codable {}
extension UNNotificationSetting: Codable {}
extension UNAlertStyle: Codable {}
extension UNShowPreviewsSetting: Codable {}
