import AppLink
import BelfryClient
import AppWire

extension UNUserNotificationCenter {
  /// Passes an event to the delegate.
  ///
  /// Returns false if no delegate is set or the event belongs to `NSUserNotification`.
  @MainActor
  func handle(_ event: AppEvent, _ question: AppLinkQuestion?) -> Bool {
    guard let delegate else { return false }
    let owner = MainThreadOnly(delegate)
    switch event {
    case .willPresent(let delivered) where delivered.request.content.generation != .desktop:
      let notification = UNNotification(delivered)
      let otherwise = session.hasApplication ? [] : Set(PresentationOption.allCases)
      Task {
        let options = await owner.value.userNotificationCenter(self, willPresent: notification)
        question?.reply(.present(options.contains(.unanswered) ? otherwise : options.wire))
      }
    case .response(let response)
    where response.notification.request.content.generation != .desktop:
      let response = UNNotificationResponse.make(response)
      Task {
        await owner.value.userNotificationCenter(self, didReceive: response)
        question?.reply(.handled)
      }
    case .openSettings(let delivered):
      delegate.userNotificationCenter(self, openSettingsFor: delivered.map { UNNotification($0) })
    default: return false
    }
    return true
  }
}
