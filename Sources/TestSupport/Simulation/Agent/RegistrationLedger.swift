@testable import Agent
import BelfryWire

/// What the gateway is to know: every registration that is kept, and no other one.
final class RegistrationLedger {
  private struct Registration: Hashable {
    let app: AppID
    let kind: TokenKind
  }

  private unowned let world: AgentSimulation
  /// What this run of the agent has told the gateway.
  private var announced: Set<Registration> = []
  private var hasChanged = false

  init(in world: AgentSimulation) { self.world = world }

  func agentStarts() { announced = [] }

  func willHandle(_ event: AgentEvent) {
    hasChanged = false
    switch event {
    case .started: hasChanged = true
    case .registrationRefused(let app, let kind, _):
      announced.remove(Registration(app: app, kind: kind))
      hasChanged = true
    default: break
    }
  }

  func onDecided(_ effect: AgentEffect) {
    switch effect {
    case .persist(.put(.apps, _, _)), .persist(.remove(.apps, _)): hasChanged = true
    case .register(let app, let kind):
      announced.insert(Registration(app: app, kind: kind))
      hasChanged = true
    case .unregister(let app, let kind):
      world.expect(
        announced.remove(Registration(app: app, kind: kind)) != nil,
        "\(app) is unregistered for \(kind), and was not registered")
    default: break
    }
  }

  func onHandled() {
    guard world.ledger.hasStarted, hasChanged else { return }
    let kept = Set(
      world.ledger.apps.values.flatMap { app in
        app.registrations.keys.map { Registration(app: app.id, kind: $0) }
      })
    world.expect(
      kept == announced,
      "the gateway does not know the registrations that are kept: "
        + "\(kept.symmetricDifference(announced).map { "\($0.app) \($0.kind)" }.sorted())")
  }
}
