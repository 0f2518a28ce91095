import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

extension UIApplication {
  /// Registers the app for pushes: the delegate gets the token, or an error.
  ///
  /// Registering again returns the existing token at once.
  public func registerForRemoteNotifications() {
    session.send(.register(.alert)) { [weak self] result in
      guard case .failure(let failure) = result else { return }
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self?.registrationFailed(failure) }
      }
    }
  }

  /// No more pushes, until the app registers again.
  public func unregisterForRemoteNotifications() { session.send(.unregister(.alert)) }

  /// Whether the app is registered for pushes.
  public var isRegisteredForRemoteNotifications: Bool { session.isRegistered }

  /// Asks for permission for the types, with a question the first time, and registers for pushes.
  @available(iOS, deprecated: 8.0, message: "Use registerForRemoteNotifications()")
  public func registerForRemoteNotifications(matching types: UIRemoteNotificationType) {
    authorize(UNAuthorizationOptions(rawValue: types.rawValue & 0b111)) { application, _ in
      application.registerForRemoteNotifications()
    }
  }

  /// What pushes may do now; nothing when the app is not registered.
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

  /// What the agent allows now; nil when it cannot be reached.
  func currentSettings() -> NotificationSettingsValues? {
    guard let answer = try? session.call(.settings), let settings = try? answer.settings() else {
      return nil
    }
    return NotificationSettingsValues(settings)
  }

  /// Registers all types that the app wants from now on, without a prompt if it wants no type (S1-5, S4-5).
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
  /// The bits that the older interfaces have in common: badge 1, sound 2, alert 4.
  var enabledTypes: UInt {
    guard authorizationStatus == .authorized || authorizationStatus == .provisional else {
      return 0
    }
    return (badge == .enabled ? 1 : 0) | (sound == .enabled ? 2 : 0) | (alert == .enabled ? 4 : 0)
  }
}
