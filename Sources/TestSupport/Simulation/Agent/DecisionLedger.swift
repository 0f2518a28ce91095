import Agent
import AppWire

/// A check of the notifications and sounds that the agent presents, which must follow permissions, switches, and
/// conditions.
///
/// If the agent shows less, it must give a valid reason.
final class DecisionLedger {
  private unowned let world: AgentSimulation
  /// The notifications that the current event displays, if their sound has not been played yet.
  private var silent: Set<AppNotificationID> = []
  /// The badges of notifications that the current event displays, if the app has not received the badge yet.
  private var badges: [AppNotificationID: Int64] = [:]

  init(in world: AgentSimulation) { self.world = world }

  /// Returns true if the user sees a notification immediately, provided that no foreground app decides otherwise.
  func mayBeSeen(_ content: NotificationContent, of app: LocalApp) -> Bool {
    let conditions = world.ledger.conditions
    return content.hasAlert && app.status == .authorized && app.requested.contains(.alert)
      && app.switches.alert && app.switches.alertStyle != .none
      && (!conditions.isLocked || app.switches.lockScreen)
      && (!conditions.hasFocus || passesFocus(content, of: app))
  }

  private func passesFocus(_ content: NotificationContent, of app: LocalApp) -> Bool {
    switch content.interruptionLevel {
    case .timeSensitive: app.settings.timeSensitive == .enabled
    case .critical: app.settings.criticalAlert == .enabled
    case .passive, .active: false
    }
  }

  private func mayBeHeard(_ content: NotificationContent, of app: LocalApp) -> Bool {
    guard let sound = content.sound, content.interruptionLevel != .passive else { return false }
    let isCritical = sound.isCritical && app.settings.criticalAlert == .enabled
    return (app.settings.sound == .enabled || isCritical)
      && (!world.ledger.conditions.isDesktopQuiet || sound.isCritical)
  }

  func willHandle() {
    silent = []
    badges = [:]
  }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    switch effect {
    case .present(let presentation): onPresented(presentation.key, event)
    case .list(let presentation): onListed(presentation.key, event)
    case .sound(let key, _, _): silent.remove(key)
    case .suppressed(let key, let reason): onSuppressed(key, reason, event)
    default: break
    }
    badges = badges.filter { world.ledger.apps[$0.key.app]?.badge != $0.value }
  }

  /// Returns a foreground app's decision, made in the current event, about showing a notification; nil if no app is
  /// asked.
  private func answer(
    _ event: AgentEvent, about key: AppNotificationID
  ) -> Set<PresentationOption>? {
    guard world.ledger.conversations.answeredPresentation == key else { return nil }
    switch event {
    case .appReplied(_, .present(let options)): return options
    case .appReplied, .questionTimedOut: return []
    // The app's process has exited, so the app is no longer asked.
    default: return nil
    }
  }

  private func onPresented(_ key: AppNotificationID, _ event: AgentEvent) {
    guard let app = world.ledger.apps[key.app],
      let content = world.ledger.delivered(key)?.retained.content
    else { return }
    let answer = answer(event, about: key)
    if answer?.contains(.sound) ?? true, mayBeHeard(content, of: app) { silent.insert(key) }
    let isAllowed = app.settings.badge == .enabled && answer?.contains(.badge) ?? true
    if isAllowed { badges[key] = content.iconBadge }
  }

  private func onListed(_ key: AppNotificationID, _ event: AgentEvent) {
    guard let app = world.ledger.apps[key.app],
      let content = world.ledger.delivered(key)?.retained.content
    else { return world.fail("\(key.recordKey) was added to the list, but has no record") }
    let isQuietByApp =
      answer(event, about: key).map { $0.isDisjoint(with: [.banner, .alert]) } ?? false
    world.expect(
      isQuietByApp || !mayBeSeen(content, of: app),
      "\(key.recordKey) is in the list without a banner, although a banner is allowed")
  }

  private func onSuppressed(
    _ key: AppNotificationID, _ reason: Routing.Suppression, _ event: AgentEvent
  ) {
    guard let app = world.ledger.apps[key.app] else {
      return world.fail("\(key.recordKey) was suppressed after its app was removed")
    }
    let conditions = world.ledger.conditions
    let holds =
      switch reason {
      case .notAuthorized: !app.status.allows
      case .quiet: app.status == .provisional
      case .locked: conditions.isLocked && !app.switches.lockScreen
      case .focus: conditions.hasFocus || conditions.isDesktopQuiet
      case .foreground: answer(event, about: key) != nil
      case .switchedOff, .nothingToShow:
        world.ledger.delivered(key).map { !mayBeSeen($0.retained.content, of: app) } ?? true
      }
    world.expect(
      holds, "\(key.recordKey) was suppressed for a reason that does not apply: \(reason)")
  }

  func onHandled() {
    for key in silent { world.fail("\(key.recordKey) was shown without its sound") }
    for (key, badge) in badges {
      world.fail("\(key.recordKey) was shown without its badge \(badge)")
    }
  }
}
