import BelfryWire

/// What a command may do for the person; each request needs one.
enum ControlRight: Hashable, Sendable, CaseIterable {
  /// To read which apps there are, how they are set, and how the device stands.
  case readsState
  /// To read what was delivered and what is scheduled.
  case readsNotifications
  /// To read the device tokens of apps.
  case readsTokens
  /// To add a notification for an app and to cancel what waits.
  case schedules
  /// To open, answer and dismiss what was delivered: opening runs the app's program.
  case actsForPerson
  /// To change permissions and the device's settings.
  case changesSettings
  /// To install and remove apps: what is installed is run by the agent.
  case installs
  /// To move a manual clock, to set the place and the device's conditions.
  case movesDevice
}

extension ControlRequest {
  /// The right that this request needs.
  var right: ControlRight {
    switch self {
    case .apps, .appSettings, .clock, .diagnose: .readsState
    // Without changes it reads; with them it stands in for the machine's services.
    case .state(let changes): changes.isEmpty ? .readsState : .movesDevice
    case .center, .scheduled, .nextDates: .readsNotifications
    case .token: .readsTokens
    case .notify, .cancel: .schedules
    case .open, .act, .dismiss, .openCenter: .actsForPerson
    case .changeSettings: .changesSettings
    case .changeDevice(let changes): changes.isEmpty ? .readsState : .changesSettings
    case .install, .removeApp: .installs
    case .setClock, .advanceClock, .setZone, .setPlace: .movesDevice
    }
  }
}

extension ProcessIdentity {
  /// What a command that is this process may do.
  ///
  /// A process of the user outside any sandbox could change the agent's files just as well; a
  /// sandboxed one could not, and has no right here.
  var controlRights: Set<ControlRight> {
    obstacle == nil && !isSandboxed ? Set(ControlRight.allCases) : []
  }
}
