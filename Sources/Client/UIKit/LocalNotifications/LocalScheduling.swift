import BelfryClient
import AppWire
import Foundation
import UserNotifications

extension UIApplication {
  /// Delivers a copy of the notification immediately, regardless of its date.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenter.add(_:)")
  public func presentLocalNotificationNow(_ notification: UILocalNotification) {
    add(notification, now: true)
  }

  /// Schedules a copy of the notification.
  ///
  /// A notification whose date has passed is delivered immediately.
  ///
  /// - Precondition: The notification does not have both a date and a region.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenter.add(_:)")
  public func scheduleLocalNotification(_ notification: UILocalNotification) {
    precondition(
      notification.fireDate == nil || notification.region == nil,
      "a local notification can have a fireDate or a region, but not both")
    add(notification, now: false)
  }

  /// Cancels each scheduled notification that is equal to this one, and removes the notification if it is shown.
  @available(
    iOS, deprecated: 10.0, message: "Use removePendingNotificationRequests(withIdentifiers:)"
  )
  public func cancelLocalNotification(_ notification: UILocalNotification) {
    let fields = notification.storage.fields
    // The agent stores the notification with its trigger if it was scheduled, or without a trigger if it was presented
    // immediately. Compare with both forms. The conversion also rounds dates to milliseconds, as the agent stores them.
    let forms = [false, true].compactMap { isNow in
      (try? fields.wire(id: "", now: isNow)).map { LocalNotificationFields($0) }
    }
    func isWanted(_ request: AppWire.NotificationRequest) -> Bool {
      forms.contains(LocalNotificationFields(request))
    }
    let pending = localRequests(.pending).filter(isWanted)
    let shown = localRequests(.delivered).filter(isWanted)
    if !pending.isEmpty { session.send(.removePending(pending.map(\.id))) }
    let ids = Set((pending + shown).map(\.id)).sorted()
    if !ids.isEmpty { session.send(.removeDelivered(ids)) }
  }

  /// Cancels all scheduled notifications of the app, and removes those that are shown.
  @available(iOS, deprecated: 10.0, message: "Use removeAllPendingNotificationRequests()")
  public func cancelAllLocalNotifications() {
    session.send(.removePending(nil))
    let shown = localRequests(.delivered).map(\.id)
    if !shown.isEmpty { session.send(.removeDelivered(shown)) }
  }

  /// Copies of the scheduled notifications; nil if the agent cannot be reached.
  ///
  /// Setting this property replaces all scheduled notifications.
  @available(iOS, deprecated: 10.0, message: "Use pendingNotificationRequests()")
  public var scheduledLocalNotifications: [UILocalNotification]? {
    get {
      guard let answer = try? session.call(.pending), let pending = try? answer.pending() else {
        return nil
      }
      return pending.filter { $0.request.content.generation == .local }
        .map { UILocalNotification(LocalNotificationFields($0.request)) }
    }
    set {
      session.send(.removePending(localRequests(.pending).map(\.id)))
      for notification in newValue ?? [] { add(notification, now: false) }
    }
  }

  private func add(_ notification: UILocalNotification, now: Bool) {
    do {
      let request = try notification.storage.fields.wire(id: UUID().uuidString, now: now)
      session.send(.add(request))
    } catch {
      preconditionFailure("a local notification's userInfo is not a property list: \(error)")
    }
  }

  /// Returns the local notifications in a list of the agent, or an empty array if the agent cannot be reached.
  ///
  /// `list` is `.pending` for the scheduled notifications, or `.delivered` for the notifications that are shown.
  private func localRequests(_ list: AppRequest) -> [AppWire.NotificationRequest] {
    guard let answer = try? session.call(list) else { return [] }
    let requests =
      list == .pending
      ? (try? answer.pending())?.map(\.request) : (try? answer.delivered())?.map(\.request)
    return (requests ?? []).filter { $0.content.generation == .local }
  }
}
