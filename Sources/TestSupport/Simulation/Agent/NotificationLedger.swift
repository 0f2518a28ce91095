@testable import Agent
import BelfryWire

/// A check of the outcome for each notification: it must have been displayed once, with permission, or be accounted
/// for.
///
/// A notification can be displayed again only if the agent was killed before the presenter's confirmation was durable,
/// because the agent then cannot know that the notification was displayed. If the agent has decided that a notification
/// has no banner, it must never get one.
final class NotificationLedger {
  /// A notification from its arrival until it is gone.
  ///
  /// A newer notification with the same name is a different version.
  private struct Version: Hashable {
    let serial: Int64?
    let unixMilliseconds: Int64
  }

  private struct Showing {
    let version: Version
    /// The delivery order, which distinguishes a repetition from the previous firing if a stopped clock shows the same
    /// time.
    let order: Int64
    var isListed = false
    /// True if the notification was presented in this run of the agent.
    var isPresented = false
    /// True if a presenter has confirmed the notification.
    var isConfirmed = false
    /// True if the agent decided that the notification has no banner and is only in the list.
    var isQuiet = false
  }

  private struct State {
    var showings: [AppNotificationID: Showing] = [:]
    /// The versions that were replaced or removed.
    var past: [AppNotificationID: Set<Version>] = [:]
    var pushes: Set<NotificationID> = []
  }

  private unowned let world: AgentSimulation
  private var state = State()
  private var durable = State()
  private var hasStarted = false
  /// The current push if it must be displayed, until it is accounted for.
  private var arriving: AppNotificationID?
  private var repeated: AppNotificationID?
  /// The current push, if its app does not have the registration.
  private var unwanted: AppNotificationID?
  /// The notifications that have no banner, as the agent decided in the current event.
  private var suppressed: Set<AppNotificationID> = []
  /// The notifications that the current event removed although the event concerns something else.
  private var unexplained: Set<AppNotificationID> = []
  /// The new notifications that the current event created from waiting requests.
  private var scheduled: Set<AppNotificationID> = []

  init(in world: AgentSimulation) { self.world = world }

  func agentStarts() {
    hasStarted = false
    for key in state.showings.keys { state.showings[key]?.isPresented = false }
  }

  func agentCrashed() { state = durable }
  func onDurable() { durable = state }

  /// Returns true if a push has already been processed.
  func hasCome(_ push: ReceivedPush) -> Bool { state.pushes.contains(push.uniqueID) }

  func checkAcknowledged(_ id: NotificationID) {
    world.expect(
      durable.pushes.contains(id), "the push \(id.low) is acknowledged and not durable")
  }

  // MARK: Events

  func willHandle(_ event: AgentEvent) {
    arriving = nil
    repeated = nil
    unwanted = nil
    suppressed = []
    scheduled = []
    unexplained = []
    if case .started = event { hasStarted = true }
    if case .notificationShown(let key) = event, state.showings[key]?.isPresented == true {
      state.showings[key]?.isConfirmed = true
    }
    guard case .pushReceived(let push) = event else { return }
    let key = AppNotificationID(app: push.app, id: push.notificationID)
    guard state.pushes.insert(push.uniqueID).inserted else { return repeated = key }
    let content = PushPayload(push.payload)?.content ?? NotificationContent()
    let isRegistered = world.ledger.apps[push.app]?.registrations[push.kind] != nil
    // A push with only a badge or a sound need not leave a trace.
    if isRegistered, push.kind == .alert, content.hasAlert { arriving = key }
    if !isRegistered { unwanted = key }
  }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    if let key = Self.subject(of: effect) {
      if key == arriving { arriving = nil }
      world.expect(
        key != unwanted, "a push is dealt with that \(key.app) is not registered for")
      world.expect(key != repeated, "a push that came before is dealt with again: \(key.recordKey)")
    }
    switch effect {
    case .persist(.put(.delivered, let key, let value)): onPut(key, value, event)
    case .persist(.remove(.delivered, let key)):
      if let key = AgentLedger.notification(recordKey: key) {
        let isExplained = explains(event, key)
        end(key)
        let count = world.ledger.mirror[.delivered].keys.count { $0.hasPrefix("\(key.app)/") }
        if !isExplained, count < Limits.deliveredPerApp { unexplained.insert(key) }
      }
    case .present(let presentation): onPresented(presentation, isReplay: false)
    case .refresh(let presentation): checkTexts(presentation)
    case .replay(_, let events):
      for event in events {
        switch event {
        case .presented(let presentation): onPresented(presentation, isReplay: true)
        case .badge(let app, let badge): checkBadge(app, badge)
        default: break
        }
      }
    case .suppressed(let key, _): suppressed.insert(key)
    case .sound(let key, let sound, _): onSound(key, sound)
    case .badge(let app, let badge): checkBadge(app, badge)
    default: break
    }
  }

  /// Returns the notification that an effect displays, stores or withholds.
  private static func subject(of effect: AgentEffect) -> AppNotificationID? {
    switch effect {
    case .persist(.put(.delivered, let key, _)): AgentLedger.notification(recordKey: key)
    case .present(let presentation): presentation.key
    case .suppressed(let key, _), .sound(let key, _, _): key
    default: nil
    }
  }

  /// Returns true if the event can remove a notification.
  ///
  /// Any event can remove a notification because of the limit, or because another notification fires in its place.
  private func explains(_ event: AgentEvent, _ key: AppNotificationID) -> Bool {
    switch event {
    case .pushReceived(let push): key == AppNotificationID(app: push.app, id: push.notificationID)
    case .notificationActedOn(let other, _): key == other
    case .appRequested(let ask, let request):
      switch (world.ledger.knowledge.app(of: ask.connection), request) {
      case (nil, _): true
      case (key.app, .removeDelivered(let ids)):
        ids?.contains { $0.hasSameBytes(as: key.id) } ?? true
      case (key.app, .add(let request)): request.id.hasSameBytes(as: key.id)
      // A request for quiet notifications decides about the notifications that were held until then.
      case (key.app, .requestAuthorization):
        state.showings[key].map { !$0.isListed && !$0.isPresented } ?? false
      default: false
      }
    default: true
    }
  }

  /// Checks that the content that a service extension returned for a push is displayed.
  private func checkExtended() {
    guard let (key, content) = world.ledger.conversations.extended,
      let after = world.ledger.delivered(key)?.retained.content,
      after.userInfo["serial"] == content.userInfo["serial"]
    else { return }
    world.expect(
      after.body == content.body,
      "\(key.recordKey) is not shown as its service extension has changed it")
  }

  // MARK: Versions

  private func onPut(_ recordKey: String, _ value: [UInt8], _ event: AgentEvent) {
    guard let entry = DeliveredList.Entry(record: value),
      let key = AgentLedger.notification(recordKey: recordKey), entry.key == key
    else { return world.fail("the record \(recordKey) cannot be read") }
    let notification = entry.retained.notification
    let version = Version(
      serial: notification.request.content.userInfo["serial"]?.integerValue,
      unixMilliseconds: notification.unixMilliseconds)
    let repeats = notification.request.trigger?.repeats ?? false
    let isSame = state.showings[key]?.version == version
    // A service extension changes the delivery order of a push, but it is the same push.
    if !isSame || (repeats && state.showings[key]?.order != entry.order) {
      end(key)
      world.ledger.conversations.forget(key)
      world.expect(
        repeats || version.serial == nil
          || state.past[key]?.contains { $0.serial == version.serial } != true,
        "\(recordKey) comes again after it was replaced or taken away")
      state.showings[key] = Showing(version: version, order: entry.order)
      // The notification that was withheld in this event is the previous one: an app's answer lets the next
      // notification fire.
      suppressed.remove(key)
      switch notification.request.trigger {
      case nil, .push: break
      case .interval, .calendar, .date, .region: scheduled.insert(key)
      }
    }
    state.showings[key]?.isListed = entry.isListed
    if case .notificationShown(key) = event {
      world.expect(
        !world.ledger.conversations.isAskedAbout(key),
        "\(recordKey) counts as seen, and nobody has decided yet to show it")
    }
  }

  private func end(_ key: AppNotificationID) {
    guard let showing = state.showings.removeValue(forKey: key) else { return }
    state.past[key, default: []].insert(showing.version)
  }

  // MARK: Showing

  private func onPresented(_ presentation: Presentation, isReplay: Bool) {
    let key = presentation.key
    guard let entry = world.ledger.delivered(key), let showing = state.showings[key] else {
      return world.fail("\(key.recordKey) is shown and stands in no list")
    }
    world.expect(
      !isReplay || !world.ledger.conversations.isAskedAbout(key),
      "\(key.recordKey) is shown before its app has said what to show")
    world.expect(!showing.isConfirmed, "\(key.recordKey) is shown twice: it was seen before")
    world.expect(
      isReplay || !showing.isPresented, "\(key.recordKey) is shown twice in one run")
    world.expect(!showing.isQuiet, "\(key.recordKey) is shown, and was to stand in the list alone")
    state.showings[key]?.isPresented = true
    guard let app = world.ledger.apps[key.app] else {
      return world.fail("\(key.recordKey) is shown, and its app is gone")
    }
    let conditions = world.ledger.conditions
    world.expect(
      app.status == .authorized && app.requested.contains(.alert) && app.switches.alert
        && app.switches.alertStyle != .none,
      "\(key.recordKey) is shown without permission")
    world.expect(
      !conditions.isLocked || app.switches.lockScreen,
      "\(key.recordKey) is shown on the locked screen without permission")
    world.expect(
      !conditions.hasFocus || passesFocus(app, entry.retained.content),
      "\(key.recordKey) is shown in spite of focus")
    checkTexts(presentation)
  }

  private func passesFocus(_ app: LocalApp, _ content: NotificationContent) -> Bool {
    switch content.interruptionLevel {
    case .timeSensitive: app.switches.timeSensitive
    case .critical: app.switches.criticalAlert && app.requested.contains(.criticalAlert)
    case .passive, .active: false
    }
  }

  private func checkTexts(_ presentation: Presentation) {
    guard let app = world.ledger.apps[presentation.key.app] else { return }
    let isHidden =
      app.switches.previews == .never
      || (app.switches.previews == .whenAuthenticated && world.ledger.conditions.isLocked)
    world.expect(
      !isHidden || (!presentation.body.hasPrefix("B") && presentation.userInfo.isEmpty),
      "\(presentation.key.recordKey) shows a text that is to be hidden")
    world.expect(
      !isHidden || !presentation.isDrawnByApp,
      "\(presentation.key.recordKey) is shown by its app, and its texts are to be hidden")
  }

  private func onSound(_ key: AppNotificationID, _ sound: NotificationSound) {
    guard let app = world.ledger.apps[key.app] else {
      return world.fail("\(key.recordKey) sounds, and its app is gone")
    }
    let isAllowed = app.requested.contains(.sound) && app.switches.sound
    let isCritical =
      sound.isCritical && app.requested.contains(.criticalAlert) && app.switches.criticalAlert
    world.expect(
      app.status == .authorized && (isAllowed || isCritical),
      "\(key.recordKey) sounds without permission")
    world.expect(
      sound.isCritical || !world.ledger.conditions.isDesktopQuiet,
      "\(key.recordKey) sounds in spite of do-not-disturb")
    if let showing = state.showings[key] {
      world.expect(
        !showing.isConfirmed && !showing.isQuiet,
        "\(key.recordKey) sounds again: that was decided before")
    }
  }

  private func checkBadge(_ app: AppID, _ badge: Int64) {
    guard badge != 0, let record = world.ledger.apps[app] else { return }
    world.expect(
      record.status.allows && record.requested.contains(.badge) && record.switches.badge,
      "\(app) has a badge without permission")
    world.expect(record.badge == badge, "\(app) has another badge than is kept")
  }

  // MARK: After an event

  func onHandled(_ event: AgentEvent) {
    if let arriving {
      world.fail("the push for \(arriving.recordKey) is neither shown nor accounted for")
    }
    for key in scheduled where !world.ledger.schedule.firing.contains(key) {
      world.fail("\(key.recordKey) is shown, and was not due")
    }
    for key in unexplained where !world.ledger.schedule.firing.contains(key) {
      world.fail("\(key.recordKey) is taken away, and nobody has asked for that")
    }
    checkExtended()
    for key in suppressed { state.showings[key]?.isQuiet = true }
    guard hasStarted else { return }
    for (key, showing) in state.showings
    where !showing.isPresented && !showing.isConfirmed && !showing.isQuiet
      && !world.ledger.conversations.isAskedAbout(key)
    {
      if world.ledger.isKeptForDecision(key) {
        world.expect(
          world.ledger.conversations.isQuestionOpenOrPutAway(of: key.app),
          "\(key.recordKey) is kept for an answer, and nobody is asked")
        continue
      }
      // The notification can be in the list only, as its app's switches require.
      state.showings[key]?.isQuiet = true
      world.expect(
        showing.isListed,
        "\(key.recordKey) is forgotten: nobody is asked about it, and it is not shown")
    }
  }
}
