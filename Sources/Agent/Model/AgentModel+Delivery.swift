import BelfryWire

extension AgentModel {
  /// A push came: keep it, acknowledge it, hand it over.
  ///
  /// One that came before is only acknowledged.
  mutating func pushed(_ push: Push, atUnixMilliseconds now: Int64) {
    guard !seen.contains(push.uniqueID) else {
      emit(.acknowledge(push.uniqueID))
      return
    }
    let (number, forgotten) = seen.insert(push.uniqueID)
    emit(.persist(.put(.seen, key: String(number), Array(push.uniqueID.text.utf8))))
    for number in forgotten { emit(.persist(.remove(.seen, key: String(number)))) }
    guard apps[push.app]?.registrations[push.kind] != nil else {
      // Unregistered meanwhile: nobody is there to take it (S0-58).
      emit(.acknowledge(push.uniqueID))
      return
    }
    handOver(push, atUnixMilliseconds: now)
    emit(.acknowledge(push.uniqueID))
  }

  private mutating func handOver(_ push: Push, atUnixMilliseconds now: Int64) {
    let parsed = PushPayload(push.payload)
    let content = parsed?.content ?? NotificationContent()
    let wantsFetch = parsed?.isContentAvailable ?? false
    let id = push.collapseID.isEmpty ? push.id.text.lowercased() : push.collapseID
    let notification = DeliveredNotification(
      request: NotificationRequest(id: id, content: content, trigger: .push),
      unixMilliseconds: now, payload: push.payload)
    let isVisible = push.kind == .alert && !content.isEmpty
    let arrival = RemoteArrival(
      kind: push.kind, payload: push.payload, id: push.id.text.lowercased(),
      unixMilliseconds: now, wantsFetch: wantsFetch || push.kind != .alert,
      notification: isVisible ? notification : nil)
    let presence = presence(of: push.app)
    // Pushes of other kinds are never shown: they go straight to the app (client-api 2.5).
    let routing = Routing.decide(
      push.kind == .alert ? content : NotificationContent(), presence: presence, isPush: true,
      wantsFetch: arrival.wantsFetch, settings: settings(of: push.app),
      hasFocus: conditions.hasFocus)
    if arrival.wantsFetch, routing.handsOver || routing.launches {
      fetch(push.app, arrival, atUnixMilliseconds: now)
    } else if routing.handsOver, let peer = peers(of: push.app).first {
      emit(.tell(peer.connection, .arrived(arrival)))
    }
    guard isVisible else { return }
    let key = AppNotificationID(app: push.app, id: id)
    if extend(key, notification, isMutable: parsed?.isMutable ?? false) { return }
    deliver(key, notification, isPush: true)
  }

  /// Shows a notification, or asks the app in front what to show of it.
  mutating func deliver(
    _ key: AppNotificationID, _ notification: DeliveredNotification, isPush: Bool
  ) {
    let presence = presence(of: key.app)
    let routing = Routing.decide(
      notification.request.content, presence: presence, isPush: isPush, wantsFetch: false,
      settings: settings(of: key.app), hasFocus: conditions.hasFocus)
    if routing.asksApp,
      question(
        key.app, .willPresent(notification), .willPresent(key, notification),
        timeoutMilliseconds: Limits.willPresentMilliseconds) != nil
    {
      // Until the app answers it stands in the store, unseen: a crash in between shows it.
      keepUnseen(key, notification)
      return
    }
    show(key, notification, presence: presence == .foreground ? .background : presence)
  }

  mutating func keepUnseen(_ key: AppNotificationID, _ notification: DeliveredNotification) {
    let entry = delivered.put(key, notification, isListed: false)
    emit(.persist(.put(.delivered, key: key.recordKey, entry.record)))
  }

  /// Shows a notification of an app that is not in front.
  mutating func show(
    _ key: AppNotificationID, _ notification: DeliveredNotification,
    presence: Routing.AppPresence
  ) {
    let routing = Routing.decide(
      notification.request.content, presence: presence, isPush: false, wantsFetch: false,
      settings: settings(of: key.app), hasFocus: conditions.hasFocus)
    carryOut(routing, key, notification)
  }

  /// The app in front said what to show; an empty set, or no answer in time, is nothing.
  mutating func willPresentAnswered(
    _ key: AppNotificationID, _ notification: DeliveredNotification,
    _ options: Set<PresentationOption>
  ) {
    let routing = Routing.decide(
      notification.request.content, answer: options, settings: settings(of: key.app),
      hasFocus: conditions.hasFocus)
    carryOut(routing, key, notification)
  }

  private mutating func carryOut(
    _ decided: Routing, _ key: AppNotificationID, _ notification: DeliveredNotification
  ) {
    guard let app = apps[key.app] else { return }
    var routing = decided
    if conditions.isLocked, routing.effects.banner, app.settings.lockScreen == .disabled {
      routing.effects.banner = false
      routing.suppression = .locked
    }
    let content = notification.request.content
    let before = delivered[key]
    // A repeat is a new showing; what an app or a provider sends under the same name is a change.
    let repeats = notification.request.trigger?.repeats ?? false
    let isUpdate = before?.isShown == true && !repeats
    let isBanner = routing.effects.banner
    if isBanner || routing.effects.list {
      let entry = delivered.put(key, notification, isListed: routing.effects.list)
      emit(.persist(.put(.delivered, key: key.recordKey, entry.record)))
      for old in delivered.excess(of: key.app, limit: Limits.deliveredPerApp) {
        withdraw(old.key)
      }
    } else if before != nil {
      // The same name replaces, also by what shows nothing.
      withdraw(key)
    }
    if isBanner {
      emit(
        .present(presentation(notification, of: app, routing.effects, isUpdate: isUpdate)))
    }
    if let suppression = routing.suppression { emit(.suppressed(key, suppression)) }
    if routing.effects.sound, let sound = content.sound,
      !conditions.isDesktopQuiet || sound.isCritical
    {
      emit(.sound(key, sound, of: app))
    }
    if routing.effects.badge, let badge = content.badge { changeBadge(key.app, badge) }
  }

  private func presentation(
    _ notification: DeliveredNotification, of app: LocalApp, _ effects: Routing.Effects,
    isUpdate: Bool
  ) -> Presentation {
    let thread = notification.request.content.thread
    let privacy = Presentation.Privacy(
      isLocked: conditions.isLocked, previews: app.switches.previews,
      threadCount: delivered.of(app.id)
        .count { $0.notification.request.content.thread == thread })
    return Presentation(
      notification, of: app, effects: effects, privacy: privacy, isUpdate: isUpdate,
      lookup: { text($0, of: app.id) })
  }

  /// The screen was locked or unlocked: texts that only an unlocked one may show come or go
  /// (client-api 3.39).
  mutating func refreshTexts() {
    var effects = Routing.Effects()
    effects.banner = true
    for entry in delivered.of(nil) where entry.isShown {
      guard let app = apps[entry.key.app], app.switches.previews == .whenAuthenticated else {
        continue
      }
      emit(.refresh(presentation(entry.notification, of: app, effects, isUpdate: true)))
    }
  }

  /// A presenter has the notification on screen: it is not shown again after a restart.
  mutating func shown(_ key: AppNotificationID) {
    guard let entry = delivered.markShown(key) else { return }
    emit(.persist(.put(.delivered, key: key.recordKey, entry.record)))
  }

  /// After a start: what was kept and never seen is shown now, and badges are told again.
  mutating func resume() {
    for entry in delivered.of(nil) where !entry.isShown {
      show(entry.key, entry.notification, presence: .notRunning)
    }
    for record in apps.values.sorted(by: { $0.id < $1.id }) where record.badge > 0 {
      emit(.badge(record.id, record.badge))
    }
  }

  /// What nobody has seen yet, for a presenter that is new.
  func unseen() -> [Presentation] {
    delivered.of(nil).filter { !$0.isShown }.compactMap { entry in
      guard let app = apps[entry.key.app],
        !questions.values.contains(.willPresent(entry.key, entry.notification))
      else { return nil }
      var effects = Routing.Effects()
      effects.banner = true
      return presentation(entry.notification, of: app, effects, isUpdate: false)
    }
  }

  // MARK: - Launching

  mutating func launch(_ app: AppID, _ reason: AppLaunch.Reason, isForeground: Bool) {
    guard let record = apps[app], record.installation != nil else { return }
    emit(
      .launch(
        LaunchOrder(
          app: record, reason: reason, isForeground: isForeground, token: launchToken(app))))
  }

  /// What the process that is started now will name.
  mutating func launchToken(_ app: AppID) -> String {
    let token = "\(agentRun)-\(nextOrder)"
    launches[app] = token
    return token
  }
}
