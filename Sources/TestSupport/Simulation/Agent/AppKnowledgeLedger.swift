import Agent
import AppWire

/// A check of the information that apps receive about themselves: each connected app must know its settings, badge,
/// tokens, and location permission, and receive every change to them.
final class AppKnowledgeLedger {
  private struct Knowledge {
    let app: AppID
    var settings: NotificationSettings
    var badge: Int64
    /// True if the agent is closing the connection.
    ///
    /// The connection's app might already have been removed or replaced.
    var isClosing = false
  }

  private unowned let world: AgentSimulation
  private var known: [ConnectionID: Knowledge] = [:]
  /// The apps whose records were changed by the current event.
  private var changed: Set<AppID> = []
  /// The location permission that was last sent to each app, or that the app had when it connected.
  private var statuses: [AppID: LocationStatus] = [:]
  private var hasChanged = false
  /// The messages about the current event that connections have not received yet.
  private var owed: Set<Message> = []

  private struct Message: Hashable {
    let connection: ConnectionID
    let event: AppEvent
  }

  init(in world: AgentSimulation) { self.world = world }

  /// Returns the app of a welcomed connection, or nil if the connection belongs to an extension.
  func app(of connection: ConnectionID) -> AppID? { known[connection]?.app }

  /// Returns the connections of an app, except those of its extensions, in order of arrival.
  func connections(of app: AppID?) -> [ConnectionID] {
    known.filter { app == nil || $0.value.app == app }.keys.sorted { $0.number < $1.number }
  }

  func agentCrashed() {
    known = [:]
    statuses = [:]
  }

  func willHandle(_ event: AgentEvent) {
    changed = []
    owed = []
    hasChanged = false
    if case .appDisconnected(let connection) = event { known[connection] = nil }
  }

  /// Handles a change of an app's record.
  func onChanged(from before: LocalApp, to after: LocalApp) {
    changed.insert(after.id)
    for (kind, registration) in after.registrations {
      guard let token = registration.token, token != before.registrations[kind]?.token else {
        continue
      }
      for connection in connections(of: after.id) where known[connection]?.isClosing == false {
        owed.insert(Message(connection: connection, event: .token(kind, token)))
      }
    }
  }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    switch effect {
    case .persist(.put(.apps, _, _)), .persist(.put(.device, _, _)): hasChanged = true
    case .persist(.remove(.apps, let key)): if let app = AppID(key) { statuses[app] = nil }
    case .answer(let ask, let answer):
      if case .appGreeted(ask, let hello, _) = event {
        onWelcome(ask.connection, hello, try? answer.welcome())
      } else if known[ask.connection] != nil, answer.frame.object["settings"] != nil,
        let settings = try? answer.settings()
      {
        known[ask.connection]?.settings = settings
      }
    case .close(let connection): known[connection]?.isClosing = true
    // The connections of a killed app no longer count, although they are still open.
    case .kill(let app): known = known.filter { $0.value.app != app }
    case .tell(let connection, let event): onTold(connection, event)
    default: break
    }
  }

  private func onWelcome(_ connection: ConnectionID, _ hello: AppHello, _ welcome: AppWelcome?) {
    guard let welcome, hello.role == .app else { return }
    guard let app = welcome.appID.flatMap(AppID.init) else {
      return world.fail("an app was welcomed without its ID")
    }
    known[connection] = Knowledge(app: app, settings: welcome.settings, badge: welcome.badge)
    changed.insert(app)
    statuses[app] = world.ledger.locationStatus(of: app)
  }

  private func onTold(_ connection: ConnectionID, _ event: AppEvent) {
    owed.remove(Message(connection: connection, event: event))
    guard let app = known[connection]?.app else { return }
    switch event {
    case .settings(let settings): known[connection]?.settings = settings
    case .badge(let badge): known[connection]?.badge = badge
    case .token(let kind, let token):
      world.expect(
        world.ledger.apps[app]?.registrations[kind]?.token == token,
        "\(app) received a token for \(kind) that does not match its registration")
    case .locationStatus(let status):
      world.expect(
        world.ledger.locationStatus(of: app) == status,
        "\(app) received the wrong location status \(status)")
      statuses[app] = status
    default: break
    }
  }

  func onHandled() {
    for message in owed {
      world.fail("connection \(message.connection.number) did not receive \(message.event)")
    }
    guard hasChanged || !changed.isEmpty else { return }
    let peers = known.values.filter { !$0.isClosing }
    for app in Set(peers.map(\.app)) where world.ledger.apps[app] != nil {
      guard let status = statuses[app] else { continue }
      world.expect(
        status == world.ledger.locationStatus(of: app),
        "\(app) was not notified of its current location status")
    }
    for peer in peers where changed.contains(peer.app) {
      guard let record = world.ledger.apps[peer.app] else { continue }
      world.expect(
        peer.settings == record.settings, "\(peer.app) was not notified of its current settings")
      world.expect(peer.badge == record.badge, "\(peer.app) was not notified of its current badge")
    }
  }
}
