import AppLink
import BelfryClient
import AppWire
import Foundation
import Synchronization
import UserNotifications

/// The notification center of a Mac app, in the API used before macOS 11; it can be used on any thread.
@available(macOS, deprecated: 11.0, message: "Use UNUserNotificationCenter")
open class NSUserNotificationCenter: NSObject, @unchecked Sendable {
  // Sendable: a lock protects the delegate; everything else is constant.
  private static let only = NSUserNotificationCenter(session: .shared)

  private let session: AgentSession
  private let delegateReference = LockedBox(DelegateReference())

  /// The notifications that this process delivered and that the app still retains, keyed by the agent's identifier.
  ///
  /// When the agent reports whether a notification was presented, the notification's `isPresented` property is set.
  private let ownDeliveries = LockedBox<[String: OwnDelivery]>([:])

  private struct OwnDelivery {
    weak var notification: NSUserNotification?
  }

  private struct DelegateReference {
    weak var delegate: (any NSUserNotificationCenterDelegate)?
  }

  init(session: AgentSession) {
    self.session = session
    super.init()
    session.listen(as: .desktopCenter) { [weak self] event, question in
      self?.handle(event, question) ?? false
    }
  }

  /// The notification center of this app.
  open class var `default`: NSUserNotificationCenter { only }

  /// The delegate, which handles deliveries and responses; not retained.
  open var delegate: (any NSUserNotificationCenterDelegate)? {
    get { delegateReference.withLock { $0.delegate } }
    set {
      delegateReference.withLock { $0.delegate = newValue }
      session.connect()
    }
  }

  /// Copies of the scheduled notifications; empty if the agent cannot be reached.
  ///
  /// Setting this property replaces all scheduled notifications.
  open var scheduledNotifications: [NSUserNotification] {
    get { scheduled().map { NSUserNotification(UserNotificationFields($0)) } }
    set {
      session.send(.removePending(scheduled().map(\.id)))
      for notification in newValue { scheduleNotification(notification) }
    }
  }

  /// Schedules a copy of the notification for its delivery date.
  ///
  /// A notification that has no date, or whose date has passed, is delivered immediately.
  open func scheduleNotification(_ notification: NSUserNotification) {
    add(notification, now: false)
  }

  /// Cancels the scheduled notification with the same identifier, if it has not been delivered.
  open func removeScheduledNotification(_ notification: NSUserNotification) {
    session.send(.removePending([notification.fields.agentIdentifier]))
  }

  /// The delivered notifications that are still in the list; empty if the agent cannot be reached.
  open var deliveredNotifications: [NSUserNotification] {
    let answer = try? session.call(.delivered)
    return (answer.flatMap { try? $0.delivered() } ?? [])
      .filter { $0.request.content.generation == .desktop || $0.payload != nil }
      .map { NSUserNotification(UserNotificationFields($0)) }
  }

  /// Delivers a copy of the notification immediately, regardless of its date.
  open func deliver(_ notification: NSUserNotification) {
    notification.fields.actualDeliveryDate = Date()
    ownDeliveries.withLock { deliveries in
      deliveries = deliveries.filter { $0.value.notification != nil }
      deliveries[notification.fields.agentIdentifier] = OwnDelivery(notification: notification)
    }
    add(notification, now: true)
  }

  /// Removes a delivered notification from the list.
  open func removeDeliveredNotification(_ notification: NSUserNotification) {
    session.send(.removeDelivered([notification.fields.agentIdentifier]))
  }

  /// Removes all delivered notifications from the list.
  open func removeAllDeliveredNotifications() { session.send(.removeDelivered(nil)) }

  private func scheduled() -> [AppWire.NotificationRequest] {
    let answer = try? session.call(.pending)
    return (answer.flatMap { try? $0.pending() } ?? []).map(\.request)
      .filter { $0.content.generation == .desktop }
  }

  private func add(_ notification: NSUserNotification, now: Bool) {
    do { session.send(.add(try notification.fields.wire(now: now))) } catch {
      preconditionFailure("a notification's userInfo is not a property list: \(error)")
    }
  }

  /// Returns whether this center handles responses to a notification.
  ///
  /// The center handles the notifications that were created with this API. If the app uses only this API, the center
  /// also handles notifications that other programs show in the app's name.
  private func isOwn(_ delivered: DeliveredNotification) -> Bool {
    delivered.request.content.generation == .desktop
      || (delivered.payload == nil && isOnlyOne)
  }

  /// True if the app has set a delegate on this center, but not on `UNUserNotificationCenter`.
  var isOnlyOne: Bool {
    UNUserNotificationCenter.current().delegate == nil && delegate != nil
  }

  private func onPresented(_ id: String, _ isPresented: Bool) {
    let own = ownDeliveries.withLock { $0.removeValue(forKey: id) }
    own?.notification?.fields.isPresented = isPresented
  }

  @MainActor
  private func handle(_ event: AppEvent, _ question: AppLinkQuestion?) -> Bool {
    switch event {
    case .willPresent(let delivered) where delivered.request.content.generation == .desktop:
      let notification = NSUserNotification(UserNotificationFields(delivered))
      notification.fields.isPresented = false
      delegate?.userNotificationCenter(self, didDeliver: notification)
      let isShown =
        delegate?.userNotificationCenter(self, shouldPresent: notification) ?? false
      notification.fields.isPresented = isShown
      onPresented(delivered.request.id, isShown)
      question?.reply(.present(isShown ? [.banner, .list, .sound, .badge] : [.list]))
    case .delivered(let delivered) where delivered.request.content.generation == .desktop:
      onPresented(delivered.request.id, delivered.isPresented)
      delegate?.userNotificationCenter(
        self, didDeliver: NSUserNotification(UserNotificationFields(delivered)))
    case .response(let response) where isOwn(response.notification):
      if response.action != NotificationResponse.dismissAction {
        delegate?.userNotificationCenter(
          self, didActivate: NSUserNotification(UserNotificationFields(response)))
      }
      question?.reply(.handled)
    default: return false
    }
    return true
  }
}
