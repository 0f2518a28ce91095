import AppLink
import BelfryClient
import AppWire
import Foundation
import UserNotifications

extension UIApplication {
  /// Passes the user's response to a notification to an app without a notification delegate.
  ///
  /// Returns false if the app has no delegate or the notification belongs to AppKit.
  func respond(
    _ response: AppWire.NotificationResponse, _ question: AppLinkQuestion?
  ) -> Bool {
    guard let delegate else { return false }
    let request = response.notification.request
    guard request.content.generation != .desktop else { return false }
    let isLaunch = life.claimLaunch(response)
    switch response.action {
    case NotificationResponse.dismissAction: question?.reply(.handled)
    case NotificationResponse.defaultAction:
      if let payload = response.notification.payload {
        receive(payload) { _ in question?.reply(.handled) }
      } else {
        // At launch, the launch options contain the notification (S1-36).
        if !isLaunch {
          delegate.application(
            self, didReceive: UILocalNotification(LocalNotificationFields(request)))
        }
        question?.reply(.handled)
      }
    default:
      Task { @MainActor in
        await handleAction(response, delegate)
        question?.reply(.handled)
      }
    }
    return true
  }

  private func handleAction(
    _ response: AppWire.NotificationResponse, _ delegate: any UIApplicationDelegate
  ) async {
    let info: [AnyHashable: Any] =
      response.text.map { [UIUserNotificationActionResponseTypedTextKey: $0] } ?? [:]
    if let payload = response.notification.payload {
      await delegate.application(
        self, handleActionWithIdentifier: response.action,
        forRemoteNotification: UserInfoCoding.payload(payload), withResponseInfo: info)
    } else {
      let notification = UILocalNotification(
        LocalNotificationFields(response.notification.request))
      await delegate.application(
        self, handleActionWithIdentifier: response.action, for: notification,
        withResponseInfo: info)
    }
  }
}
