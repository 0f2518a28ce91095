import BelfryWire

/// A right of a command to act for the user; each request needs one.
enum ControlRight: Hashable, Sendable, CaseIterable {
  /// To read the list of apps, their settings, and the device's state.
  case readsState
  /// To read delivered and scheduled notifications.
  case readsNotifications
  /// To read the device tokens of apps.
  case readsTokens
  /// To add a notification for an app and to cancel pending ones.
  case schedules
  /// To open, answer and dismiss delivered notifications, and to get a response instead of the app; opening one runs
  /// the app's program.
  case actsForPerson
  /// To change permissions and the device's settings.
  case changesSettings
  /// To install and remove apps; the agent runs installed programs.
  case installs
  /// To move a manual clock, to set the location and the device's conditions, to close the link to the gateway and to
  /// cancel registrations.
  case movesDevice
}

extension ControlRequest {
  /// The right that this request needs.
  var right: ControlRight {
    switch self {
    case .apps, .appSettings, .clock, .diagnose: .readsState
    // Without changes, the request reads; with changes, it replaces the machine's services.
    case .state(let changes): changes.isEmpty ? .readsState : .movesDevice
    case .center, .scheduled, .nextDates: .readsNotifications
    case .token: .readsTokens
    case .notify, .cancel: .schedules
    case .open, .act, .dismiss, .openCenter, .awaitResponse: .actsForPerson
    case .changeSettings: .changesSettings
    case .changeDevice(let changes): changes.isEmpty ? .readsState : .changesSettings
    case .install, .removeApp: .installs
    case .setClock, .advanceClock, .setZone, .setPlace, .moveLink, .unregister:
      .movesDevice
    }
  }
}

extension ProcessIdentity {
  /// The rights of a command that is this process.
  ///
  /// A user's process outside any sandbox could change the agent's files anyway. A sandboxed process could not, so it
  /// has no right here.
  var controlRights: Set<ControlRight> {
    obstacle == nil && !isSandboxed ? Set(ControlRight.allCases) : []
  }
}
