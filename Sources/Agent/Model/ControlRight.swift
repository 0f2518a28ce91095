import AppWire

/// A right of a command to act for the user.
///
/// Each request needs one right.
enum ControlRight: Hashable, Sendable, CaseIterable {
  /// The right to read the list of apps, their settings, and the device's state.
  case readsState
  /// The right to read delivered and scheduled notifications.
  case readsNotifications
  /// The right to read the device tokens of apps.
  case readsTokens
  /// The right to add a notification for an app and to cancel pending notifications.
  case schedules
  /// The right to open, answer, and dismiss delivered notifications, and to receive a response instead of the app.
  ///
  /// Opening a notification runs the app's program.
  case actsForPerson
  /// The right to change permissions and the device's settings.
  case changesSettings
  /// The right to install and remove apps.
  ///
  /// The agent runs installed programs.
  case installs
  /// The right to move a manual clock, to set the location and the device's conditions, to disconnect from the gateway,
  /// and to cancel registrations.
  case movesDevice
}

extension ControlRequest {
  /// The right that this request needs.
  var right: ControlRight {
    switch self {
    case .apps, .appSettings, .clock, .diagnose: .readsState
    // A request without changes only reads. A request with changes overrides the conditions that the machine's services
    // report.
    case .state(let changes): changes.isEmpty ? .readsState : .movesDevice
    case .center, .scheduled, .nextDates: .readsNotifications
    case .token, .subscriptions: .readsTokens
    case .notify, .cancel: .schedules
    case .open, .act, .dismiss, .openCenter, .awaitResponse: .actsForPerson
    case .changeSettings: .changesSettings
    case .changeDevice(let changes): changes.isEmpty ? .readsState : .changesSettings
    case .install, .removeApp: .installs
    case .setClock, .advanceClock, .setZone, .setPlace, .moveLink, .unregister,
      .removeSubscription, .testSubscription:
      .movesDevice
    }
  }
}

extension ProcessIdentity {
  /// The rights of this process as a command.
  ///
  /// A user's process outside any sandbox could change the agent's files anyway. A sandboxed process could not, so it
  /// has no rights here.
  var controlRights: Set<ControlRight> {
    obstacle == nil && !isSandboxed ? Set(ControlRight.allCases) : []
  }
}
