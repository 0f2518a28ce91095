import AppKit
import CoreLocation
import PushKit
import Testing
import UIKit
import UserNotifications

/// Tests that every raw value and option bit of client-api section 2 is the same as in Apple's SDK.
@Suite struct RawValueTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let value: Int64
    let expected: Int64

    init<Value: RawRepresentable>(_ name: String, _ value: Value, _ expected: Int64)
    where Value.RawValue: BinaryInteger {
      testDescription = name
      self.value = Int64(value.rawValue)
      self.expected = expected
    }

    init(_ name: String, errorCode: Int, _ expected: Int64) {
      testDescription = name
      value = Int64(errorCode)
      self.expected = expected
    }
  }

  static let userNotifications: [Row] = [
    Row("UNAuthorizationOptions.badge", UNAuthorizationOptions.badge, 1),
    Row("UNAuthorizationOptions.sound", UNAuthorizationOptions.sound, 2),
    Row("UNAuthorizationOptions.alert", UNAuthorizationOptions.alert, 4),
    Row("UNAuthorizationOptions.carPlay", UNAuthorizationOptions.carPlay, 8),
    Row("UNAuthorizationOptions.criticalAlert", UNAuthorizationOptions.criticalAlert, 16),
    Row(
      "UNAuthorizationOptions.providesAppNotificationSettings",
      UNAuthorizationOptions.providesAppNotificationSettings, 32),
    Row("UNAuthorizationOptions.provisional", UNAuthorizationOptions.provisional, 64),
    Row("UNAuthorizationOptions.announcement", UNAuthorizationOptions.announcement, 128),
    Row("UNAuthorizationOptions.timeSensitive", UNAuthorizationOptions.timeSensitive, 256),
    Row("UNNotificationPresentationOptions.badge", UNNotificationPresentationOptions.badge, 1),
    Row("UNNotificationPresentationOptions.sound", UNNotificationPresentationOptions.sound, 2),
    Row("UNNotificationPresentationOptions.alert", UNNotificationPresentationOptions.alert, 4),
    Row("UNNotificationPresentationOptions.list", UNNotificationPresentationOptions.list, 8),
    Row("UNNotificationPresentationOptions.banner", UNNotificationPresentationOptions.banner, 16),
    Row(
      "UNNotificationActionOptions.authenticationRequired",
      UNNotificationActionOptions.authenticationRequired, 1),
    Row("UNNotificationActionOptions.destructive", UNNotificationActionOptions.destructive, 2),
    Row("UNNotificationActionOptions.foreground", UNNotificationActionOptions.foreground, 4),
    Row(
      "UNNotificationCategoryOptions.customDismissAction",
      UNNotificationCategoryOptions.customDismissAction, 1),
    Row(
      "UNNotificationCategoryOptions.allowInCarPlay", UNNotificationCategoryOptions.allowInCarPlay,
      2),
    Row(
      "UNNotificationCategoryOptions.hiddenPreviewsShowTitle",
      UNNotificationCategoryOptions.hiddenPreviewsShowTitle, 4),
    Row(
      "UNNotificationCategoryOptions.hiddenPreviewsShowSubtitle",
      UNNotificationCategoryOptions.hiddenPreviewsShowSubtitle, 8),
    Row(
      "UNNotificationCategoryOptions.allowAnnouncement",
      UNNotificationCategoryOptions.allowAnnouncement, 16),
    Row("UNAuthorizationStatus.notDetermined", UNAuthorizationStatus.notDetermined, 0),
    Row("UNAuthorizationStatus.denied", UNAuthorizationStatus.denied, 1),
    Row("UNAuthorizationStatus.authorized", UNAuthorizationStatus.authorized, 2),
    Row("UNAuthorizationStatus.provisional", UNAuthorizationStatus.provisional, 3),
    Row("UNAuthorizationStatus.ephemeral", UNAuthorizationStatus.ephemeral, 4),
    Row("UNNotificationSetting.notSupported", UNNotificationSetting.notSupported, 0),
    Row("UNNotificationSetting.disabled", UNNotificationSetting.disabled, 1),
    Row("UNNotificationSetting.enabled", UNNotificationSetting.enabled, 2),
    Row("UNAlertStyle.none", UNAlertStyle.none, 0),
    Row("UNAlertStyle.banner", UNAlertStyle.banner, 1),
    Row("UNAlertStyle.alert", UNAlertStyle.alert, 2),
    Row("UNShowPreviewsSetting.always", UNShowPreviewsSetting.always, 0),
    Row("UNShowPreviewsSetting.whenAuthenticated", UNShowPreviewsSetting.whenAuthenticated, 1),
    Row("UNShowPreviewsSetting.never", UNShowPreviewsSetting.never, 2),
    Row(
      "UNNotificationInterruptionLevel.passive", UNNotificationInterruptionLevel.passive, 0),
    Row("UNNotificationInterruptionLevel.active", UNNotificationInterruptionLevel.active, 1),
    Row(
      "UNNotificationInterruptionLevel.timeSensitive",
      UNNotificationInterruptionLevel.timeSensitive, 2),
    Row(
      "UNNotificationInterruptionLevel.critical", UNNotificationInterruptionLevel.critical, 3),
    Row("UNError.notificationsNotAllowed", UNError.notificationsNotAllowed, 1),
    Row("UNError.attachmentInvalidURL", UNError.attachmentInvalidURL, 100),
    Row("UNError.attachmentUnrecognizedType", UNError.attachmentUnrecognizedType, 101),
    Row("UNError.attachmentInvalidFileSize", UNError.attachmentInvalidFileSize, 102),
    Row("UNError.attachmentNotInDataStore", UNError.attachmentNotInDataStore, 103),
    Row(
      "UNError.attachmentMoveIntoDataStoreFailed", UNError.attachmentMoveIntoDataStoreFailed, 104),
    Row("UNError.attachmentCorrupt", UNError.attachmentCorrupt, 105),
    Row("UNError.notificationInvalidNoDate", UNError.notificationInvalidNoDate, 1400),
    Row("UNError.notificationInvalidNoContent", UNError.notificationInvalidNoContent, 1401),
    Row(
      "UNError.contentProvidingObjectNotAllowed", UNError.contentProvidingObjectNotAllowed, 1500),
    Row("UNError.contentProvidingInvalid", UNError.contentProvidingInvalid, 1501),
    Row("UNError.badgeInputInvalid", UNError.badgeInputInvalid, 1600),
  ]

  static let uiKit: [Row] = [
    Row("UIApplication.State.active", UIApplication.State.active, 0),
    Row("UIApplication.State.inactive", UIApplication.State.inactive, 1),
    Row("UIApplication.State.background", UIApplication.State.background, 2),
    Row("UIBackgroundTaskIdentifier.invalid", UIBackgroundTaskIdentifier.invalid, 0),
    Row("UIBackgroundFetchResult.newData", UIBackgroundFetchResult.newData, 0),
    Row("UIBackgroundFetchResult.noData", UIBackgroundFetchResult.noData, 1),
    Row("UIBackgroundFetchResult.failed", UIBackgroundFetchResult.failed, 2),
    Row("UIBackgroundRefreshStatus.restricted", UIBackgroundRefreshStatus.restricted, 0),
    Row("UIBackgroundRefreshStatus.denied", UIBackgroundRefreshStatus.denied, 1),
    Row("UIBackgroundRefreshStatus.available", UIBackgroundRefreshStatus.available, 2),
    Row("S4-2 UIRemoteNotificationType.badge", UIRemoteNotificationType.badge, 1),
    Row("S4-2 UIRemoteNotificationType.sound", UIRemoteNotificationType.sound, 2),
    Row("S4-2 UIRemoteNotificationType.alert", UIRemoteNotificationType.alert, 4),
    Row(
      "UIRemoteNotificationType.newsstandContentAvailability",
      UIRemoteNotificationType.newsstandContentAvailability, 8),
    Row("UIUserNotificationType.badge", UIUserNotificationType.badge, 1),
    Row("UIUserNotificationType.sound", UIUserNotificationType.sound, 2),
    Row("UIUserNotificationType.alert", UIUserNotificationType.alert, 4),
    Row("UIUserNotificationType()", UIUserNotificationType(), 0),
    Row("UIUserNotificationActionContext.default", UIUserNotificationActionContext.default, 0),
    Row("UIUserNotificationActionContext.minimal", UIUserNotificationActionContext.minimal, 1),
    Row(
      "UIUserNotificationActivationMode.foreground", UIUserNotificationActivationMode.foreground,
      0),
    Row(
      "UIUserNotificationActivationMode.background", UIUserNotificationActivationMode.background,
      1),
    Row("UIUserNotificationActionBehavior.default", UIUserNotificationActionBehavior.default, 0),
    Row(
      "UIUserNotificationActionBehavior.textInput", UIUserNotificationActionBehavior.textInput, 1),
  ]

  static let appKit: [Row] = [
    Row(
      "NSApplication.RemoteNotificationType.badge", NSApplication.RemoteNotificationType.badge, 1),
    Row(
      "NSApplication.RemoteNotificationType.sound", NSApplication.RemoteNotificationType.sound, 2),
    Row(
      "NSApplication.RemoteNotificationType.alert", NSApplication.RemoteNotificationType.alert, 4),
    Row(
      "NSUserNotification.ActivationType.none", NSUserNotification.ActivationType.none, 0),
    Row(
      "NSUserNotification.ActivationType.contentsClicked",
      NSUserNotification.ActivationType.contentsClicked, 1),
    Row(
      "NSUserNotification.ActivationType.actionButtonClicked",
      NSUserNotification.ActivationType.actionButtonClicked, 2),
    Row(
      "NSUserNotification.ActivationType.replied", NSUserNotification.ActivationType.replied, 3),
    Row(
      "NSUserNotification.ActivationType.additionalActionClicked",
      NSUserNotification.ActivationType.additionalActionClicked, 4),
  ]

  static let coreLocation: [Row] = [
    Row("CLAuthorizationStatus.notDetermined", CLAuthorizationStatus.notDetermined, 0),
    Row("CLAuthorizationStatus.restricted", CLAuthorizationStatus.restricted, 1),
    Row("CLAuthorizationStatus.denied", CLAuthorizationStatus.denied, 2),
    Row("CLAuthorizationStatus.authorizedAlways", CLAuthorizationStatus.authorizedAlways, 3),
    Row("CLAuthorizationStatus.authorizedWhenInUse", CLAuthorizationStatus.authorizedWhenInUse, 4),
    Row("CLAuthorizationStatus.authorized", CLAuthorizationStatus.authorized, 3),
    Row("CLAccuracyAuthorization.fullAccuracy", CLAccuracyAuthorization.fullAccuracy, 0),
    Row("CLAccuracyAuthorization.reducedAccuracy", CLAccuracyAuthorization.reducedAccuracy, 1),
    Row("CLRegionState.unknown", CLRegionState.unknown, 0),
    Row("CLRegionState.inside", CLRegionState.inside, 1),
    Row("CLRegionState.outside", CLRegionState.outside, 2),
    Row("CLProximity.unknown", CLProximity.unknown, 0),
    Row("CLProximity.immediate", CLProximity.immediate, 1),
    Row("CLProximity.near", CLProximity.near, 2),
    Row("CLProximity.far", CLProximity.far, 3),
    Row("CLError.locationUnknown", CLError.locationUnknown, 0),
    Row("CLError.denied", CLError.denied, 1),
    Row("CLError.network", CLError.network, 2),
    Row("CLError.headingFailure", CLError.headingFailure, 3),
    Row("CLError.regionMonitoringDenied", CLError.regionMonitoringDenied, 4),
    Row("CLError.regionMonitoringFailure", CLError.regionMonitoringFailure, 5),
    Row("CLError.regionMonitoringSetupDelayed", CLError.regionMonitoringSetupDelayed, 6),
    Row("CLError.regionMonitoringResponseDelayed", CLError.regionMonitoringResponseDelayed, 7),
    Row("CLError.geocodeFoundNoResult", CLError.geocodeFoundNoResult, 8),
    Row("CLError.promptDeclined", CLError.promptDeclined, 18),
    Row("CLError.historicalLocationError", CLError.historicalLocationError, 19),
  ]

  @Test(arguments: userNotifications + uiKit + appKit + coreLocation)
  func `Raw values are Apple's`(_ row: Row) { #expect(row.value == row.expected) }

  @Test
  func `Constants have Apple's texts`() {
    #expect(UNErrorDomain == "UNErrorDomain")
    #expect(kCLErrorDomain == "kCLErrorDomain")
    #expect(
      UNNotificationDefaultActionIdentifier == "com.apple.UNNotificationDefaultActionIdentifier")
    #expect(
      UNNotificationDismissActionIdentifier == "com.apple.UNNotificationDismissActionIdentifier")
    #expect(
      UNNotificationAttachmentOptionsTypeHintKey == "UNNotificationAttachmentOptionsTypeHintKey")
    #expect(
      UIApplication.LaunchOptionsKey.remoteNotification.rawValue
        == "UIApplicationLaunchOptionsRemoteNotificationKey")
    #expect(
      UIApplication.LaunchOptionsKey.localNotification.rawValue
        == "UIApplicationLaunchOptionsLocalNotificationKey")
    #expect(PKPushType.voIP.rawValue == "PKPushTypeVoIP")
    #expect(PKPushType.fileProvider.rawValue == "PKPushTypeFileProvider")
    #expect(PKPushType.complication.rawValue == "PKPushTypeComplication")
  }

  @Test
  func `Accuracy constants are Apple's`() {
    #expect(kCLLocationAccuracyBestForNavigation == -2)
    #expect(kCLLocationAccuracyBest == -1)
    #expect(kCLLocationAccuracyNearestTenMeters == 10)
    #expect(kCLLocationAccuracyHundredMeters == 100)
    #expect(kCLLocationAccuracyKilometer == 1_000)
    #expect(kCLLocationAccuracyThreeKilometers == 3_000)
    #expect(kCLLocationAccuracyReduced == 6_380_000)
    #expect(MemoryLayout<CLLocationCoordinate2D>.size == 16)
  }

  @Test
  func `The types of pushes are flags, each with a bit of its own`() {
    let types: UIRemoteNotificationType = [.badge, .sound, .alert]
    // S4-2
    #expect(types.rawValue == 7 && types.subtracting(.sound).rawValue == 5)
  }

  @Test
  func `An alert is a banner and a place in the list besides its own bit`() {
    let options: UNAuthorizationOptions = [.alert, .sound, .badge]
    #expect(options.rawValue == 7)
    #expect(!options.contains(.provisional))
  }
}
