import BelfryClient
import AppWire
import Foundation
import UserNotifications

extension UIApplication {
  /// Requests permission for the types in the settings, and sets the app's categories.
  ///
  /// The first request shows a prompt. The delegate receives the types that the user allows.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenter.requestAuthorization")
  public func registerUserNotificationSettings(
    _ notificationSettings: UIUserNotificationSettings
  ) {
    let refusal = LockedBox<AppLinkFailure?>(nil)
    session.send(
      .setCategories(
        (notificationSettings.categories ?? []).compactMap(\.wire).sorted { $0.id < $1.id })
    ) { result in
      // The agent answers this request before the authorization request, which is sent later.
      if case .failure(let failure) = result { refusal.withLock { $0 = failure } }
    }
    let options = UNAuthorizationOptions(rawValue: notificationSettings.types.rawValue & 0b111)
    let wanted = MainThreadOnly(notificationSettings.categories)
    authorize(options) { application, settings in
      let allowed = UIUserNotificationType(rawValue: settings?.enabledTypes ?? 0)
      var categories = wanted.value
      if let failure = refusal.withLock({ $0 }) {
        // The delegate receives the categories in effect, not the requested ones (S1-31).
        FileHandle.standardError.write(
          Data("the notification categories are not registered: \(failure.message)\n".utf8))
        categories = application.registeredCategories
      }
      application.delegate?.application(
        application,
        didRegister: UIUserNotificationSettings(types: allowed, categories: categories))
    }
  }

  /// The app's categories as the agent stores them; nil if the app has no categories.
  private var registeredCategories: Set<UIUserNotificationCategory>? {
    let categories = (try? session.call(.categories)).flatMap { try? $0.categories() } ?? []
    return categories.isEmpty ? nil : Set(categories.map { UIUserNotificationCategory($0) })
  }

  /// The types that the user allows and the app's categories; nil if the agent cannot be reached.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenter.notificationSettings()")
  public var currentUserNotificationSettings: UIUserNotificationSettings? {
    guard let settings = currentSettings() else { return nil }
    return UIUserNotificationSettings(
      types: UIUserNotificationType(rawValue: settings.enabledTypes),
      categories: registeredCategories)
  }
}
