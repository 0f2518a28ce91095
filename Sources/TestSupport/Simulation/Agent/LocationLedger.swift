import Agent
import BelfryWire
import AppWire

/// A check of location messages: they must reach every running app that follows the location and every app that waits
/// for the device to enter or leave a region, but no app without the user's permission.
final class LocationLedger {
  private unowned let world: AgentSimulation
  private var followers: Set<ConnectionID> = []
  /// The followers that have not yet received the location in the current event.
  private var owed: Set<ConnectionID> = []

  /// The regions that the device enters or leaves because of a command in the current event, if their watchers have not
  /// been notified yet.
  private var crossed: Set<RegionKey> = []

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() { followers = [] }

  func willHandle(_ event: AgentEvent) {
    owed = []
    crossed = []
    switch event {
    case .appRequested(_, .control(.setPlace(let latitude, let longitude))):
      crossed = crossings(latitude, longitude)
    case .appRequested(let ask, .setLocationUpdates(let isOn)):
      // A request from a removed app is refused.
      guard let app = world.ledger.knowledge.app(of: ask.connection),
        world.ledger.apps[app] != nil
      else { break }
      if isOn { followers.insert(ask.connection) } else { followers.remove(ask.connection) }
    case .appDisconnected(let connection): followers.remove(connection)
    // The agent does not send the location to a suspended app, because it would be outdated when the app resumes.
    case .located: owed = followers.filter { mayLocate($0) && !isSuspended($0) }
    default: break
    }
  }

  private func mayLocate(_ connection: ConnectionID) -> Bool {
    world.ledger.knowledge.app(of: connection).map(world.ledger.mayLocate) ?? false
  }

  private func isSuspended(_ connection: ConnectionID) -> Bool {
    world.ledger.knowledge.app(of: connection).map(world.ledger.suspension.suspended.contains)
      ?? false
  }

  /// Returns the regions that a location set by a command enters or leaves, if their watchers must be notified.
  ///
  /// The location takes effect immediately.
  private func crossings(_ latitude: Double, _ longitude: Double) -> Set<RegionKey> {
    Set(
      world.ledger.mirror[.regions].compactMap { name, value in
        guard let key = RegionRecord.key(name),
          let (region, _, before) = RegionRecord.read(value),
          case .circle(let centerLatitude, let centerLongitude, _) = region.shape,
          world.ledger.mayLocate(key.app)
        else { return nil }
        // A simulated location is either the center of a region or far away from it.
        let isInside = latitude == centerLatitude && longitude == centerLongitude
        let isCrossing = isInside ? before != .inside : before == .inside
        return isCrossing && (isInside ? region.notifiesOnEntry : region.notifiesOnExit) ? key : nil
      })
  }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    switch effect {
    // The command is refused because a location service reports the location.
    case .refuse: crossed = []
    case .tell(let connection, .place):
      owed.remove(connection)
      world.expect(
        mayLocate(connection), "an app received the location without permission")
      world.expect(
        followers.contains(connection), "an app received a location that it did not request")
    case .tell(let connection, .regionChanged(let region, let state)):
      world.expect(
        mayLocate(connection),
        "an app was notified about the region \(region.id) without permission")
      checkIsWanted(region, state, "an app was notified")
      if let app = world.ledger.knowledge.app(of: connection) {
        crossed.remove(.watched(app, UTF8Text(region.id)))
      }
    case .answer(let ask, let answer):
      guard let state = answer.frame.object["regionState"]?.stringValue else { break }
      world.expect(
        state == RegionState.unknown.rawValue || mayLocate(ask.connection),
        "an app received the region state \(state) without permission")
    default: break
    }
  }

  /// Checks that the region's watcher requested notifications about crossings in this direction.
  func checkIsWanted(_ region: NotificationRegion, _ state: RegionState, _ what: String) {
    let isWanted =
      switch state {
      case .inside: region.notifiesOnEntry
      case .outside: region.notifiesOnExit
      case .unknown: false
      }
    world.expect(
      isWanted, "\(what) for the state \(state) of \(region.id), which was not requested")
  }

  func onHandled() {
    world.expect(owed.isEmpty, "an app that follows the location did not receive it")
    for key in crossed {
      switch key {
      case .request(let key):
        world.expect(
          world.ledger.schedule.firing.contains(key),
          "\(key.recordKey) did not fire, although the device crossed its region")
      case .watched(let app, let id):
        world.expect(
          world.ledger.knowledge.connections(of: app).isEmpty,
          "\(app) was not notified that the device crossed \(id)")
      }
    }
  }
}
