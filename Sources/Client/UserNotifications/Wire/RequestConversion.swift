internal import BelfryClient
package import AppWire
import Foundation

extension UNNotificationRequest {
  package func wire() throws(UserInfoCoding.Unsuitable) -> AppWire.NotificationRequest {
    AppWire.NotificationRequest(
      id: identifier, content: try content.fields.wire(), trigger: trigger?.wire)
  }

  package convenience init(_ pending: PendingNotification) {
    self.init(pending.request, next: pending.nextUnixMilliseconds)
  }

  package convenience init(
    _ request: AppWire.NotificationRequest, next: Int64? = nil, payload: [UInt8]? = nil
  ) {
    self.init(
      identifier: request.id,
      content: UNNotificationContent(ContentFields(request.content, payload: payload)),
      trigger: .make(request.trigger, next: next))
  }
}

extension UNNotification {
  package convenience init(_ delivered: DeliveredNotification) {
    self.init(
      date: Date(unixMilliseconds: delivered.unixMilliseconds),
      request: UNNotificationRequest(delivered.request, payload: delivered.payload))
  }
}

extension UNNotificationResponse {
  /// Creates a response from the agent's wire format, with text if the response contains any.
  package static func make(_ response: AppWire.NotificationResponse) -> UNNotificationResponse {
    let notification = UNNotification(response.notification)
    guard let text = response.text else {
      return UNNotificationResponse(notification: notification, actionIdentifier: response.action)
    }
    return UNTextInputNotificationResponse(
      notification: notification, actionIdentifier: response.action, userText: text)
  }
}
