import BelfryWire
import AppWire
import PushWire

/// The presentation of notifications according to permission, switches, and the foreground app, and the state of the
/// Notification Center.
struct Delivery {
  private var delivered = DeliveredList()
  private var seen = SeenPushes(limit: Limits.rememberedPushes)
  /// Apps with notifications that are kept until the user decides about the app.
  private var appsAwaitingPermission: Set<AppID> = []
  /// The notifications of the current event that are neither shown nor listed.
  private var discarded: [AppNotificationID] = []

  // MARK: - Start

  /// Restores the stored notifications.
  mutating func restore(_ records: RestoredRecords, _ context: inout AgentContext) {
    for (key, value) in records[.delivered] {
      guard let entry = DeliveredList.Entry(record: value), context.apps[entry.key.app] != nil
      else {
        context.emit(.log(.damagedRecord(.delivered, key: key)))
        continue
      }
      delivered.restore(entry)
    }
    seen.restore(
      records[.seen].compactMap { key, value in
        guard let number = UInt64(key), let id = NotificationID(value.span) else { return nil }
        return (number, id)
      })
  }

  /// Ensures that no later notification gets this order.
  mutating func reserve(order: Int64) { delivered.reserve(order: order) }

  /// After a start, presents stored notifications that were never shown, and shows badges again.
  mutating func resume(_ context: inout AgentContext) {
    for entry in delivered.all where entry.needsPresentation { deliver(entry, &context) }
    for app in context.apps.all where app.visibleBadge > 0 {
      context.emit(.badge(app.id, app.visibleBadge))
    }
  }

  // MARK: - Look-up

  /// The IDs of the latest pushes, oldest first.
  var rememberedPushes: [NotificationID] { seen.all }

  subscript(key: AppNotificationID) -> DeliveredList.Entry? { delivered[key] }

  /// Returns the notification with this identifier and order, unless another notification has replaced it.
  func entry(_ key: AppNotificationID, order: Int64) -> DeliveredList.Entry? {
    delivered.entry(key, order: order)
  }

  /// Returns the entries of one app or of all apps that the user sees in the Notification Center, oldest first.
  func listed(of app: AppID?) -> [DeliveredList.Entry] {
    (app.map(delivered.of) ?? delivered.all).filter(\.isListed)
  }

  /// Returns the newest notifications that the user sees in the Notification Center, with current text, oldest first.
  func newestListed(_ context: AgentContext) -> [Presentation] {
    var threads = ThreadCounts(delivered)
    return listed(of: nil).suffix(Limits.centerItems).compactMap { entry in
      context.apps[entry.key.app].map {
        presentation(entry, of: $0, .onlyBanner, isUpdate: false, &threads, context)
      }
    }
  }

  /// Returns the keys of all entries of one app or of all apps, listed or not, oldest first.
  func keys(of app: AppID?) -> [AppNotificationID] {
    (app.map(delivered.of) ?? delivered.all).map(\.key)
  }

  /// Returns the key of the only notification with this identifier.
  ///
  /// - Throws: A failure if no app, or more than one app, has a notification with this identifier.
  func key(named id: String, of app: String?) throws(AppLinkFailure) -> AppNotificationID {
    let keys = Self.spellings(id).lazy.map { spelling in
      delivered.keys(named: spelling).filter { app == nil || $0.app.text == app }
    }.first { !$0.isEmpty }
    guard let keys, let key = keys.first else {
      throw AppLinkFailure(
        .unknownNotification, "unknown notification '\(id)': see 'belfry center'")
    }
    guard keys.count == 1 else {
      let names = keys.map(\.app.text).joined(separator: ", ")
      throw AppLinkFailure(
        .invalidArgument, "several apps have a notification \(id) (\(names)): add --app")
    }
    return key
  }

  /// Returns the spellings under which to search for an identifier, the given one first.
  ///
  /// A push's UUID can be written in uppercase or lowercase, but the agent stores only one spelling.
  private static func spellings(_ id: String) -> [String] {
    let isUUID = NotificationID(Array(id.utf8).span) != nil
    return isUUID ? [id, id.lowercased(), id.uppercased()] : [id]
  }

  /// Returns the notifications to present on a new presenter: those that were presented before, might not have reached
  /// a screen, and may still be shown.
  func unseen(_ context: AgentContext) -> [Presentation] {
    var threads = ThreadCounts(delivered)
    return delivered.all.compactMap { entry in
      guard entry.isPresented, entry.needsPresentation, let app = context.apps[entry.key.app],
        Routing.decide(
          entry.retained.outline, presence: .background, isPush: false, wantsFetch: false,
          settings: app.settings, isLocked: context.conditions.isLocked,
          hasFocus: context.conditions.hasFocus
        ).effects.banner
      else { return nil }
      return presentation(entry, of: app, .onlyBanner, isUpdate: false, &threads, context)
    }
  }

  /// Returns the attachments of an app's notifications in the list, oldest notification first.
  func attachments(of app: AppID) -> [NotificationAttachment] {
    delivered.of(app).flatMap(\.retained.attachments)
  }

  // MARK: - Delivering

  /// Returns true if a push is new, and persists its unique ID.
  mutating func isNew(_ id: NotificationID, _ context: inout AgentContext) -> Bool {
    guard !seen.contains(id) else { return false }
    for change in seen.insert(id) { context.persist(change) }
    return true
  }

  /// Retains a notification while a question about it is open, and returns its order.
  ///
  /// If the agent crashes while the question is open, it shows the notification after its restart.
  mutating func hold(
    _ key: AppNotificationID, _ retained: RetainedNotification, _ context: inout AgentContext
  ) -> Int64 {
    context.release(delivered[key]?.retained.attachments ?? [], of: key.app)
    let entry = delivered.put(key, retained)
    persist(entry, &context)
    return entry.order
  }

  /// Delivers a notification according to its routing.
  mutating func deliver(
    _ key: AppNotificationID, _ retained: RetainedNotification, _ routing: Routing,
    _ context: inout AgentContext
  ) {
    let before = delivered[key]
    context.release(before?.retained.attachments ?? [], of: key.app)
    let entry = delivered.put(key, retained)
    // A repetition is presented again; a new notification with the same identifier updates the previous one.
    let isUpdate = before?.isShown == true && !retained.repeats
    perform(
      routing, entry, isUpdate: isUpdate, isPersisted: before != nil, &context)
    // A running app that uses the Mac's older interface is notified of each delivery for which it was not asked.
    if retained.payload == nil, retained.content.generation == .desktop, !routing.asksApp,
      !routing.awaitsPermission
    {
      context.tell(key.app, .delivered((delivered[key] ?? entry).notification))
    }
  }

  /// Delivers a notification that was held, or whose app could not be asked, as if the notification had just arrived.
  mutating func deliver(_ entry: DeliveredList.Entry, _ context: inout AgentContext) {
    assert(delivered[entry.key]?.order == entry.order, "only a listed notification is delivered")
    let routing = context.route(
      entry.retained.outline, of: entry.key.app, isPush: false, wantsFetch: false)
    perform(routing, entry, isUpdate: false, isPersisted: true, &context)
  }

  /// Replaces a held notification's content with the content from the service extension, and delivers the notification.
  mutating func deliver(
    _ entry: DeliveredList.Entry, changedTo content: NotificationContent,
    _ context: inout AgentContext
  ) {
    context.onAttachments(content.attachments, of: entry.key.app)
    let changed = delivered.put(entry.key, entry.retained.changed(to: content))
    deliver(changed, &context)
  }

  /// Handles the foreground app's answer to the question about presentation options; shows nothing if the set is empty
  /// or the app did not answer before the timeout.
  mutating func onPresentationAnswer(
    _ key: AppNotificationID, order: Int64, _ options: Set<PresentationOption>,
    _ context: inout AgentContext
  ) {
    // The notification was withdrawn or replaced while the app was asked, so the answer is outdated.
    guard let entry = delivered.entry(key, order: order) else { return }
    let routing = Routing.decide(
      entry.retained.outline, answer: options, settings: context.settings(of: key.app),
      isLocked: context.conditions.isLocked, hasFocus: context.conditions.hasFocus)
    perform(routing, entry, isUpdate: false, isPersisted: true, &context)
  }

  /// Returns true if an app's notifications are kept until the user decides about the app.
  func keepsForDecision(_ app: AppID, _ context: AgentContext) -> Bool {
    appsAwaitingPermission.contains(app) && !awaitingPermission(of: app, context).isEmpty
  }

  /// The apps whose notifications might be kept until the user decides about the app.
  var appsKeptForDecision: Set<AppID> { appsAwaitingPermission }

  /// Delivers the retained notifications of apps that the user decided about, as if the notifications had just arrived.
  mutating func releaseDecided(_ context: inout AgentContext) {
    for app in appsAwaitingPermission.sorted()
    where context.settings(of: app).status != .notDetermined {
      appsAwaitingPermission.remove(app)
      for entry in awaitingPermission(of: app, context) { deliver(entry, &context) }
    }
  }

  private func awaitingPermission(
    of app: AppID, _ context: AgentContext
  ) -> [DeliveredList.Entry] {
    delivered.of(app).filter { entry in
      entry.needsPresentation && !entry.isPresented
        && entry.retained.outline.generation != .userNotification
        && !context.connections.areAskedWhatToShow(order: entry.order)
    }
  }

  /// Removes all notifications of a removed app.
  mutating func onAppRemoved(_ app: AppID, _ context: inout AgentContext) {
    for key in keys(of: app) { withdraw(key, &context) }
    appsAwaitingPermission.remove(app)
  }

  /// Carries out the decision on a notification that is in the list and not shown yet.
  private mutating func perform(
    _ routing: Routing, _ entry: DeliveredList.Entry, isUpdate: Bool, isPersisted: Bool,
    _ context: inout AgentContext
  ) {
    let key = entry.key
    defer { if delivered[key] == nil { discarded.append(key) } }
    assert(!entry.isShown, "a notification is shown only once")
    if routing.asksApp {
      // Until the app answers, the notification is stored as not shown, so that it is shown even if the agent crashes
      // first.
      persist(entry, &context)
      trim(key.app, &context)
      // The limit might have removed this notification if it was held for a long time.
      guard delivered[key] != nil else { return }
      let isAsked = context.ask(
        key.app, .willPresent(entry.retained.notification),
        .willPresent(key, order: entry.order),
        timeoutMilliseconds: Limits.willPresentMilliseconds)
      assert(isAsked, "a foreground app is connected")
      return
    }
    if routing.awaitsPermission {
      appsAwaitingPermission.insert(key.app)
      persist(entry, &context)
      return trim(key.app, &context)
    }
    guard let app = context.apps[key.app] else {
      assertionFailure("a notification was delivered for an unknown app")
      return
    }
    let content = entry.retained.outline
    if routing.effects.banner || routing.effects.list {
      let decided = delivered.update(key) { entry in
        entry.isListed = routing.effects.list
        entry.isListOnly = !routing.effects.banner
        entry.isPresented = routing.effects.banner
        entry.coversEarlier = false
      }
      if let decided { persist(decided, &context) }
      // A notification that is shown only in the list must not leave the previous one on screen.
      if entry.coversEarlier, !routing.effects.banner { context.emit(.withdraw(key)) }
      trim(key.app, &context)
      // The limit might have removed this notification if the decision about it was late.
      guard delivered[key] != nil else { return }
    } else if isPersisted {
      // A notification replaces an earlier one with the same identifier even if it shows nothing itself.
      withdraw(key, &context)
    } else {
      _ = delivered.remove(key)
      context.release(entry.retained.attachments, of: key.app)
    }
    if routing.effects.banner || routing.effects.list {
      var threads = ThreadCounts(delivered)
      let presentation = presentation(
        entry, of: app, routing.effects, isUpdate: isUpdate, &threads, context)
      context.emit(routing.effects.banner ? .present(presentation) : .list(presentation))
    }
    if let suppression = routing.suppression { context.emit(.suppressed(key, suppression)) }
    if routing.effects.sound, let sound = content.sound {
      if !context.conditions.isDesktopQuiet || sound.isCritical {
        context.emit(.sound(key, sound, of: app))
      } else if !routing.effects.banner {
        context.emit(.suppressed(key, .focus))
      }
    }
    if routing.effects.badge, let badge = content.iconBadge { setBadge(key.app, badge, &context) }
  }

  /// Returns and clears the notifications that were neither shown nor listed since the last call.
  mutating func takeDiscarded() -> [AppNotificationID] {
    defer { discarded = [] }
    return discarded
  }

  /// Removes the oldest notifications of an app that exceed its limits, or the limit for all development apps.
  private mutating func trim(_ app: AppID, _ context: inout AgentContext) {
    let excess = delivered.excess(
      of: app, limit: Limits.deliveredPerApp, bytes: Limits.deliveredBytesPerApp,
      freeing: context.developmentExcess(of: app))
    for old in excess { withdraw(old.key, &context) }
  }

  private mutating func persist(_ entry: DeliveredList.Entry, _ context: inout AgentContext) {
    let record = entry.record
    _ = delivered.update(entry.key) { $0.bytes = record.count }
    context.persist(.put(.delivered, key: entry.key.recordKey, record))
  }

  private func presentation(
    _ entry: DeliveredList.Entry, of app: LocalApp, _ effects: Routing.Effects, isUpdate: Bool,
    _ threads: inout ThreadCounts, _ context: AgentContext
  ) -> Presentation {
    let privacy = Presentation.Privacy(
      isLocked: context.conditions.isLocked, previews: app.switches.previews)
    // Count the thread's other notifications only if their number is shown.
    let threadCount =
      privacy.hidesTexts ? threads.count(of: entry.retained.outline.thread, app.id) : 0
    return Presentation(
      entry.retained, of: app, effects: effects, privacy: privacy, threadCount: threadCount,
      isUpdate: isUpdate, words: DeviceWords(languages: context.apps.languages),
      lookup: { context.text($0, of: app.id) })
  }

  // MARK: - Presented notifications

  /// Records that a presenter shows the notification, so that it is not shown again after a restart.
  ///
  /// If no presenter has received the entry yet, the report applies to an earlier notification that the entry has
  /// replaced, and is ignored.
  mutating func onShown(_ key: AppNotificationID, _ context: inout AgentContext) {
    guard let entry = delivered[key], entry.isPresented, !entry.isShown else { return }
    if let entry = delivered.update(key, { $0.isShown = true }) { persist(entry, &context) }
  }

  /// Removes a notification from the list and from the screen, if it still exists.
  mutating func withdraw(_ key: AppNotificationID, _ context: inout AgentContext) {
    guard let entry = delivered.remove(key) else { return }
    context.release(entry.retained.attachments, of: key.app)
    context.persist(.remove(.delivered, key: key.recordKey))
    // A notification that was never on a screen or in a list need not be withdrawn.
    if entry.mayStandSomewhere { context.emit(.withdraw(key)) }
  }

  /// Shows or hides the text that only an unlocked screen may show (client-api 3.39), and the actions that do not fit
  /// on a locked screen (S1-27).
  func refreshTexts(_ context: inout AgentContext) {
    var threads = ThreadCounts(delivered)
    for app in context.apps.all {
      let hidesTexts = app.switches.previews == .whenAuthenticated
      guard hidesTexts || app.switches.alertStyle == .alert else { continue }
      for entry in delivered.of(app.id) where hidesTexts || entry.hasFewerActionsLocked(app) {
        refresh(entry, of: app, &threads, &context)
      }
    }
  }

  /// Shows or hides the text of an app's notifications on screen after the user changed the app's previews
  /// (client-api 3.39).
  func onPreviewsChanged(
    of app: AppID, from previews: NotificationSettings.Previews, _ context: inout AgentContext
  ) {
    guard let record = context.apps[app] else { return }
    let isLocked = context.conditions.isLocked
    let before = Presentation.Privacy(isLocked: isLocked, previews: previews)
    let after = Presentation.Privacy(isLocked: isLocked, previews: record.switches.previews)
    guard before.hidesTexts != after.hidesTexts else { return }
    var threads = ThreadCounts(delivered)
    for entry in delivered.of(app) { refresh(entry, of: record, &threads, &context) }
  }

  /// Updates a notification that a presenter shows or might show.
  private func refresh(
    _ entry: DeliveredList.Entry, of app: LocalApp, _ threads: inout ThreadCounts,
    _ context: inout AgentContext
  ) {
    assert(delivered[entry.key]?.order == entry.order, "only a listed notification is refreshed")
    guard entry.isShown || entry.isPresented else { return }
    context.emit(
      .refresh(presentation(entry, of: app, .onlyBanner, isUpdate: true, &threads, context)))
  }

  // MARK: - Badges

  /// Sets an app's badge.
  func onBadgeRequest(
    _ requestID: RequestID, _ app: AppID, _ badge: Int64, _ context: inout AgentContext
  ) {
    guard badge >= 0 else {
      return context.refuse(requestID, .badgeInputInvalid, "invalid badge: expected 0 or more")
    }
    guard context.settings(of: app).badge == .enabled else {
      return context.refuse(
        requestID, .notificationsNotAllowed, "badges are not allowed for this application")
    }
    setBadge(app, badge, &context)
    context.confirm(requestID)
  }

  private func setBadge(_ app: AppID, _ badge: Int64, _ context: inout AgentContext) {
    guard context.apps[app]?.badge != badge else { return }
    context.update(app) { $0.badge = badge }
    context.tell(app, .badge(badge))
  }

  /// Traps in debug builds if the delivered notifications are inconsistent.
  func checkInvariants(_ context: AgentContext) {
    delivered.checkInvariants(context.apps)
    for app in appsAwaitingPermission {
      assert(
        context.apps[app]?.status == .notDetermined,
        "an app that awaits permission has no permission decision")
    }
    seen.checkInvariants()
  }
}

extension DeliveredList.Entry {
  /// Returns true if a locked screen shows fewer or different actions.
  func hasFewerActionsLocked(_ app: LocalApp) -> Bool {
    let content = retained.outline
    let offered = content.offeredActions(of: app.category(content.category))
    return offered.all != offered.minimal
  }

  /// Returns the notification's row in the output of `belfry center`.
  func row(_ context: AgentContext) -> JSONObject {
    let notification = retained.notification
    let content = notification.request.content
    return [
      "app": .string(key.app.text), "id": .string(key.id),
      "date": .integer(notification.unixMilliseconds),
      "title": .string(context.text(content.title, of: key.app)),
      "subtitle": .string(context.text(content.subtitle, of: key.app)),
      "body": .string(context.text(content.body, of: key.app)),
      "category": .string(content.category), "thread": .string(content.thread),
      "userInfo": .object(content.userInfo),
      "badge": content.iconBadge.map(JSONValue.integer) ?? .null,
      "trigger": .string(Presentation.Origin(notification.request.trigger).rawValue),
      "name": .string(context.apps[key.app]?.displayName ?? key.app.text),
      "authorization": .string(context.apps[key.app]?.status.rawValue ?? ""),
      "actions": .array(actions(context)),
      "attachments": .array(content.attachments.map { .object(Presentation.Attachment($0).json) }),
    ]
  }

  /// Returns all actions of the notification, with the text field of each action that has one.
  private func actions(_ context: AgentContext) -> [JSONValue] {
    let content = retained.outline
    let offered = content.offeredActions(of: context.apps[key.app]?.category(content.category))
    // A category of the older interface can have further actions for a small area.
    let further = offered.minimal.filter { action in
      !offered.all.contains { $0.id.hasSameBytes(as: action.id) }
    }
    return (offered.all + further).map { action in
      var object: JSONObject = [
        "id": .string(action.id), "title": .string(context.text(action.title, of: key.app)),
        "destructive": .bool(action.options.contains(.destructive)),
      ]
      object["placeholder"] = action.textInput.map { .string($0.placeholder) }
      return .object(object)
    }
  }
}
