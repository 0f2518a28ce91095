import BelfryClient
import AppWire

extension UNUserNotificationCenter {
  /// Schedules a notification, or delivers it immediately if it has no trigger.
  ///
  /// The notification replaces a pending or delivered notification with the same identifier.
  ///
  /// The completion handler receives an error, or nil once the agent has accepted the request.
  @preconcurrency
  public func add(
    _ request: UNNotificationRequest,
    withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    do {
      var wire = try request.wire()
      if !request.content.attachments.isEmpty {
        wire.content = try request.content.fields.storingAttachments().wire()
      }
      perform(.add(wire), completionHandler: completionHandler)
    } catch {
      let failure =
        error as? UNError ?? .because(.notificationInvalidNoContent, "userInfo: \(error)")
      session.callbacks.async { completionHandler?(failure) }
    }
  }

  /// Schedules a notification, or delivers it immediately if it has no trigger.
  ///
  /// The notification replaces a pending or delivered notification with the same identifier.
  ///
  /// - Throws: `UNError` if the notification is not scheduled.
  public func add(_ request: UNNotificationRequest) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      add(request) { continuation.resume(with: Result(error: $0)) }
    }
  }

  /// Gets the requests whose triggers have not fired, soonest first.
  ///
  /// The completion handler receives an empty array if the agent cannot be reached.
  @preconcurrency
  public func getPendingNotificationRequests(
    completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
  ) {
    ask(
      .pending, otherwise: [],
      { answer in
        try answer.pending().filter { $0.request.content.generation != .desktop }
          .map { UNNotificationRequest($0) }
      }, completionHandler: completionHandler)
  }

  /// Returns the requests whose triggers have not fired, soonest first, or an empty array if the agent cannot be
  /// reached.
  public func pendingNotificationRequests() async -> [UNNotificationRequest] {
    await withCheckedContinuation { continuation in
      getPendingNotificationRequests { continuation.resume(returning: $0) }
    }
  }

  /// Removes the pending requests with these identifiers.
  public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
    perform(.removePending(identifiers), completionHandler: nil)
  }

  /// Removes all of the app's pending requests, so that their notifications are never delivered.
  public func removeAllPendingNotificationRequests() {
    perform(.removePending(nil), completionHandler: nil)
  }

  /// Gets the delivered notifications that are still in the list.
  ///
  /// The completion handler receives an empty array if the agent cannot be reached.
  @preconcurrency
  public func getDeliveredNotifications(
    completionHandler: @escaping @Sendable ([UNNotification]) -> Void
  ) {
    ask(
      .delivered, otherwise: [],
      { answer in
        try answer.delivered().filter { $0.request.content.generation != .desktop }
          .map { UNNotification($0) }
      }, completionHandler: completionHandler)
  }

  /// Returns the delivered notifications that are still in the list, or an empty array if the agent cannot be reached.
  public func deliveredNotifications() async -> [UNNotification] {
    await withCheckedContinuation { continuation in
      getDeliveredNotifications { continuation.resume(returning: $0) }
    }
  }

  /// Removes the delivered notifications with these identifiers.
  public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
    perform(.removeDelivered(identifiers), completionHandler: nil)
  }

  /// Removes all of the app's delivered notifications from the screen and from the list.
  public func removeAllDeliveredNotifications() {
    perform(.removeDelivered(nil), completionHandler: nil)
  }
}
