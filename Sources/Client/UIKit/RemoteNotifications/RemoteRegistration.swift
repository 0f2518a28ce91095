import BelfryClient
import BelfryWire
import AppWire
import Foundation
import UserNotifications

extension UIApplication {
  /// Registers the app for pushes; the delegate receives the token or an error.
  ///
  /// Registering again returns the existing token immediately.
  public func registerForRemoteNotifications() {
    session.send(.register(.alert)) { [weak self] result in
      guard case .failure(let failure) = result else { return }
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self?.registrationFailed(failure) }
      }
    }
  }

  /// Unregisters the app from pushes until it registers again.
  public func unregisterForRemoteNotifications() { session.send(.unregister(.alert)) }

  /// A Boolean value that indicates whether the app is registered for pushes and has received its device token.
  ///
  /// The value is false until the token arrives, and after a registration that failed.
  public var isRegisteredForRemoteNotifications: Bool { session.isRegistered }

  /// Requests permission for the given types, and registers for pushes.
  ///
  /// The first request shows a prompt.
  @available(iOS, deprecated: 8.0, message: "Use registerForRemoteNotifications()")
  public func registerForRemoteNotifications(matching types: UIRemoteNotificationType) {
    authorize(UNAuthorizationOptions(rawValue: types.rawValue & 0b111)) { application, _ in
      application.registerForRemoteNotifications()
    }
  }

  /// Returns the ways in which pushes may alert the user, or an empty set if the app is not registered.
  @available(iOS, deprecated: 8.0, message: "Use UNUserNotificationCenter.notificationSettings()")
  public func enabledRemoteNotificationTypes() -> UIRemoteNotificationType {
    guard session.isRegistered, let settings = currentSettings() else { return [] }
    return UIRemoteNotificationType(rawValue: settings.enabledTypes)
  }

  /// The number on the app's icon; 0 removes it.
  @available(iOS, deprecated: 17.0, message: "Use UNUserNotificationCenter.setBadgeCount(_:)")
  public var applicationIconBadgeNumber: Int {
    get { Int(clamping: session.badge) }
    set { session.send(.setBadge(Int64(max(0, newValue)))) }
  }

  func registrationFailed(_ failure: AppLinkFailure) {
    delegate?.application(
      self, didFailToRegisterForRemoteNotificationsWithError: failure.registrationError)
  }

  /// Returns the current settings from the agent; nil if the agent cannot be reached.
  func currentSettings() -> NotificationSettingsValues? {
    guard let answer = try? session.call(.settings), let settings = try? answer.settings() else {
      return nil
    }
    return NotificationSettingsValues(settings)
  }

  /// Replaces the notification types that the app wants.
  ///
  /// No prompt is shown if the app wants no types (S1-5, S4-5).
  func authorize(
    _ options: UNAuthorizationOptions,
    then: @escaping @MainActor @Sendable (UIApplication, NotificationSettingsValues?) -> Void
  ) {
    session.requestAuthorization(options.wire, replacesTypes: true) { result in
      let settings = (try? result.get()).flatMap { try? $0.settings() }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          then(.shared, settings.map { NotificationSettingsValues($0) })
        }
      }
    }
  }
}

extension NotificationSettingsValues {
  /// The types that the user allows, as the sum of the values that the older APIs share: 1 for badges, 2 for sounds,
  /// and 4 for alerts.
  var enabledTypes: UInt {
    guard authorizationStatus == .authorized || authorizationStatus == .provisional else {
      return 0
    }
    return (badge == .enabled ? 1 : 0) | (sound == .enabled ? 2 : 0) | (alert == .enabled ? 4 : 0)
  }
}
