import Agent
import AppWire
import PushWire

/// A check of the outcome for each notification: it must have been displayed once, with permission, or be accounted
/// for.
///
/// A notification can be displayed again only if the agent was killed before the presenter's confirmation was durable,
/// because the agent then cannot know that the notification was displayed. If the agent has decided that a notification
/// has no banner, it must never get one.
final class NotificationLedger {
  /// A notification, from its arrival to its removal.
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
  /// The push in the current event, if it must be displayed and is not accounted for yet.
  private var arriving: AppNotificationID?
  private var repeated: AppNotificationID?
  /// The new push in the current event, until its notification is recorded.
  private var resent: AppNotificationID?
  /// The push in the current event, if its app is not registered for such pushes.
  private var unwanted: AppNotificationID?
  /// The notifications for which the agent decided, in the current event, not to show a banner.
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
      durable.pushes.contains(id), "push \(id.low) was acknowledged before it was durable")
  }

  // MARK: Events

  func willHandle(_ event: AgentEvent) {
    arriving = nil
    repeated = nil
    resent = nil
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
    resent = key
    let content = PushPayload(push.payload)?.content ?? NotificationContent()
    let isRegistered = world.ledger.apps[push.app]?.registrations[push.kind] != nil
    // A push that contains only a badge or a sound does not have to appear on the screen or in the list.
    if isRegistered, push.kind == .alert, content.hasAlert { arriving = key }
    if !isRegistered { unwanted = key }
  }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    if let key = Self.subject(of: effect) {
      if key == arriving { arriving = nil }
      world.expect(
        key != unwanted, "a push was processed, although \(key.app) is not registered for it")
      world.expect(key != repeated, "a duplicate push was processed: \(key.recordKey)")
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

  /// Returns the notification that an effect displays, stores, or withholds.
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
      // When an app requests permission for quiet notifications, the agent handles the notifications that it has held.
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
      "\(key.recordKey) does not have the content that its service extension returned")
  }

  // MARK: Versions

  private func onPut(_ recordKey: String, _ value: [UInt8], _ event: AgentEvent) {
    guard let entry = DeliveredList.Entry(record: value),
      let key = AgentLedger.notification(recordKey: recordKey), entry.key == key
    else { return world.fail("the record \(recordKey) cannot be decoded") }
    let notification = entry.retained.notification
    let version = Version(
      serial: notification.request.content.userInfo["serial"]?.integerValue,
      unixMilliseconds: notification.unixMilliseconds)
    let repeats = notification.request.trigger?.repeats ?? false
    // A provider that retries a push after an error sends it with the same ID. The campaign's push has no serial number.
    // If the gateway had accepted the first attempt, the device receives two pushes.
    let isResent = key == resent && version.serial == nil
    if isResent { resent = nil }
    let isSame = state.showings[key]?.version == version && !isResent
    // A service extension changes the delivery order of a push, but the push stays the same.
    if !isSame || (repeats && state.showings[key]?.order != entry.order) {
      end(key)
      world.ledger.conversations.forget(key)
      world.expect(
        repeats || version.serial == nil
          || state.past[key]?.contains { $0.serial == version.serial } != true,
        "\(recordKey) was delivered again after it was replaced or removed")
      state.showings[key] = Showing(version: version, order: entry.order)
      // The notification that was withheld in this event is the previous one. The next notification can fire in the
      // same event, after an app has answered about the previous one.
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
        "\(recordKey) was marked as seen before its presentation was decided")
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
      return world.fail("\(key.recordKey) was shown, but has no record")
    }
    world.expect(
      !isReplay || !world.ledger.conversations.isAskedAbout(key),
      "\(key.recordKey) was shown before its presentation was decided")
    world.expect(!showing.isConfirmed, "\(key.recordKey) was shown again after it was seen")
    world.expect(
      isReplay || !showing.isPresented,
      "\(key.recordKey) was shown twice in the same run of the agent")
    world.expect(!showing.isQuiet, "\(key.recordKey) was shown, although its banner was suppressed")
    state.showings[key]?.isPresented = true
    guard let app = world.ledger.apps[key.app] else {
      return world.fail("\(key.recordKey) was shown after its app was removed")
    }
    let conditions = world.ledger.conditions
    world.expect(
      app.status == .authorized && app.requested.contains(.alert) && app.switches.alert
        && app.switches.alertStyle != .none,
      "\(key.recordKey) was shown without permission")
    world.expect(
      !conditions.isLocked || app.switches.lockScreen,
      "\(key.recordKey) was shown on the locked screen without permission")
    world.expect(
      !conditions.hasFocus || passesFocus(app, entry.retained.content),
      "\(key.recordKey) was shown although focus is on")
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
      "\(presentation.key.recordKey) shows content that must be hidden")
    world.expect(
      !isHidden || !presentation.isDrawnByApp,
      "\(presentation.key.recordKey) is drawn by its app, although its content must be hidden")
  }

  private func onSound(_ key: AppNotificationID, _ sound: NotificationSound) {
    guard let app = world.ledger.apps[key.app] else {
      return world.fail("\(key.recordKey) played a sound after its app was removed")
    }
    let isAllowed = app.requested.contains(.sound) && app.switches.sound
    let isCritical =
      sound.isCritical && app.requested.contains(.criticalAlert) && app.switches.criticalAlert
    world.expect(
      app.status == .authorized && (isAllowed || isCritical),
      "\(key.recordKey) played a sound without permission")
    world.expect(
      sound.isCritical || !world.ledger.conditions.isDesktopQuiet,
      "\(key.recordKey) played a sound although do not disturb is on")
    if let showing = state.showings[key] {
      world.expect(
        !showing.isConfirmed && !showing.isQuiet,
        "\(key.recordKey) played a sound after it was seen or suppressed")
    }
  }

  private func checkBadge(_ app: AppID, _ badge: Int64) {
    guard badge != 0, let record = world.ledger.apps[app] else { return }
    world.expect(
      record.status.allows && record.requested.contains(.badge) && record.switches.badge,
      "\(app) shows a badge without permission")
    world.expect(
      record.badge == badge, "\(app) shows the badge \(badge) instead of \(record.badge)")
  }

  // MARK: After an event

  func onHandled(_ event: AgentEvent) {
    if let arriving {
      world.fail("the push for \(arriving.recordKey) was neither shown, stored nor suppressed")
    }
    for key in scheduled where !world.ledger.schedule.firing.contains(key) {
      world.fail("\(key.recordKey) was delivered, although its trigger did not fire")
    }
    for key in unexplained where !world.ledger.schedule.firing.contains(key) {
      world.fail("\(key.recordKey) was removed without a request")
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
          "\(key.recordKey) is held for an answer, but no prompt is open or postponed")
        continue
      }
      // The app's switches can keep the notification off the screen, so that it is only in the list.
      state.showings[key]?.isQuiet = true
      world.expect(
        showing.isListed,
        "\(key.recordKey) was lost: it is neither shown, listed nor awaiting an answer")
    }
  }
}
