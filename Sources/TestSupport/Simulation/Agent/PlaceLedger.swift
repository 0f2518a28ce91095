@testable import Agent
import BelfryWire

/// Who hears where the device is: only whom a person lets know the place, and everybody who follows it and runs.
final class PlaceLedger {
  private unowned let world: AgentSimulation
  private var followers: Set<ConnectionID> = []
  /// Followers that have yet to be told the place of the event at hand.
  private var owed: Set<ConnectionID> = []

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() { followers = [] }

  func willHandle(_ event: AgentEvent) {
    owed = []
    switch event {
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

  func onDecided(_ effect: AgentEffect) {
    switch effect {
    case .tell(let connection, .place):
      owed.remove(connection)
      world.expect(
        mayLocate(connection), "an app is told the place, and may not know it")
      world.expect(followers.contains(connection), "an app is told a place that it does not follow")
    case .tell(let connection, .regionChanged(let region, let state)):
      world.expect(
        mayLocate(connection), "an app is told of the region \(region.id), and may not know it")
      checkIsWanted(region, state, "an app is told")
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
  }
}
