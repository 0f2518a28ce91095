import Foundation
import UserNotifications

/// The fields of an `NSUserNotification`.
struct UserNotificationFields {
  /// What the agent knows the notification by, where the app gave no identifier.
  var hiddenIdentifier = UUID().uuidString
  var identifier: String?
  var title: String?
  var subtitle: String?
  var informativeText: String?
  var actionButtonTitle = ""
  var otherButtonTitle = ""
  var hasActionButton = true
  var hasReplyButton = false
  var responsePlaceholder: String?
  var additionalActions: [NSUserNotificationAction]?
  var userInfo: [String: Any]?
  var soundName: String?
  var contentImage: NSImage?
  var deliveryDate: Date?
  var deliveryTimeZone: TimeZone?
  var deliveryRepeatInterval: DateComponents?
  var actualDeliveryDate: Date?
  var isPresented = false
  var isRemote = false
  var activationType = NSUserNotification.ActivationType.none
  var response: String?
  var additionalActivationAction: NSUserNotificationAction?

  init() {}

  /// What the agent knows the notification by.
  var agentIdentifier: String { identifier ?? hiddenIdentifier }
}
