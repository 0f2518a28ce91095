import Agent
import AppWire

/// A check of the user's responses to notifications: each response must reach the app once or wait for it in the
/// records.
final class ResponseLedger {
  private struct State {
    /// The records, by key.
    var waiting: [String: [UInt8]] = [:]
  }

  private unowned let world: AgentSimulation
  private var state = State()
  private var durable = State()
  /// The record that each question in this run concerns.
  private var asked: [Question: String] = [:]
  /// The notification on which the user acts in the current event, if the notification is in the list.
  private var actedOn: (key: AppNotificationID, order: Int64, action: PersonAction)?
  /// The user's choices on the locked screen, with the delivery order of their notifications.
  private var chosen: [AppNotificationID: Int64] = [:]
  /// The activation token of each choice on the locked screen.
  private var chosenTokens: [AppNotificationID: String] = [:]

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() {
    state = durable
    asked = [:]
    chosen = [:]
    chosenTokens = [:]
  }

  func onDurable() { durable = state }

  func willHandle(_ event: AgentEvent) {
    actedOn = nil
    switch event {
    case .notificationActedOn(let key, let action): actOn(key, action)
    // A content extension can open its notification, as a click does.
    case .appRequested(let ask, .contentWish(.open)):
      if let key = world.ledger.content.key(of: ask.connection) { actOn(key, .open) }
    default: break
    }
  }

  private func actOn(_ key: AppNotificationID, _ action: PersonAction) {
    if let entry = world.ledger.delivered(key) { actedOn = (key, entry.order, action) }
  }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    switch effect {
    case .persist(.put(.responses, let key, let value)):
      world.expect(
        state.waiting[key] == nil, "response \(key) was overwritten before its app received it")
      state.waiting[key] = value
    case .persist(.remove(.responses, let key)):
      checkMayGo(key, event)
      state.waiting[key] = nil
    case .ask(let question, .response(let response), _):
      // Sort the keys by number, because the agent sends the responses in that order.
      let keys = state.waiting.keys.sorted { ($0.count, $0) < ($1.count, $1) }
      let waiting = keys.filter { key in
        state.waiting[key].flatMap { Responses.Waiting(key: key, record: $0) }?.response == response
      }
      let open = asked.filter { world.ledger.conversations.questions.contains($0.key) }.values
      // Two firings of the same notification might have received the same response.
      guard let key = waiting.first(where: { !open.contains($0) }) else {
        return world.fail(
          waiting.isEmpty
            ? "an app received a response that was not pending for that app"
            : "an app received response \(waiting[0]) again before it answered")
      }
      world.expect(
        !isWithheld(key),
        "an app without access to the location received response \(key) to a region's notification")
      asked[question] = key
    case .launch(let order): checkActivation(order, event)
    default: break
    }
  }

  /// Checks that an activation token brings an app to the foreground only once, and only for the action that provided
  /// the token.
  private func checkActivation(_ order: LaunchOrder, _ event: AgentEvent) {
    world.expect(
      !order.isForeground || !world.ledger.conditions.isLocked,
      "\(order.app.id) was brought to the foreground on a locked screen")
    if case .notificationActedOn(let key, let action) = event {
      world.expect(
        order.activationToken == (order.isForeground ? action.activationToken : nil)
          || order.reason == .push,
        "an action on \(key.recordKey) started \(order.app.id) with the wrong token")
    } else if let token = order.activationToken {
      let brought = chosenTokens.filter { $0.key.app == order.app.id }.values
      world.expect(
        brought.contains(token), "\(order.app.id) was started with the token of another action")
    }
  }

  private func checkMayGo(_ key: String, _ event: AgentEvent) {
    let app = Self.app(of: key)
    switch event {
    case .appReplied(let question, _), .questionTimedOut(let question):
      if asked[question] == key { return }
    case .appRequested(_, .control(.removeApp(app))): return
    default: break
    }
    if isWithheld(key) { return }
    let count = state.waiting.keys.count { $0.hasPrefix(app + "/") }
    world.expect(
      count > Limits.waitingResponsesPerApp,
      "response \(key) was removed before its app received it")
  }

  /// Returns the ID of the app to which a record's key belongs.
  private static func app(of key: String) -> String { String(key.prefix { $0 != "/" }) }

  /// Returns true if a waiting response belongs to a region's notification whose app is not allowed to access the
  /// location (S1-66).
  private func isWithheld(_ key: String) -> Bool {
    guard let app = AppID(Self.app(of: key)), !world.ledger.mayLocate(app),
      let response = state.waiting[key].flatMap({ Responses.Waiting(key: key, record: $0) }),
      case .region? = response.retained.notification.request.trigger
    else { return false }
    return true
  }

  func onHandled(_ event: AgentEvent, _ effects: [AgentEffect]) {
    checkLockedChoices()
    guard let (key, order, action) = actedOn else { return }
    if world.ledger.conditions.isLocked, let token = action.activationToken {
      chosenTokens[key] = token
    }
    // A content extension decides the outcome for the notification. It might still be asked about an earlier action.
    guard !world.ledger.content.isAsked(key, order: order) else { return }
    let isThere = world.ledger.delivered(key)?.order == order
    let isKept = effects.contains {
      if case .persist(.put(.responses, _, _)) = $0 { true } else { false }
    }
    world.expect(
      isThere
        ? world.ledger.conditions.isLocked && !isKept
        : isKept || action.id == NotificationResponse.dismissAction,
      "the action on \(key.recordKey) was lost")
    world.expect(
      isThere || !world.ledger.conditions.isLocked
        || action.id != NotificationResponse.defaultAction,
      "\(key.recordKey) was opened on a locked screen")
    let isAsked = effects.contains { if case .ask(_, .response, _) = $0 { true } else { false } }
    world.expect(
      !isKept || isAsked || world.ledger.knowledge.connections(of: key.app).isEmpty,
      "\(key.app) is running, but did not receive the action on \(key.recordKey)")
    if isThere {
      chosen[key] = order
      chosenTokens[key] = action.activationToken
    }
  }

  /// Checks that choices on the locked screen are carried out once the screen is unlocked.
  private func checkLockedChoices() {
    guard !world.ledger.conditions.isLocked else { return }
    for (key, order) in chosen
    where world.ledger.delivered(key)?.order == order
      && !world.ledger.content.isAsked(key, order: order)
    {
      world.fail("the action on \(key.recordKey) was not performed after the screen was unlocked")
    }
    chosen = [:]
    chosenTokens = [:]
  }

  func checkEnd() {
    let waiting = state.waiting.keys.sorted()
    world.expect(waiting.isEmpty, "responses are waiting at the end of the run: \(waiting)")
  }
}
