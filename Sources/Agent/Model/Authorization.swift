public import AppWire

/// The policy for answering an app's authorization request (`belfry agent --grant`).
public enum GrantPolicy: Hashable, Sendable {
  /// Ask the user through the running presenter.
  case ask
  /// Grant everything that was requested.
  case all
  /// Grant the request, but turn off all switches except those for these types.
  case types(Set<AuthorizationOption>)
  /// Deny the request without asking the user.
  case none
}

extension LocalApp {
  /// The outcome of an authorization request.
  enum AuthorizationOutcome: Hashable {
    /// The request is answered: the user decided earlier, or no decision is needed.
    case answered
    /// The user must decide.
    case undecided
  }

  /// Handles an app's request for permission.
  ///
  /// Only the first request asks the user (S1-7, S2-9). Later requests report the decision and add switches or, if they
  /// register types, replace the previous types (S4-5).
  mutating func requestAuthorization(
    _ options: Set<AuthorizationOption>, replacesTypes: Bool = false, policy: GrantPolicy
  ) -> AuthorizationOutcome {
    isInSettings = true
    if replacesTypes {
      registeredTypes = options
    } else {
      asked.formUnion(options.subtracting([.provisional]))
    }
    // An empty request does not ask the user anything.
    guard !options.isEmpty,
      status == .notDetermined || (status == .provisional && !options.contains(.provisional))
    else { return .answered }
    if options.contains(.provisional) {
      status = .provisional
      return .answered
    }
    switch policy {
    case .ask: return .undecided
    case .all: decideAuthorization(isAllowed: true)
    case .none: decideAuthorization(isAllowed: false)
    case .types(let types):
      decideAuthorization(isAllowed: true)
      switches.alert = types.contains(.alert)
      switches.sound = types.contains(.sound)
      switches.badge = types.contains(.badge)
    }
    return .answered
  }

  /// Requests authorization for an app that shows a notification through an interface without authorization requests:
  /// `NSUserNotification` needs none (S1-1), and `UILocalNotification` had none before iOS 8.
  ///
  /// If the app never asked, this method requests all options that a notification of the interface can use. A Mac app
  /// may show notifications until the user turns them off.
  mutating func requestAuthorization(
    with generation: NotificationGeneration, policy: GrantPolicy
  ) -> AuthorizationOutcome {
    assert(
      generation != .userNotification,
      "only an older interface requests authorization implicitly")
    let hasAsked = !requested.isEmpty
    let asksNobody = generation == .desktop && !hasAsked && policy == .ask
    return requestAuthorization(
      hasAsked ? requested : Self.olderInterfaceOptions,
      // The types that a Mac app registers for pushes do not apply to its own notifications (S1-1).
      replacesTypes: !hasAsked && generation == .local, policy: asksNobody ? .all : policy)
  }

  /// The options that notifications of the older interfaces can use.
  static let olderInterfaceOptions: Set<AuthorizationOption> = [.alert, .sound, .badge]

  /// True if a command that notifies for the app must request the options on the app's behalf.
  ///
  /// If the user allows an app before the app has asked, the app's notifications cannot be seen or heard without these
  /// options. An app that registered an empty set of types chose to be silent.
  var needsCommandOptions: Bool {
    switch status {
    case .notDetermined: true
    case .authorized: requested.isEmpty && registeredTypes == nil
    case .denied, .provisional: false
    }
  }

  /// Records the decision of the user or of the policy.
  mutating func decideAuthorization(isAllowed: Bool) {
    status = isAllowed ? .authorized : .denied
  }

  /// The app's notification settings, with a switch for each type that the app requested (S4-5).
  package var settings: NotificationSettings {
    var settings = NotificationSettings()
    settings.status = status
    func state(_ isOn: Bool, _ option: AuthorizationOption) -> NotificationSettings.Switch {
      guard requested.contains(option) else { return .notSupported }
      return isOn && status.allows ? .enabled : .disabled
    }
    settings.alert = state(switches.alert, .alert)
    settings.sound = state(switches.sound, .sound)
    settings.badge = state(switches.badge, .badge)
    if claims(.criticalAlerts) {
      settings.criticalAlert = state(switches.criticalAlert, .criticalAlert)
    }
    if installation != nil, !requested.isEmpty, claims(.timeSensitive) {
      // An installed app needs only the entitlement, because the option is deprecated.
      settings.timeSensitive = switches.timeSensitive && status.allows ? .enabled : .disabled
    } else if claims(.timeSensitive) {
      settings.timeSensitive = state(switches.timeSensitive, .timeSensitive)
    }
    if !requested.isEmpty {
      settings.center = switches.center && status.allows ? .enabled : .disabled
      settings.lockScreen = switches.lockScreen && status.allows ? .enabled : .disabled
    }
    settings.alertStyle = settings.alert == .enabled ? switches.alertStyle : .none
    settings.previews = switches.previews
    settings.providesAppSettings = requested.contains(.providesAppNotificationSettings)
    return settings
  }
}
