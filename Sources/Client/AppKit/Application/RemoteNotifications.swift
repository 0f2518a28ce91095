import AppLink
import BelfryClient
import BelfryWire
import AppWire
import Foundation
import UserNotifications

extension NSApplication {
  /// The ways in which pushes may alert the user.
  @available(macOS, deprecated: 10.14, message: "Use UNAuthorizationOptions")
  public struct RemoteNotificationType: OptionSet, Sendable {
    /// The raw bits of the set, as on Apple's systems.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The app may change the number on its icon.
    public static let badge = RemoteNotificationType(rawValue: 1 << 0)

    /// The app may play sounds.
    public static let sound = RemoteNotificationType(rawValue: 1 << 1)

    /// The app may show alerts.
    public static let alert = RemoteNotificationType(rawValue: 1 << 2)
  }

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
  @available(macOS, deprecated: 10.14, message: "Use registerForRemoteNotifications()")
  public func registerForRemoteNotifications(matching types: NSApplication.RemoteNotificationType) {
    let options = UNAuthorizationOptions(rawValue: types.rawValue & 0b111)
    guard !options.isEmpty else { return registerForRemoteNotifications() }
    session.requestAuthorization(options.wire, replacesTypes: true) { _ in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { NSApplication.shared.registerForRemoteNotifications() }
      }
    }
  }

  /// The ways in which pushes may alert the user; empty if the app is not registered.
  @available(macOS, deprecated: 10.14, message: "Use UNUserNotificationCenter")
  public var enabledRemoteNotificationTypes: NSApplication.RemoteNotificationType {
    guard
      session.isRegistered, let answer = try? session.call(.settings),
      let settings = try? answer.settings(), settings.status.allows
    else { return [] }
    var types: RemoteNotificationType = []
    if settings.badge == .enabled { types.insert(.badge) }
    if settings.sound == .enabled { types.insert(.sound) }
    if settings.alert == .enabled { types.insert(.alert) }
    return types
  }

  func registrationFailed(_ failure: AppLinkFailure) {
    delegate?.application(
      self, didFailToRegisterForRemoteNotificationsWithError: failure.registrationError)
  }

  /// Subscribes to the agent's events and to its requests to activate the app.
  func listen() {
    session.listen(as: .application) { [weak self] event, question in
      self?.handle(event, question) ?? false
    }
    session.listenForActivation { [weak self] _ in self?.becomeActive() }
  }

  private func handle(_ event: AppEvent, _ question: AppLinkQuestion?) -> Bool {
    switch event {
    case .token(.alert, let token):
      delegate?.application(
        self, didRegisterForRemoteNotificationsWithDeviceToken: Data(token))
    case .registrationFailed(.alert, let failure): registrationFailed(failure)
    case .arrived(let arrival) where arrival.kind == .alert:
      // If the agent expects no answer, the push only shows a notification. If the notification center has a delegate,
      // that delegate handles such a push.
      if question == nil, UNUserNotificationCenter.current().delegate != nil { return true }
      receive(arrival.payload)
      question?.reply(.fetched(.newData))
    case .willPresent(let delivered) where delivered.request.content.generation != .desktop:
      // Do not call the delegate here: a push is also delivered as an `arrived` event.
      question?.reply(.present([]))
    case .response(let response)
    where response.notification.request.content.generation != .desktop:
      question?.reply(.handled)
    case .state(.foreground): becomeActive(isKnown: true)
    case .state(.background): resignActive()
    default: return false
    }
    return true
  }

  private func receive(_ payload: [UInt8]) {
    var userInfo: [String: Any] = [:]
    for (key, value) in UserInfoCoding.payload(payload) {
      if let key = key as? String { userInfo[key] = value }
    }
    delegate?.application(self, didReceiveRemoteNotification: userInfo)
  }
}
