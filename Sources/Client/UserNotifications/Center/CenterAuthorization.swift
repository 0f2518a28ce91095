import BelfryClient
import AppWire

extension UNUserNotificationCenter {
  /// Requests the user's permission for the given options.
  ///
  /// The first request shows a prompt; later requests return the user's decision.
  ///
  /// The completion handler receives true if notifications are allowed. If the request failed, it receives false and an
  /// error.
  @preconcurrency
  public func requestAuthorization(
    options: UNAuthorizationOptions = [],
    completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    session.requestAuthorization(options.wire) { result in
      switch result {
      case .success(let answer): completionHandler(answer.isGranted, nil)
      case .failure(let failure): completionHandler(false, UNError(failure))
      }
    }
  }

  /// Requests the user's permission for the given options.
  ///
  /// - Returns: True if notifications are allowed.
  /// - Throws: `UNError` if the request failed.
  @discardableResult
  public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      requestAuthorization(options: options) { granted, error in
        if let error {
          continuation.resume(throwing: error)
        } else {
          continuation.resume(returning: granted)
        }
      }
    }
  }

  /// Gets the app's current notification settings.
  ///
  /// If the agent cannot be reached, the authorization status is undetermined, and the other settings have default
  /// values.
  @preconcurrency
  public func getNotificationSettings(
    completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void
  ) {
    ask(
      .settings, otherwise: UNNotificationSettings(NotificationSettingsValues()),
      { UNNotificationSettings(NotificationSettingsValues(try $0.settings())) },
      completionHandler: completionHandler)
  }

  /// Returns the app's current notification settings.
  ///
  /// If the agent cannot be reached, the authorization status is undetermined, and the other settings have default
  /// values.
  public func notificationSettings() async -> UNNotificationSettings {
    await withCheckedContinuation { continuation in
      getNotificationSettings { continuation.resume(returning: $0) }
    }
  }

  /// Sets the number on the app's icon; 0 removes it.
  ///
  /// The completion handler receives `UNError.badgeInputInvalid` if the number is negative.
  @preconcurrency
  public func setBadgeCount(
    _ newBadgeCount: Int,
    withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    guard newBadgeCount >= 0 else {
      session.callbacks.async { completionHandler?(UNError.because(.badgeInputInvalid)) }
      return
    }
    perform(.setBadge(Int64(newBadgeCount)), completionHandler: completionHandler)
  }

  /// Sets the number on the app's icon; 0 removes it.
  ///
  /// - Throws: `UNError.badgeInputInvalid` if the number is negative.
  public func setBadgeCount(_ newBadgeCount: Int) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      setBadgeCount(newBadgeCount) { continuation.resume(with: Result(error: $0)) }
    }
  }
}

extension Result where Success == Void, Failure == any Error {
  init(error: (any Error)?) { self = error.map { .failure($0) } ?? .success(()) }
}
