import Agent
import AppWire

/// A user who can do anything at any time with prompts, notifications, switches, and commands.
final class SimulatedPerson {
  private unowned let world: AgentSimulation
  private var prompts: [Prompt] = []
  /// The prompts that the user has seen in this run of the agent, whether still open or not.
  private var oldPrompts: [PromptID] = []
  /// The notifications on the screen that content extensions can show.
  private var drawable: Set<AppNotificationID> = []

  init(in world: AgentSimulation) { self.world = world }

  func plan() {
    world.plan(every: world.profile.personEvery) { [self] in actOnSomething() }
    world.plan(every: world.profile.commandEvery) { [self] in command() }
    world.plan(every: world.profile.personEvery) { [self] in answerAnything() }
  }

  /// Answers every prompt.
  func calmDown() {
    for prompt in prompts { answer(prompt) }
  }

  // MARK: Prompts

  func isAsked(_ prompt: Prompt) {
    guard !prompts.contains(where: { $0.id == prompt.id }) else { return }
    prompts.append(prompt)
    oldPrompts.append(prompt.id)
    if !world.isTroubled || world.chance(0.6) { answer(prompt) }
  }

  func isAskedNoMore(_ prompt: Prompt) { prompts.removeAll { $0.id == prompt.id } }

  func agentCrashed() {
    prompts = []
    oldPrompts = []
    drawable = []
  }

  private func answer(_ prompt: Prompt) {
    world.time.after(world.milliseconds(world.isTroubled ? 20_000 : 500)) { [self] in
      guard prompts.contains(where: { $0.id == prompt.id }) else { return }
      answer(prompt.id)
    }
  }

  private func answer(_ id: PromptID) {
    if world.isTroubled, world.chance(0.2) {
      world.agent.report(.promptPostponed(id))
    } else {
      world.agent.report(.promptAnswered(id, isAllowed: world.chance(0.7)))
    }
  }

  /// Answers a prompt that might have been withdrawn or might never have existed.
  private func answerAnything() {
    guard world.chance(0.2) else { return }
    if let id = oldPrompts.last, world.chance(0.8) {
      answer(world.chance(0.5) ? id : world.pick(oldPrompts))
    } else {
      answer(PromptID(number: UInt64(world.random(1...60))))
    }
  }

  // MARK: Notifications

  /// Handles a notification that appeared or changed on the screen.
  ///
  /// The user sometimes opens the notification's window.
  func sees(_ presentation: Presentation) {
    let key = presentation.key
    guard presentation.isDrawnByApp else { return seesNoMore(key) }
    drawable.insert(key)
    guard world.chance(0.5) else { return }
    world.time.after(world.milliseconds(2_000)) { [self] in
      guard drawable.contains(key) else { return }
      world.agent.report(.notificationWindow(key, isOpen: true))
    }
  }

  func seesNoMore(_ key: AppNotificationID) { drawable.remove(key) }

  private func actOnSomething() {
    let shown = world.ledger.deliveredKeys
    guard !shown.isEmpty else { return }
    let key = world.pick(shown)
    switch world.random(0...7) {
    case 0: world.agent.report(.notificationActedOn(key, .open))
    case 1: world.agent.report(.notificationActedOn(key, open(withTokenFor: key)))
    case 2: world.agent.report(.notificationActedOn(key, .dismiss))
    case 3: world.agent.report(.notificationActedOn(key, PersonAction("reply", text: "yes")))
    case 4: world.agent.report(.notificationActedOn(key, PersonAction("later")))
    case 5: world.agent.report(.provisionalDecided(key.app, isKept: world.chance(0.5)))
    case 6: world.agent.report(.notificationWindow(key, isOpen: false))
    default:
      world.agent.report(.notificationActedOn(key, .open))
      world.agent.report(.notificationActedOn(key, .open))
    }
  }

  /// Returns a click on a notification, as on a desktop that lets only the clicked app move to the foreground.
  private func open(withTokenFor key: AppNotificationID) -> PersonAction {
    PersonAction(
      NotificationResponse.defaultAction,
      activationToken: "token-\(world.takeSerial())-of-\(key.recordKey)")
  }

  // MARK: Commands

  private func command() {
    let requests = (1...world.random(1...2)).map { _ in randomCommand() }
    SimulatedCommand.run(requests, in: world)
  }

  private func randomCommand() -> ControlRequest {
    let app = world.pick(world.apps)
    let name: String? = world.chance(0.5) ? app.id.text : nil
    let isOn = world.pick(["on", "off"])
    switch world.random(0...23) {
    case 0: return world.chance(0.5) ? .apps : .install(path: app.path)
    case 1:
      return world.chance(0.3) ? .removeApp(app.id.text) : .token(app: app.id.text, kind: .alert)
    case 2, 3:
      return .notify(app: app.id.text, SimulatedRequests.request(of: app, in: world))
    case 4: return .appSettings(app: name)
    case 5, 6, 7:
      let change = world.pick([
        ("notifications", isOn), ("notifications", "on"), ("alert", isOn), ("sound", isOn),
        ("badge", isOn), ("center", isOn), ("lockScreen", isOn), ("criticalAlert", isOn),
        ("timeSensitive", isOn), ("style", world.pick(["none", "banner", "alert"])),
        ("previews", world.pick(["always", "whenAuthenticated", "never"])),
        ("location", world.pick(["always", "whenInUse", "denied", "notDetermined"])),
        ("nonsense", isOn),
      ])
      return .changeSettings(app: app.id.text, [change.0: change.1])
    case 8:
      return .changeDevice(
        world.pick([["languages": "fr-CA,en"], ["location": isOn], ["location": "on"]]))
    case 9: return .center(app: name)
    case 10, 11, 12:
      let id =
        world.ledger.deliveredKeys.isEmpty ? "n-1" : world.pick(world.ledger.deliveredKeys).id
      return world.pick([
        .open(app: name, id: id), .act(app: name, id: id, action: "reply", text: "t"),
        .dismiss(app: name, id: id), .dismiss(app: name, id: nil),
      ])
    case 13: return .clock
    case 14: return .advanceClock(milliseconds: world.random(Int64(0)...400_000))
    case 15, 16:
      return .setClock(unixMilliseconds: world.machine.now.wall + world.random(-90_000...300_000))
    case 17: return .setZone(world.pick(SimulatedMachine.zones))
    case 18: return .diagnose
    case 19, 20:
      return .state(
        world.pick([
          ["locked": isOn], ["focus": isOn], ["metered": isOn],
          ["battery": world.pick(["low", "normal"])], ["front": app.id.text], ["front": "none"],
        ]))
    case 21: return .scheduled(app: name)
    case 22: return .cancel(app: name, id: world.chance(0.8) ? "s-\(world.random(1...6))" : nil)
    default: return .nextDates(app: name, id: "s-\(world.random(1...6))", count: 3)
    }
  }
}
