@testable import Agent
import BelfryWire

/// Which apps hear where the device is: only those that a person lets know the place, all that follow it and run, and
/// those that wait for a region that it enters or leaves.
final class PlaceLedger {
  private unowned let world: AgentSimulation
  private var followers: Set<ConnectionID> = []
  /// Followers that have yet to be told the place of the event at hand.
  private var owed: Set<ConnectionID> = []

  /// What waits for a region that a command has the device enter or leave with the event at hand.
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
      // One of an app that was removed is refused.
      guard let app = world.ledger.knowledge.app(of: ask.connection),
        world.ledger.apps[app] != nil
      else { break }
      if isOn { followers.insert(ask.connection) } else { followers.remove(ask.connection) }
    case .appDisconnected(let connection): followers.remove(connection)
    // An app that is suspended does not learn where the device is: that is of no use to it once it runs on.
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

  /// The regions whose watchers are to be told of a place that a command names, which counts at once.
  private func crossings(_ latitude: Double, _ longitude: Double) -> Set<RegionKey> {
    Set(
      world.ledger.mirror[.regions].compactMap { name, value in
        guard let key = RegionRecord.key(name),
          let (region, _, before) = RegionRecord.read(value),
          case .circle(let centerLatitude, let centerLongitude, _) = region.shape,
          world.ledger.mayLocate(key.app)
        else { return nil }
        // Simulated places are a region's centre, or far away from it.
        let isInside = latitude == centerLatitude && longitude == centerLongitude
        let isCrossing = isInside ? before != .inside : before == .inside
        return isCrossing && (isInside ? region.notifiesOnEntry : region.notifiesOnExit) ? key : nil
      })
  }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    switch effect {
    // A service says where the device is.
    case .refuse: crossed = []
    case .tell(let connection, .place):
      owed.remove(connection)
      world.expect(
        mayLocate(connection), "an app is told the place, and may not know it")
      world.expect(followers.contains(connection), "an app is told a place that it does not follow")
    case .tell(let connection, .regionChanged(let region, let state)):
      world.expect(
        mayLocate(connection), "an app is told of the region \(region.id), and may not know it")
      checkIsWanted(region, state, "an app is told")
      if let app = world.ledger.knowledge.app(of: connection) {
        crossed.remove(.watched(app, UTF8Text(region.id)))
      }
    case .answer(let ask, let answer):
      guard let state = answer.frame.object["regionState"]?.stringValue else { break }
      world.expect(
        state == RegionState.unknown.rawValue || mayLocate(ask.connection),
        "an app is answered that it is \(state), and may not know that")
    default: break
    }
  }

  /// Whether the watcher of a region asked for such a crossing.
  func checkIsWanted(_ region: NotificationRegion, _ state: RegionState, _ what: String) {
    let isWanted =
      switch state {
      case .inside: region.notifiesOnEntry
      case .outside: region.notifiesOnExit
      case .unknown: false
      }
    world.expect(isWanted, "\(what) that the device is \(state) of \(region.id), unasked")
  }

  func onHandled() {
    world.expect(owed.isEmpty, "an app that follows the place is not told it")
    for key in crossed {
      switch key {
      case .request(let key):
        world.expect(
          world.ledger.schedule.firing.contains(key),
          "\(key.recordKey) waits for a place that is reached, and does not fire")
      case .watched(let app, let id):
        world.expect(
          world.ledger.knowledge.connections(of: app).isEmpty,
          "\(app) is not told that the device crossed \(id)")
      }
    }
  }
}
