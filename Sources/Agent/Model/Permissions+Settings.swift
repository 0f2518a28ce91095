import AppWire

/// Changes to settings without a prompt, and the messages that tell apps about them.
extension Permissions {
  /// Adds an option that a command requests on behalf of an app that is not installed, and notifies the app.
  func request(_ option: AuthorizationOption, for app: AppID, _ context: inout AgentContext) {
    guard let record = context.apps[app], record.installation == nil else { return }
    let before = context.settings(of: app)
    context.update(app) { $0.asked.insert(option) }
    tellSettings(app, before, &context)
  }

  /// Sets an app's location permission, and notifies the app.
  func setLocation(_ app: AppID, _ status: LocationStatus, _ context: inout AgentContext) {
    guard context.apps[app]?.locationStatus != status else { return }
    context.update(app) { $0.locationStatus = status }
    tellLocation(app, &context)
  }

  /// Turns location services on or off for the device (S1-73).
  func setLocation(isOn: Bool, _ context: inout AgentContext) {
    guard isOn != context.apps.isLocationOn else { return }
    context.setLocation(isOn: isOn)
    for app in context.apps.all where app.locationStatus != .notDetermined {
      tellLocation(app.id, &context)
    }
  }

  func tellSettings(
    _ app: AppID, _ before: NotificationSettings, _ context: inout AgentContext
  ) {
    let settings = context.settings(of: app)
    if settings != before { context.tell(app, .settings(settings)) }
  }

  func tellLocation(_ app: AppID, _ context: inout AgentContext) {
    context.tell(app, .locationStatus(context.apps.locationStatus(of: app)))
  }
}
