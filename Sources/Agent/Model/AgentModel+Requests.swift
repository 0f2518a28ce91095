import BelfryWire

extension AgentModel {
  /// An app, or a command, asks something.
  mutating func asked(_ ask: Ask, _ request: AppRequest, atUnixMilliseconds now: Int64) {
    guard let peer = peers[ask.connection] else {
      emit(.refuse(ask, AppLinkFailure(.helloExpected, "say hello first")))
      return
    }
    if case .control(let request) = request {
      guard peer.role == .control else {
        return refuse(ask, .unsupportedMessage, "only a control connection may ask this")
      }
      return controlled(ask, request, atUnixMilliseconds: now)
    }
    guard let app = peer.app else {
      return refuse(ask, .unsupportedMessage, "only an app may ask this")
    }
    switch request {
    case .hello: refuse(ask, .appRefused, "greeted twice on one connection")
    case .control: assertionFailure("a control request was handled above")
    case .pending: emit(.answer(ask, .pending(pending(of: app.text).map(\.1))))
    case .removePending(let ids):
      unschedule(ids?.map { AppNotificationID(app: app, id: $0) } ?? waiting(of: app.text))
      emit(.answer(ask, AppAnswer()))
    case .requestAuthorization(let options): requestAuthorization(ask, app, options)
    case .settings: emit(.answer(ask, .settings(settings(of: app))))
    case .register(let kind): register(ask, app, kind)
    case .unregister(let kind): unregister(ask, app, kind)
    case .setCategories(let categories): setCategories(ask, app, categories)
    case .categories: emit(.answer(ask, .categories(apps[app]?.categories ?? [])))
    case .add(let request): add(ask, app, request, atUnixMilliseconds: now)
    case .delivered:
      emit(.answer(ask, .delivered(delivered.of(app).filter(\.isListed).map(\.notification))))
    case .removeDelivered(let ids): removeDelivered(ask, app, ids)
    case .setBadge(let badge): setBadge(ask, app, badge)
    case .badge: emit(.answer(ask, .badge(apps[app]?.badge ?? 0)))
    case .setState(let state):
      peers[ask.connection]?.state = state
      emit(.answer(ask, AppAnswer()))
      if state == .foreground { cameToFront(app) }
    case .setLanguages(let languages):
      update(app) { $0.languages = languages }
      emit(.answer(ask, AppAnswer()))
    case .beginBackgroundTask:
      emit(.answer(ask, .background(seconds: Limits.backgroundSeconds, task: ask.number ?? 0)))
    case .endBackgroundTask: emit(.answer(ask, AppAnswer()))
    case .backgroundTime: emit(.answer(ask, .background(seconds: Limits.backgroundSeconds)))
    case .requestLocation(let always): requestLocation(ask, app, always: always)
    case .locationStatus: emit(.answer(ask, .locationStatus(locationStatus(of: app))))
    case .watchRegion(let region): watchRegion(ask, app, region)
    case .unwatchRegion(let id):
      regions.remove([.watched(app, id)], &effects)
      emit(.answer(ask, AppAnswer()))
    case .watchedRegions: emit(.answer(ask, .regions(regions.watched(by: app))))
    case .regionState(let id):
      let state = mayLocate(app) ? regions.state(of: .watched(app, id)) : .unknown
      emit(.answer(ask, .regionState(state)))
    case .setLocationUpdates(let isOn): follow(ask, app, isOn: isOn)
    }
  }

  mutating func refuse(_ ask: Ask, _ reason: AppLinkFailure.Reason, _ message: String) {
    emit(.refuse(ask, AppLinkFailure(reason, message)))
  }

  // MARK: - Permission

  private mutating func requestAuthorization(
    _ ask: Ask, _ app: AppID, _ options: Set<AuthorizationOption>
  ) {
    let before = settings(of: app)
    var outcome = LocalApp.AuthorizationOutcome.answered
    let policy = policy
    update(app) { outcome = $0.requestAuthorization(options, policy: policy) }
    switch outcome {
    case .answered: answerAuthorization(ask, app)
    case .undecided:
      undecided[app, default: []].append(ask)
      promptForNotifications(app)
    }
    if settings(of: app) != before { tellAll(app, .settings(settings(of: app))) }
  }

  func isWaitingForPerson(_ app: AppID) -> Bool {
    undecided[app] != nil || undecidedNotify[app] != nil
  }

  mutating func promptForNotifications(_ app: AppID) {
    guard let record = apps[app] else { return }
    prompt(record, .notifications)
  }

  mutating func prompt(_ record: LocalApp, _ subject: Prompt.Subject) {
    let prompt = Prompt(
      id: PromptID(number: takeOrder()), app: record.id, appName: record.displayName,
      icon: record.installation?.icon, subject: subject)
    prompts[prompt.id] = prompt
    emit(.prompt(prompt))
  }

  mutating func withdrawPrompt(_ app: AppID) {
    for (id, prompt) in prompts where prompt.app == app {
      prompts[id] = nil
      emit(.withdrawPrompt(prompt))
    }
  }

  private mutating func answerAuthorization(_ ask: Ask, _ app: AppID) {
    let settings = settings(of: app)
    emit(.answer(ask, .settings(settings, granted: settings.status.allows)))
  }

  /// A person answered a prompt.
  mutating func decided(_ app: AppID, isAllowed: Bool, atUnixMilliseconds now: Int64) {
    guard isWaitingForPerson(app) else {
      if undecidedLocation[app] != nil { decidedLocation(app, isAllowed: isAllowed) }
      return
    }
    update(app) { $0.decideAuthorization(isAllowed: isAllowed) }
    withdrawPrompt(app)
    for ask in undecided.removeValue(forKey: app) ?? [] { answerAuthorization(ask, app) }
    tellAll(app, .settings(settings(of: app)))
    for (ask, request) in undecidedNotify.removeValue(forKey: app) ?? [] {
      add(ask, app, request, atUnixMilliseconds: now)
    }
    promptForLocation(app)
  }

  /// The person put the question away: nothing is decided, and it comes with the app's next request.
  mutating func postponed(_ app: AppID) {
    withdrawPrompt(app)
    guard isWaitingForPerson(app) else {
      for ask in undecidedLocation.removeValue(forKey: app) ?? [] {
        emit(.answer(ask, .locationStatus(locationStatus(of: app))))
      }
      return
    }
    for ask in undecided.removeValue(forKey: app) ?? [] { answerAuthorization(ask, app) }
    for (ask, _) in undecidedNotify.removeValue(forKey: app) ?? [] {
      refuse(ask, .notificationsNotAllowed, "the question was put away unanswered: ask again")
    }
    promptForLocation(app)
  }

  /// The app is in front now: nothing of it waits, and it is no background work any more.
  mutating func cameToFront(_ app: AppID) {
    startedForPush.remove(app)
    releaseHeld(app)
  }

  // MARK: - Registration

  private mutating func register(_ ask: Ask, _ app: AppID, _ kind: TokenKind) {
    emit(.answer(ask, AppAnswer()))
    guard apps[app]?.claims(.pushes) != false else {
      // S2-23: without the entitlement there is no token.
      let failure = AppLinkFailure(
        .registrationRefused,
        "\(app) does not claim aps-environment in its manifest: set it to development or "
          + "production and run 'belfry app install' again")
      return emit(.tell(ask.connection, .registrationFailed(kind, failure)))
    }
    guard hasGateway else {
      emit(
        .tell(
          ask.connection,
          .registrationFailed(
            kind,
            AppLinkFailure(
              .noGateway, "this device has no gateway: start the agent with --gateway"))))
      return
    }
    let known = apps[app]?.registrations[kind]
    if known == nil {
      update(app) { record in
        record.registrations[kind] = LocalApp.Registration()
        record.hasPane = true
      }
    }
    if let token = known?.token {
      // S0-37, S1-17: the token that is there is told at once.
      emit(.tell(ask.connection, .token(kind, token)))
    } else if !isLinkUp {
      // S4-13: the device must be online. The token is told when it comes.
      emit(
        .tell(
          ask.connection,
          .registrationFailed(
            kind,
            AppLinkFailure(
              .gatewayUnreachable, "the gateway cannot be reached: check the network"))))
    }
    emit(.register(app, kind))
  }

  private mutating func unregister(_ ask: Ask, _ app: AppID, _ kind: TokenKind) {
    unregister(app, kind)
    emit(.answer(ask, AppAnswer()))
  }

  mutating func unregister(_ app: AppID, _ kind: TokenKind) {
    guard apps[app]?.registrations[kind] != nil else { return }
    update(app) { record in
      record.registrations[kind] = nil
      // S4-7: its controls disappear from the settings.
      if kind == .alert { record.hasPane = false }
    }
    emit(.unregister(app, kind))
  }

  /// The gateway gave a token: the first one, the same one again, or another (S0-38).
  mutating func registered(_ app: AppID, _ kind: TokenKind, token: [UInt8]) {
    guard let known = apps[app]?.registrations[kind], known.token != token else { return }
    update(app) { $0.registrations[kind] = LocalApp.Registration(token: token) }
    tellAll(app, .token(kind, token))
  }

  /// The gateway refused to register.
  mutating func registrationRefused(_ app: AppID, _ kind: TokenKind, message: String) {
    guard apps[app]?.registrations[kind] != nil else { return }
    update(app) { $0.registrations[kind] = nil }
    tellAll(app, .registrationFailed(kind, AppLinkFailure(.registrationRefused, message)))
  }

  /// The device has another identity: every token is another one (S1-16).
  mutating func forgetTokens() {
    for (id, record) in apps where !record.registrations.isEmpty {
      update(id) { record in
        for kind in record.registrations.keys { record.registrations[kind]?.token = nil }
      }
    }
  }

  // MARK: - What an app sets

  private mutating func setCategories(
    _ ask: Ask, _ app: AppID, _ categories: [NotificationCategory]
  ) {
    guard categories.allSatisfy({ !$0.id.isEmpty }),
      Set(categories.map(\.id)).count == categories.count
    else {
      return refuse(
        ask, .invalidArgument, "each category needs an identifier of its own (client-api 3.27)")
    }
    update(app) { $0.categories = categories }
    emit(.answer(ask, AppAnswer()))
  }

  private mutating func setBadge(_ ask: Ask, _ app: AppID, _ badge: Int64) {
    guard badge >= 0 else {
      return refuse(ask, .badgeInputInvalid, "a badge is 0 or more")
    }
    guard settings(of: app).badge == .enabled else {
      return refuse(ask, .notificationsNotAllowed, "badges are not allowed for this application")
    }
    changeBadge(app, badge)
    emit(.answer(ask, AppAnswer()))
  }

  mutating func changeBadge(_ app: AppID, _ badge: Int64) {
    guard apps[app]?.badge != badge else { return }
    update(app) { $0.badge = badge }
    emit(.badge(app, badge))
    tellAll(app, .badge(badge))
  }

  // MARK: - Notifications of the app's own

  /// Takes a request in: now, or into the schedule.
  mutating func add(
    _ ask: Ask, _ app: AppID, _ request: NotificationRequest, atUnixMilliseconds now: Int64
  ) {
    guard settings(of: app).status.allows else {
      return refuse(
        ask, .notificationsNotAllowed, "Notifications are not allowed for this application")
    }
    guard !request.content.isEmpty else {
      return refuse(ask, .notificationInvalidNoContent, "there is nothing to show")
    }
    let key = AppNotificationID(app: app, id: request.id)
    // What shows notifications can be switched off.
    update(app) { $0.hasPane = true }
    if let trigger = request.trigger { return schedule(key, request, trigger, ask) }
    // The same name replaces, also what still waits (client-api 3.13).
    unschedule([key])
    fire(key, request, atUnixMilliseconds: now)
    emit(.answer(ask, AppAnswer()))
  }

  /// A local notification is due.
  mutating func fire(
    _ key: AppNotificationID, _ request: NotificationRequest, atUnixMilliseconds now: Int64
  ) {
    deliver(key, DeliveredNotification(request: request, unixMilliseconds: now), isPush: false)
  }

  private mutating func removeDelivered(_ ask: Ask, _ app: AppID, _ ids: [String]?) {
    for id in ids ?? delivered.of(app).map(\.key.id) {
      withdraw(AppNotificationID(app: app, id: id))
    }
    emit(.answer(ask, AppAnswer()))
  }

  /// Takes a notification off the list and off the screen; nothing when it is gone already.
  mutating func withdraw(_ key: AppNotificationID) {
    guard delivered.remove(key) != nil else { return }
    emit(.persist(.remove(.delivered, key: key.recordKey)))
    emit(.withdraw(key))
  }
}
