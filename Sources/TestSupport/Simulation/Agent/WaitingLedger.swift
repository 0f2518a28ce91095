import Agent
import AppWire

/// A check of notifications from commands that wait for the user's permission.
///
/// The agent must ask the user, even if the agent is killed while the notifications wait. Every notification must
/// appear when permission is granted.
final class WaitingLedger {
  private struct Waiting: Hashable {
    let key: AppNotificationID
    let serial: Int64?
    /// The command's request; nil after the agent was killed, because the command then never gets an answer.
    var ask: RequestID?
  }

  private unowned let world: AgentSimulation
  private var waiting: [Waiting] = []
  private var durable: [Waiting] = []

  init(in world: AgentSimulation) { self.world = world }

  func onDurable() { durable = waiting }

  func agentCrashed() {
    waiting = durable.map { Waiting(key: $0.key, serial: $0.serial) }
    durable = waiting
  }

  func onHandled(_ event: AgentEvent, _ effects: [AgentEffect]) {
    for effect in effects { waiting.removeAll { isAbout($0, effect) } }
    waiting.removeAll { mayGo($0, event) }
    addNew(event, effects)
    guard world.ledger.hasStarted else { return }
    for one in waiting {
      world.expect(
        world.ledger.conversations.isQuestionOpen(of: one.key.app),
        "\(one.key.recordKey) is waiting for permission, but no prompt is open")
    }
  }

  /// Adds a command's notification that was neither answered nor refused.
  private func addNew(_ event: AgentEvent, _ effects: [AgentEffect]) {
    guard case .appRequested(let ask, .control(.notify(let name, let request))) = event,
      let app = AppID(name), request.content.hasAlert
    else { return }
    let isSettled = effects.contains { effect in
      switch effect {
      case .answer(ask, _), .refuse(ask, _): true
      default: false
      }
    }
    guard !isSettled else { return }
    waiting.append(
      Waiting(
        key: AppNotificationID(app: app, id: request.id), serial: Self.serial(request), ask: ask))
  }

  private static func serial(_ request: NotificationRequest?) -> Int64? {
    request?.content.userInfo["serial"]?.integerValue
  }

  /// Returns true if an effect shows, schedules, or refuses the notification, or a later notification with the same
  /// identifier.
  private func isAbout(_ one: Waiting, _ effect: AgentEffect) -> Bool {
    switch effect {
    case .persist(.put(.pending, one.key.recordKey, let value)):
      isAtLeast(one, Self.serial(try? NotificationRequest(decoding: value)))
    case .persist(.put(.delivered, one.key.recordKey, let value)):
      isAtLeast(
        one, Self.serial(DeliveredList.Entry(record: value)?.retained.notification.request))
    // The app's switches can keep the notification off the screen and out of the list.
    case .suppressed(one.key, _), .sound(one.key, _, _): true
    case .answer(let ask, _), .refuse(let ask, _): ask == one.ask
    case .log(.waitingNotificationRefused(one.key, _)): true
    default: false
    }
  }

  private func isAtLeast(_ one: Waiting, _ serial: Int64?) -> Bool {
    guard let serial, let own = one.serial else { return serial == one.serial }
    return serial >= own
  }

  /// Returns true if, in the current event, the user decides against the notification, a command cancels it, or the app
  /// is removed.
  private func mayGo(_ one: Waiting, _ event: AgentEvent) -> Bool {
    if case .appRequested(_, .control(.cancel(let app, let id))) = event,
      app ?? one.key.app.text == one.key.app.text, id ?? one.key.id == one.key.id
    {
      return true
    }
    guard let app = world.ledger.apps[one.key.app], app.status != .denied else { return true }
    return world.ledger.conversations.wasAnswered(app.id, .notifications, isAllowed: nil)
  }

  func checkEnd() {
    let keys = waiting.map(\.key.recordKey)
    world.expect(
      keys.isEmpty, "notifications are waiting for permission at the end of the run: \(keys)")
  }
}
