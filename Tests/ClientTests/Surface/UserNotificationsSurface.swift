import Foundation
import Testing
import UserNotifications

// This file uses every signature of client-api section 2.1. The test passes if the file compiles.

extension UNUserNotificationCenter {
  fileprivate func surface(_ request: UNNotificationRequest) async throws {
    let _: UNUserNotificationCenter = .current()
    let _: (any UNUserNotificationCenterDelegate)? = delegate
    let _: Bool = supportsContentExtensions
    requestAuthorization { (_: Bool, _: (any Error)?) in }
    requestAuthorization(options: [.alert]) { (_: Bool, _: (any Error)?) in }
    let _: Bool = try await requestAuthorization(options: [.badge, .sound])
    let _: Bool = try await requestAuthorization()
    let categories: Set<UNNotificationCategory> = await notificationCategories()
    setNotificationCategories(categories)
    getNotificationCategories { (_: Set<UNNotificationCategory>) in }
    getNotificationSettings { (_: UNNotificationSettings) in }
    let _: UNNotificationSettings = await notificationSettings()
    let synchronous = {
      self.add(request)
      self.add(request, withCompletionHandler: nil)
      self.add(request) { (_: (any Error)?) in }
      self.setBadgeCount(1)
      self.setBadgeCount(1) { (_: (any Error)?) in }
    }
    synchronous()
    try await add(request)
    try await setBadgeCount(0)
    getPendingNotificationRequests { (_: [UNNotificationRequest]) in }
    let _: [UNNotificationRequest] = await pendingNotificationRequests()
    removePendingNotificationRequests(withIdentifiers: [""])
    removeAllPendingNotificationRequests()
    getDeliveredNotifications { (_: [UNNotification]) in }
    let _: [UNNotification] = await deliveredNotifications()
    removeDeliveredNotifications(withIdentifiers: [""])
    removeAllDeliveredNotifications()
  }
}

private func content(_ content: UNMutableNotificationContent) throws {
  content.attachments = [UNNotificationAttachment]()
  content.badge = 1
  content.badge = nil
  content.body = ""
  content.title = ""
  content.subtitle = ""
  content.categoryIdentifier = ""
  content.threadIdentifier = ""
  content.launchImageName = ""
  content.sound = .default
  content.userInfo = ["key": "value"] as [AnyHashable: Any]
  content.targetContentIdentifier = String?.none
  content.interruptionLevel = .timeSensitive
  content.relevanceScore = 0.5
  content.filterCriteria = String?.none
  content.summaryArgument = ""
  content.summaryArgumentCount = 1
  let fixed: UNNotificationContent = content
  let _: NSNumber? = fixed.badge
  let _: [AnyHashable: Any] = fixed.userInfo
  let _: UNNotificationSound? = fixed.sound
  let _: UNMutableNotificationContent? = fixed.mutableCopy() as? UNMutableNotificationContent
  final class Provider: NSObject, UNNotificationContentProviding {}
  let _: UNNotificationContent = try fixed.updating(from: Provider())
}

private func sounds() {
  let name = UNNotificationSoundName("alarm.caf")
  let _: UNNotificationSoundName = UNNotificationSoundName(rawValue: name.rawValue)
  let _: [UNNotificationSound] = [
    .default, .defaultRingtone, .defaultCritical, UNNotificationSound(named: name),
    .ringtoneSoundNamed(name), .defaultCriticalSound(withAudioVolume: 0.5),
    .criticalSoundNamed(name), .criticalSoundNamed(name, withAudioVolume: 1),
  ]
}

private func triggers(_ region: CLRegion) {
  let interval = UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: true)
  let _: TimeInterval = interval.timeInterval
  let _: Date? = interval.nextTriggerDate()
  let calendar = UNCalendarNotificationTrigger(
    dateMatching: DateComponents(hour: 8), repeats: true)
  let _ = UNCalendarNotificationTrigger(
    dateMatchingComponents: DateComponents(hour: 8), repeats: false)
  let _: DateComponents = calendar.dateComponents
  let _: Date? = calendar.nextTriggerDate()
  let location = UNLocationNotificationTrigger(region: region, repeats: false)
  let _: CLRegion = location.region
  let all: [UNNotificationTrigger] = [interval, calendar, location]
  let _: [Bool] = all.map(\.repeats)
  let _: UNPushNotificationTrigger? = all.first as? UNPushNotificationTrigger
}

private func attachments(_ url: URL) throws {
  let attachment = try UNNotificationAttachment(identifier: "", url: url)
  let _ = try UNNotificationAttachment(
    identifier: "", url: url,
    options: [
      UNNotificationAttachmentOptionsTypeHintKey: "public.png",
      UNNotificationAttachmentOptionsThumbnailHiddenKey: true,
      UNNotificationAttachmentOptionsThumbnailClippingRectKey: CGRect.zero,
      UNNotificationAttachmentOptionsThumbnailTimeKey: 1,
    ])
  let _ = try UNNotificationAttachment(identifier: "", URL: url, options: nil)
  let _: (String, URL, String) = (attachment.identifier, attachment.url, attachment.type)
}

private func categories() {
  let icons = [
    UNNotificationActionIcon(templateImageName: ""), UNNotificationActionIcon(systemImageName: ""),
  ]
  let plain = UNNotificationAction(identifier: "a", title: "A")
  let options = UNNotificationAction(identifier: "a", title: "A", options: [.destructive])
  let pictured = UNNotificationAction(
    identifier: "a", title: "A", options: [.foreground], icon: icons[0])
  let text = UNTextInputNotificationAction(
    identifier: "a", title: "A", textInputButtonTitle: "B", textInputPlaceholder: "C")
  let picturedText = UNTextInputNotificationAction(
    identifier: "a", title: "A", options: [.authenticationRequired], icon: icons[1],
    textInputButtonTitle: "B", textInputPlaceholder: "C")
  let inherited = UNTextInputNotificationAction(identifier: "a", title: "A", options: [])
  let inheritedPictured = UNTextInputNotificationAction(
    identifier: "a", title: "A", options: [], icon: icons[0])
  let _: (String, String, UNNotificationActionOptions, UNNotificationActionIcon?) = (
    pictured.identifier, pictured.title, pictured.options, pictured.icon
  )
  let _: (String, String) = (text.textInputButtonTitle, text.textInputPlaceholder)
  let actions = [plain, options, pictured, text, picturedText, inherited, inheritedPictured]
  let all: Set<UNNotificationCategory> = [
    UNNotificationCategory(identifier: "1", actions: actions, intentIdentifiers: []),
    UNNotificationCategory(
      identifier: "2", actions: [], intentIdentifiers: [], options: .customDismissAction),
    UNNotificationCategory(
      identifier: "3", actions: [], intentIdentifiers: [], hiddenPreviewsBodyPlaceholder: "%u"),
    UNNotificationCategory(
      identifier: "4", actions: [], intentIdentifiers: [], hiddenPreviewsBodyPlaceholder: nil,
      categorySummaryFormat: nil, options: []),
  ]
  for category in all {
    let _: (String, [UNNotificationAction], [String]) = (
      category.identifier, category.actions, category.intentIdentifiers
    )
    let _: (UNNotificationCategoryOptions, String, String) = (
      category.options, category.hiddenPreviewsBodyPlaceholder, category.categorySummaryFormat
    )
  }
}

private func settings(_ settings: UNNotificationSettings) {
  let _: UNAuthorizationStatus = settings.authorizationStatus
  let _: [UNNotificationSetting] = [
    settings.soundSetting, settings.badgeSetting, settings.alertSetting,
    settings.notificationCenterSetting, settings.lockScreenSetting, settings.carPlaySetting,
    settings.criticalAlertSetting, settings.announcementSetting, settings.timeSensitiveSetting,
    settings.scheduledDeliverySetting, settings.directMessagesSetting,
  ]
  let _: UNAlertStyle = settings.alertStyle
  let _: UNShowPreviewsSetting = settings.showPreviewsSetting
  let _: Bool = settings.providesAppNotificationSettings
}

private func responses(_ response: UNNotificationResponse) {
  let notification: UNNotification = response.notification
  let _: Date = notification.date
  let request: UNNotificationRequest = notification.request
  let _: (String, UNNotificationContent, UNNotificationTrigger?) = (
    request.identifier, request.content, request.trigger
  )
  let _: String = response.actionIdentifier
  let _: String? = (response as? UNTextInputNotificationResponse)?.userText
  let _ = UNNotificationRequest(identifier: "", content: request.content, trigger: nil)
}

private final class Extension: UNNotificationServiceExtension {
  override func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) { contentHandler(request.content) }

  override func serviceExtensionTimeWillExpire() {}
}

private final class HandlerDelegate: NSObject, UNUserNotificationCenterDelegate {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
  ) { completionHandler([.banner, .list, .sound, .badge]) }

  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  ) { completionHandler() }

  func userNotificationCenter(
    _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
  ) {}
}

private final class AsyncDelegate: NSObject, UNUserNotificationCenterDelegate {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification
  ) async -> UNNotificationPresentationOptions { [.banner] }

  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
  ) async {}
}

private func errors(_ error: any Error) -> String {
  do { throw error } catch UNError.notificationsNotAllowed { return "not allowed" } catch let
    error as UNError where error.code == .badgeInputInvalid
  {
    return "\(error.errorCode) \(error.userInfo) \(error.errorUserInfo) \(UNError.errorDomain)"
  } catch { return (error as NSError).domain }
}

@Suite struct ErrorFormTests {
  @Test
  func `A UNError is caught by its code, and seen as an NSError`() {
    #expect(errors(UNError(.notificationsNotAllowed)) == "not allowed")
    #expect(errors(UNError(.badgeInputInvalid)).hasPrefix("1600"))
    let error = UNError(.attachmentCorrupt, userInfo: ["a": "b"]) as NSError
    #expect(error.domain == UNErrorDomain)
    #expect(error.code == 105)
    #expect(error.userInfo["a"] as? String == "b")
    #expect(errors(CancellationError()) != "not allowed")
  }

  @Test
  func `A text of the app's Localizable.strings is a String`() {
    let text: String = NSString.localizedUserNotificationString(forKey: "KEY", arguments: nil)
    #expect(text == "KEY")
    #expect(
      NSString.localizedUserNotificationString(forKey: "%@ of %2$@", arguments: ["1", 2])
        == "1 of 2")
  }
}

private func formerNames(_ content: UNMutableNotificationContent) {
  content.sound = UNNotificationSound.default()
  content.sound = UNNotificationSound(named: "a.caf")
  let name = "a.caf"
  content.sound = UNNotificationSound(named: name)
  content.sound = UNNotificationSound(named: .init("a.caf"))
  content.setValue("YES", forKeyPath: "shouldAlwaysAlertWhileAppIsForeground")
  content.setValue(true, forKey: "")
}
