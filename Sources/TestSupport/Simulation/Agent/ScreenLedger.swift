import Agent
import BelfryWire

/// A check of the screen: it must not show a removed notification or text that must be hidden on a locked screen, and
/// its badges must match the stored badges.
final class ScreenLedger {
  private unowned let world: AgentSimulation
  /// The notifications that the agent has given to presenters in this run and has not asked them to remove.
  private var shown: Set<AppNotificationID> = []
  private var badges: [AppID: Int64] = [:]
  private var refreshed: Set<AppNotificationID> = []
  private var wasLocked = false
  private var hasChanged = false

  init(in world: AgentSimulation) { self.world = world }

  func agentStarts() {
    shown = []
    badges = [:]
  }

  func willHandle(wasLocked: Bool) {
    self.wasLocked = wasLocked
    refreshed = []
    hasChanged = false
  }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    switch effect {
    case .present(let presentation):
      shown.insert(presentation.key)
      refreshed.insert(presentation.key)
      hasChanged = true
    case .refresh(let presentation): refreshed.insert(presentation.key)
    case .withdraw(let key): shown.remove(key)
    case .badge(let app, let badge):
      badges[app] = badge == 0 ? nil : badge
      hasChanged = true
    case .persist(.remove(.delivered, _)), .persist(.put(.apps, _, _)),
      .persist(.remove(.apps, _)):
      hasChanged = true
    case .replay(_, let events): onReplay(events, event)
    default: break
    }
  }

  /// Handles a new presenter, which has no badges, whether or not its notifications still exist.
  private func onReplay(_ events: [PresenterEvent], _ event: AgentEvent) {
    badges = [:]
    hasChanged = true
    var prompts: Set<PromptID> = []
    for event in events {
      switch event {
      case .presented(let presentation):
        shown.insert(presentation.key)
        refreshed.insert(presentation.key)
      case .badge(let app, let badge): badges[app] = badge == 0 ? nil : badge
      case .prompt(let prompt): prompts.insert(prompt.id)
      default: break
      }
    }
    if case .presenterAppeared(_, isNew: true) = event {
      world.expect(
        prompts == world.ledger.conversations.openPrompts,
        "a new presenter does not show the open prompts")
    }
  }

  func onHandled(_ event: AgentEvent) {
    checkHiddenTexts()
    if case .started = event { hasChanged = true }
    guard world.ledger.hasStarted, hasChanged else { return }
    for key in shown.sorted(by: { $0.recordKey < $1.recordKey })
    where world.ledger.delivered(key) == nil {
      world.fail("\(key.recordKey) is still on the screen after it was removed")
    }
    var kept: [AppID: Int64] = [:]
    for app in world.ledger.apps.values where app.visibleBadge != 0 {
      kept[app.id] = app.visibleBadge
    }
    world.expect(
      badges == kept,
      "the badges shown are \(Self.text(badges)) instead of \(Self.text(kept))")
  }

  private func checkHiddenTexts() {
    guard world.ledger.conditions.isLocked != wasLocked else { return }
    for key in shown
    where world.ledger.apps[key.app]?.switches.previews == .whenAuthenticated
      && !refreshed.contains(key) && !world.ledger.conversations.isAskedAbout(key)
    {
      world.fail("\(key.recordKey) was not refreshed when the screen was locked or unlocked")
    }
  }

  private static func text(_ badges: [AppID: Int64]) -> String {
    badges.map { "\($0.key) \($0.value)" }.sorted().description
  }
}
