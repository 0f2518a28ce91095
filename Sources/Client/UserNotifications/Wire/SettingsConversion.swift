package import AppWire

extension NotificationSettingsValues {
  package init(_ settings: AppWire.NotificationSettings) {
    self.init()
    authorizationStatus = .init(settings.status)
    sound = .init(settings.sound)
    badge = .init(settings.badge)
    alert = .init(settings.alert)
    notificationCenter = .init(settings.center)
    lockScreen = .init(settings.lockScreen)
    carPlay = .init(settings.carPlay)
    criticalAlert = .init(settings.criticalAlert)
    announcement = .init(settings.announcement)
    timeSensitive = .init(settings.timeSensitive)
    scheduledDelivery = .init(settings.scheduledDelivery)
    directMessages = .init(settings.directMessages)
    providesAppNotificationSettings = settings.providesAppSettings
    alertStyle =
      switch settings.alertStyle {
      case .none: .none
      case .banner: .banner
      case .alert: .alert
      }
    showPreviews =
      switch settings.previews {
      case .always: .always
      case .whenAuthenticated: .whenAuthenticated
      case .never: .never
      }
  }
}

extension UNAuthorizationStatus {
  package init(_ status: AuthorizationStatus) {
    self =
      switch status {
      case .notDetermined: .notDetermined
      case .denied: .denied
      case .authorized: .authorized
      case .provisional: .provisional
      }
  }
}

extension UNNotificationSetting {
  package init(_ setting: AppWire.NotificationSettings.Switch) {
    self =
      switch setting {
      case .notSupported: .notSupported
      case .disabled: .disabled
      case .enabled: .enabled
      }
  }
}

extension UNAuthorizationOptions {
  /// The options in the agent's wire format.
  package var wire: Set<AuthorizationOption> {
    Set(Self.names.compactMap { contains($0.0) ? $0.1 : nil })
  }

  private static let names: [(UNAuthorizationOptions, AuthorizationOption)] = [
    (.badge, .badge), (.sound, .sound), (.alert, .alert), (.carPlay, .carPlay),
    (.criticalAlert, .criticalAlert),
    (.providesAppNotificationSettings, .providesAppNotificationSettings),
    (.provisional, .provisional), (.announcement, .announcement),
    (.timeSensitive, .timeSensitive),
  ]
}

extension UNNotificationPresentationOptions {
  /// The options in the agent's wire format.
  package var wire: Set<PresentationOption> {
    Set(Self.names.compactMap { contains($0.0) ? $0.1 : nil })
  }

  private static let names: [(UNNotificationPresentationOptions, PresentationOption)] = [
    (.badge, .badge), (.sound, .sound), (.alert, .alert), (.list, .list), (.banner, .banner),
  ]
}
