import Foundation
import UserNotifications

/// The fields of an `NSUserNotification`.
struct UserNotificationFields {
  /// The prefix of generated identifiers, which the app's own identifiers never use.
  static let hiddenPrefix = "belfry.desktop."

  /// A generated identifier, which is used in messages to the agent if the app does not set its own.
  var hiddenIdentifier = Self.hiddenPrefix + UUID().uuidString
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

  /// The identifier in messages to the agent: the app's own identifier or, if it is nil, the generated one.
  var agentIdentifier: String { identifier ?? hiddenIdentifier }
}
