import Agent
import AppWire

/// A check of content extensions: each extension must show the notification of its window, and exit when the
/// notification or the window is gone.
///
/// The ledger also checks the outcome for a notification whose action an extension handles.
final class ContentLedger {
  /// A process that was started for a window.
  private struct Job {
    let key: AppNotificationID
    let executable: String
    /// The process's connection; nil until the agent has accepted it.
    var connection: ConnectionID?
    /// The notification that the agent last told the extension to show.
    var told: DeliveredNotification?
    var hasDrawn = false
    /// The image files that the extension shows.
    var paths: Set<String> = []
    /// True if the extension's window is closed.
    var isUnwanted = false
    /// True if the agent is closing the extension's connection.
    var isClosing = false
  }

  /// An action that the agent asked an extension to handle.
  private struct Pressed {
    let key: AppNotificationID
    let order: Int64
    let action: String
  }

  private unowned let world: AgentSimulation
  /// The processes, by launch token.
  private var jobs: [String: Job] = [:]
  private var tokens: [ConnectionID: String] = [:]
  private var pressed: [Question: Pressed] = [:]
  /// The delivery order of each notification whose action must be forwarded once the screen is unlocked.
  private var held: [AppNotificationID: Int64] = [:]
  /// The actions that extensions decided in the current event, for notifications that still exist.
  private var settled: [(pressed: Pressed, option: ContentExtensionOption, needsUnlock: Bool)] = []
  /// The drawing that an extension sent in the current event.
  private var drawn: (key: AppNotificationID, drawing: NotificationDrawing)?

  init(in world: AgentSimulation) { self.world = world }

  /// Returns the files that an app's extensions show.
  func paths(of app: AppID) -> Set<String> {
    jobs.values.filter { $0.key.app == app && isWanted($0) }
      .reduce(into: []) { $0.formUnion($1.paths) }
  }

  /// Returns true if the window is open and its notification still belongs to the extension.
  private func isWanted(_ job: Job) -> Bool {
    !job.isUnwanted && program(of: job.key) == job.executable
  }

  /// Returns the notification that the extension on a connection shows.
  func key(of connection: ConnectionID) -> AppNotificationID? {
    tokens[connection].flatMap { jobs[$0] }.flatMap { $0.isClosing ? nil : $0.key }
  }

  /// Returns true if an extension has not yet decided the outcome for a notification.
  func isAsked(_ key: AppNotificationID, order: Int64) -> Bool {
    pressed.values.contains { $0.key == key && $0.order == order }
  }

  func agentCrashed() {
    jobs = [:]
    tokens = [:]
    pressed = [:]
    held = [:]
  }

  // MARK: Events

  func willHandle(_ event: AgentEvent) {
    settled = []
    drawn = nil
    switch event {
    case .notificationWindow(let key, isOpen: false):
      for (token, job) in jobs where job.key == key { end(token, job) }
    case .appRequested(let ask, .setDrawing(let drawing)):
      guard let token = tokens[ask.connection], let job = jobs[token], !job.isClosing else { break }
      jobs[token]?.hasDrawn = true
      jobs[token]?.paths = Set(drawing.paths)
      drawn = (job.key, drawing)
    case .appReplied(let question, .contentOption(let option)): settle(question, option)
    case .appReplied(let question, _), .questionTimedOut(let question):
      settle(question, .dismissAndForwardAction)
    case .appDisconnected(let connection):
      for question in pressed.keys where question.connection == connection {
        settle(question, .dismissAndForwardAction)
      }
      guard let token = tokens.removeValue(forKey: connection), let job = jobs[token] else { break }
      jobs[token]?.connection = nil
      if !job.hasDrawn || job.isClosing { jobs[token] = nil }
    case .extensionEnded(let token), .extensionFailed(let token):
      if let job = jobs[token], job.connection == nil, !job.hasDrawn { jobs[token] = nil }
    default: break
    }
  }

  private func settle(_ question: Question, _ option: ContentExtensionOption) {
    guard let pressed = pressed.removeValue(forKey: question),
      world.ledger.delivered(pressed.key)?.order == pressed.order
    else { return }
    // Compute this before the event, which can remove the notification.
    let needsUnlock = world.ledger.delivered(pressed.key).map { self.needsUnlock(pressed, $0) }
    settled.append((pressed, option, needsUnlock ?? false))
  }

  /// Marks an extension as no longer needed.
  ///
  /// The current event must stop the extension, unless it never connected.
  private func end(_ token: String, _ job: Job) {
    jobs[token] = job.connection == nil ? nil : job
    jobs[token]?.isUnwanted = true
    jobs[token]?.paths = []
  }

  // MARK: Decisions

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    switch effect {
    case .startExtension(let order):
      if case .pushReceived = event { break }
      onStarted(order, event)
    case .answer(let ask, _):
      guard case .appGreeted(ask, let hello, _) = event, hello.role == .contentExtension,
        let token = hello.launch, jobs[token] != nil, jobs[token]?.connection == nil
      else { break }
      jobs[token]?.connection = ask.connection
      tokens[ask.connection] = token
    case .tell(let connection, .showContent(let notification)):
      guard let token = tokens[connection], let key = key(of: connection) else {
        return world.fail("a notification was sent to a connection that must not show one")
      }
      world.expect(
        notification == world.ledger.delivered(key)?.retained.notification,
        "the extension of \(key.recordKey) received another notification to show")
      jobs[token]?.told = notification
    case .draw(let key, let drawing): onDrawn(key, drawing)
    case .ask(let question, .contentAction(let response), _): onAsked(question, response)
    case .close(let connection):
      guard let token = tokens[connection] else { break }
      jobs[token]?.isClosing = true
      jobs[token]?.paths = []
    default: break
    }
  }

  private func onStarted(_ order: ExtensionOrder, _ event: AgentEvent) {
    guard case .notificationWindow(let key, isOpen: true) = event, key.app == order.app,
      program(of: key) == order.executable
    else {
      return world.fail(
        "an extension of \(order.app) was started without an open notification of the app")
    }
    world.expect(
      !jobs.values.contains { $0.key == key && !$0.isUnwanted && !$0.isClosing },
      "two extensions show \(key.recordKey)")
    jobs[order.token] = Job(key: key, executable: order.executable)
  }

  /// Returns the program that shows a notification, if the notification exists.
  private func program(of key: AppNotificationID) -> String? {
    guard let entry = world.ledger.delivered(key) else { return nil }
    return world.ledger.apps[key.app]?
      .contentExtension(of: entry.retained.content.category)?.executable
  }

  private func onDrawn(_ key: AppNotificationID, _ drawing: Drawing) {
    if let drawn, drawn.key == key, drawn.drawing.items == drawing.items { return self.drawn = nil }
    // An empty drawing clears the earlier drawing if the next notification with the same name does not belong to the
    // extension.
    world.expect(drawing.items.isEmpty, "\(key.recordKey) has a drawing that no extension sent")
  }

  private func onAsked(_ question: Question, _ response: NotificationResponse) {
    guard let key = key(of: question.connection), let entry = world.ledger.delivered(key) else {
      return world.fail("a connection that shows no notification was asked about an action")
    }
    world.expect(
      response.notification == entry.retained.notification
        && response.action != NotificationResponse.defaultAction
        && response.action != NotificationResponse.dismissAction,
      "the extension of \(key.recordKey) was asked about an action that it must not handle")
    let pressed = Pressed(key: key, order: entry.order, action: response.action)
    world.expect(
      !world.ledger.conditions.isLocked || !needsUnlock(pressed, entry),
      "on a locked screen, the extension of \(key.recordKey) was asked about a protected action")
    self.pressed[question] = pressed
  }

  private func needsUnlock(_ pressed: Pressed, _ entry: DeliveredList.Entry) -> Bool {
    world.ledger.apps[pressed.key.app].map {
      ActionConsequences(pressed.action, on: entry.retained.content, of: $0).needsUnlock
    } ?? false
  }

  // MARK: After an event

  func onHandled(_ event: AgentEvent, _ effects: [AgentEffect]) {
    if let drawn { world.fail("a drawing of \(drawn.key.recordKey) was not displayed") }
    // An extension that exits settles all its questions, and the first result can remove the notification.
    var gone: Set<AppNotificationID> = []
    for (pressed, option, needsUnlock) in settled where !gone.contains(pressed.key) {
      check(pressed, option, needsUnlock: needsUnlock, effects)
      if world.ledger.delivered(pressed.key)?.order != pressed.order { gone.insert(pressed.key) }
    }
    checkShown()
    checkHeld()
    guard case .appGreeted(let ask, let hello, _) = event, hello.role == .contentExtension else {
      return
    }
    let isWelcome = effects.contains {
      if case .answer(ask, _) = $0 { true } else { false }
    }
    world.expect(
      !isWelcome || tokens[ask.connection] != nil || effects.contains(.close(ask.connection)),
      "an extension that has nothing to show is still connected")
  }

  /// Checks that an extension's decision about an action is applied to the notification on which the user chose the
  /// action.
  private func check(
    _ pressed: Pressed, _ option: ContentExtensionOption, needsUnlock: Bool,
    _ effects: [AgentEffect]
  ) {
    let name = pressed.key.recordKey
    let entry = world.ledger.delivered(pressed.key)
    let isThere = entry?.order == pressed.order
    let record = "\(pressed.key.app)/\(pressed.order)"
    let isForwarded = effects.contains {
      if case .persist(.put(.responses, record, _)) = $0 { true } else { false }
    }
    switch option {
    case .doNotDismiss:
      world.expect(
        isThere && !isForwarded,
        "\(name) was dismissed or forwarded, although its extension kept it")
    case .dismiss:
      world.expect(
        !isThere && !isForwarded,
        "\(name) was kept or forwarded, although its extension dismissed it")
    case .dismissAndForwardAction:
      if world.ledger.conditions.isLocked, needsUnlock {
        world.expect(
          isThere && !isForwarded, "the action on \(name) was performed on a locked screen")
        held[pressed.key] = pressed.order
      } else {
        world.expect(
          !isThere && isForwarded,
          "\(name) was kept, or the action on it was not forwarded to its app")
      }
    }
  }

  /// Checks that decisions that waited for the screen to be unlocked are applied.
  private func checkHeld() {
    guard !world.ledger.conditions.isLocked else { return }
    for (key, order) in held where world.ledger.delivered(key)?.order == order {
      world.fail("the action on \(key.recordKey) was not forwarded after the screen was unlocked")
    }
    held = [:]
  }

  /// Checks that every running extension shows the notification with its name, and that an extension without a window
  /// or a notification is stopped.
  private func checkShown() {
    for (token, job) in jobs.sorted(by: { $0.key < $1.key }) where !job.isClosing {
      let entry = world.ledger.delivered(job.key)
      if !isWanted(job) {
        world.expect(
          job.connection == nil,
          "the extension of \(job.key.recordKey) still runs, but has nothing to show")
        jobs[token] = nil
      } else if job.connection != nil {
        world.expect(
          job.told == entry?.retained.notification,
          "the extension of \(job.key.recordKey) does not show the current notification")
      }
    }
  }
}
