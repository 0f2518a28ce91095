import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

extension UIApplication {
  /// Asks for permission for types, with a question the first time, and sets the app's categories.
  ///
  /// The delegate gets what the user allows.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenter.requestAuthorization")
  public func registerUserNotificationSettings(
    _ notificationSettings: UIUserNotificationSettings
  ) {
    let categories = notificationSettings.categories
    session.send(.setCategories((categories ?? []).compactMap(\.wire).sorted { $0.id < $1.id }))
    let options = UNAuthorizationOptions(rawValue: notificationSettings.types.rawValue & 0b111)
    authorize(options) { application, settings in
      let allowed = UIUserNotificationType(rawValue: settings?.enabledTypes ?? 0)
      application.delegate?.application(
        application,
        didRegister: UIUserNotificationSettings(types: allowed, categories: categories))
    }
  }

  /// What the user allows now, with the app's categories; nil when the agent cannot be reached.
  @available(iOS, deprecated: 10.0, message: "Use UNUserNotificationCenter.notificationSettings()")
  public var currentUserNotificationSettings: UIUserNotificationSettings? {
    guard let settings = currentSettings() else { return nil }
    let categories = (try? session.call(.categories)).flatMap { try? $0.categories() } ?? []
    return UIUserNotificationSettings(
      types: UIUserNotificationType(rawValue: settings.enabledTypes),
      categories: categories.isEmpty
        ? nil : Set(categories.map { UIUserNotificationCategory($0) }))
  }
}
