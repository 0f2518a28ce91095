import Foundation
import UserNotifications

/// The fields of an `NSUserNotification`.
struct UserNotificationFields {
  /// The generated identifier that the agent uses if the app sets none.
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

  /// The identifier that the agent uses.
  var agentIdentifier: String { identifier ?? hiddenIdentifier }
}
