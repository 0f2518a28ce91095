import Agent
import BelfryWire

/// A check of registrations at the gateway, which must know every stored registration and no others.
///
/// The ledger also checks registrations and tokens after the device gets a new identity or its data is moved to another
/// machine.
final class RegistrationLedger {
  private struct Registration: Hashable {
    let app: AppID
    let kind: TokenKind
  }

  private unowned let world: AgentSimulation
  /// The registrations that this run of the agent has sent to the gateway.
  private var announced: Set<Registration> = []
  private var hasChanged = false
  /// True if the agent is allowed to cancel a registration that it has not announced in this run.
  ///
  /// The registration might have been cancelled by an earlier run without an acknowledgment, or might have received a
  /// token after it was refused.
  private var mayCancelAgain = false
  /// The valid tokens, as far as this run of the agent knows.
  private var tokens: Set<[UInt8]> = []
  /// The registrations that existed before the current event replaced the device's identity.
  private var before: Set<Registration>?

  init(in world: AgentSimulation) { self.world = world }

  func agentStarts() {
    announced = []
    tokens = Set(
      world.ledger.apps.values.flatMap { app in app.registrations.values.compactMap(\.token) })
  }

  private var kept: Set<Registration> {
    Set(
      world.ledger.apps.values.flatMap { app in
        app.registrations.keys.map { Registration(app: app.id, kind: $0) }
      })
  }

  func willHandle(_ event: AgentEvent) {
    hasChanged = false
    mayCancelAgain = false
    before = nil
    switch event {
    case .machineReplaced: before = []
    case .identityReplaced:
      before = kept
      tokens = []
    case .registrationSucceeded(_, _, let token):
      tokens.insert(token)
      mayCancelAgain = true
    case .started:
      hasChanged = true
      mayCancelAgain = true
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
        announced.remove(Registration(app: app, kind: kind)) != nil || mayCancelAgain,
        "\(app) was unregistered for \(kind), although it was not registered")
    case .tell(_, .token(_, let token)):
      world.expect(tokens.contains(token), "an app received a token of a previous device identity")
    default: break
    }
  }

  func checkEnd() {
    let forgotten = world.pushService.tokensWithoutRegistration {
      kept.contains(Registration(app: $0, kind: $1))
    }
    world.expect(
      forgotten.isEmpty, "the gateway still has tokens of unregistered apps: \(forgotten)")
  }

  func onHandled() {
    if let before {
      world.expect(
        kept == before,
        before.isEmpty
          ? "an app is registered, although it was not launched on this machine"
          : "a registration changed when the device's identity was replaced")
    }
    guard world.ledger.hasStarted, hasChanged else { return }
    let kept = kept
    world.expect(
      kept == announced,
      "the registrations at the gateway do not match the records: "
        + "\(kept.symmetricDifference(announced).map { "\($0.app) \($0.kind)" }.sorted())")
  }
}
