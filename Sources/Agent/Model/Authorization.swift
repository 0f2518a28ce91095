public import BelfryWire

/// How an app's request for authorisation is answered (`belfry agent --grant`).
public enum GrantPolicy: Hashable, Sendable {
  /// Ask the person.
  case ask
  /// Grant everything that was asked for.
  case all
  /// Grant, with the switches of all but these types off.
  case types(Set<AuthorizationOption>)
  /// Deny.
  case none
}

extension LocalApp {
  /// The outcome of a request for authorisation.
  enum AuthorizationOutcome: Hashable {
    /// Answered: the person has decided before, or need not decide.
    case answered
    /// The person has to decide.
    case undecided
  }

  /// Handles an app's request for permission.
  ///
  /// Only the first request makes a person decide (S1-7, S2-9); later ones report, and add switches or, where they
  /// register types, replace those of the types before (S4-5).
  mutating func requestAuthorization(
    _ options: Set<AuthorizationOption>, replacesTypes: Bool = false, policy: GrantPolicy
  ) -> AuthorizationOutcome {
    isInSettings = true
    if replacesTypes {
      registeredTypes = options
    } else {
      asked.formUnion(options.subtracting([.provisional]))
    }
    // A request for nothing is no question.
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

  /// The app shows a notification through an interface that knows no request for authorisation:
  /// `NSUserNotification` needs none (S1-1), `UILocalNotification` had none before iOS 8.
  ///
  /// What was never asked for is asked for now: all that such a notification can do. A Mac app may
  /// notify until the person turns it off.
  mutating func requestAuthorization(
    with generation: NotificationGeneration, policy: GrantPolicy
  ) -> AuthorizationOutcome {
    assert(generation != .userNotification, "an app of today's interface asks by itself")
    let hasAsked = !requested.isEmpty
    let asksNobody = generation == .desktop && !hasAsked && policy == .ask
    return requestAuthorization(
      hasAsked ? requested : Self.olderInterfaceOptions,
      // The types that a Mac app registers for pushes do not apply to its own notifications (S1-1).
      replacesTypes: !hasAsked && generation == .local, policy: asksNobody ? .all : policy)
  }

  /// What notifications of the older interfaces can do.
  static let olderInterfaceOptions: Set<AuthorizationOption> = [.alert, .sound, .badge]

  /// Records the decision of the person or of the policy.
  mutating func decideAuthorization(isAllowed: Bool) {
    status = isAllowed ? .authorized : .denied
  }

  /// The app's notification settings, with a switch for each type that it asked for (S4-5).
  var settings: NotificationSettings {
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
      // The entitlement replaces the option, which is deprecated.
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
