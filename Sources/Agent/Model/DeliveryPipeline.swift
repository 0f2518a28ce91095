import BelfryWire

/// What becomes of a notification: changed by a service extension, shown or asked about, fetched for,
/// responded to.
///
/// Puts together what concerns delivery, responses, background work and extensions.
struct DeliveryPipeline {
  private var delivery = Delivery()
  private var responses = Responses()
  private var background = BackgroundWork()
  private var extensions = ServiceExtensions()

  // MARK: - Start

  /// Puts back what was kept.
  mutating func restore(_ records: RestoredRecords, _ context: inout AgentContext) {
    delivery.restore(records, &context)
    for (key, value) in records[.responses] {
      if let order = responses.restore(key: key, record: value) {
        delivery.reserve(order: order)
      } else {
        context.emit(.log(.damagedRecord(.responses, key: key)))
      }
    }
    for (key, value) in records[.fetches] {
      guard !background.restoreHeld(key: key, record: value) else { continue }
      context.emit(.log(.damagedRecord(.fetches, key: key)))
    }
    for (key, value) in records[.device] { background.restoreBudget(key: key, record: value) }
    background.dropUnknownApps(&context)
  }

  /// After a start: what was kept and never seen is shown now.
  mutating func resume(_ context: inout AgentContext) { delivery.resume(&context) }

  // MARK: - Looking

  /// The ids of the latest pushes, oldest first.
  var rememberedPushes: [NotificationID] { delivery.rememberedPushes }

  /// What a person sees in the centre, of one app or of all, oldest first.
  func listed(of app: AppID?) -> [DeliveredList.Entry] { delivery.listed(of: app) }

  /// All that is there, of one app or of all, listed or not, oldest first.
  func keys(of app: AppID?) -> [AppNotificationID] { delivery.keys(of: app) }

  /// The one notification of that name.
  func key(named id: String, of app: String?) throws(AppLinkFailure) -> AppNotificationID {
    try delivery.key(named: id, of: app)
  }

  /// What nobody has seen yet, for a presenter that is new.
  func unseen(_ context: AgentContext) -> [Presentation] { delivery.unseen(context) }

  /// The newest of what a person sees in the centre, oldest first.
  func newestListed(_ context: AgentContext) -> [Presentation] { delivery.newestListed(context) }

  /// Whether a push of an app waits to be handed over.
  func holdsPush(of app: AppID) -> Bool { background.holdsPush(of: app) }

  // MARK: - Notifications that come

  /// A push came: it is retained, handed over, and acknowledged once it is durable.
  ///
  /// One that came before is only acknowledged.
  mutating func onPush(_ push: ReceivedPush, _ context: inout AgentContext) {
    // Where it was unregistered meanwhile, nobody is there to take it (client-api 3.58).
    if delivery.isNew(push, &context), context.apps[push.app]?.registrations[push.kind] != nil {
      route(push, &context)
    }
    context.emit(.acknowledge(push.uniqueID))
  }

  private mutating func route(_ push: ReceivedPush, _ context: inout AgentContext) {
    let retained = RetainedPush(push, unixMilliseconds: context.now.wall)
    let payload = PushPayload(push.payload) ?? PushPayload()
    let isVisible = retained.isVisible(payload.content)
    let wantsFetch = push.kind != .alert || payload.isContentAvailable
    let routing = context.route(
      isVisible ? payload.content : NotificationContent(), of: push.app, isPush: true,
      wantsFetch: wantsFetch)
    if wantsFetch, routing.handsOver || routing.launches {
      background.onPush(push.app, retained, &context)
    } else if routing.handsOver, let peer = context.connections.peers(of: push.app).first {
      context.tell(peer.connection, .arrived(retained.arrival))
    }
    guard isVisible else { return }
    let key = AppNotificationID(app: push.app, id: push.notificationID)
    if let executable = ServiceExtensions.executable(for: payload, of: push.app, context) {
      let order = delivery.hold(key, retained.retained, &context)
      extensions.start(executable, for: key, order: order, &context)
    } else {
      delivery.deliver(key, retained.retained, routing, &context)
    }
  }

  /// Delivers notifications of apps' own whose moment or place has come.
  mutating func deliver(_ due: [LocalNotifications.Due], _ context: inout AgentContext) {
    for due in due {
      let routing = context.route(
        due.request.content, of: due.key.app, isPush: false, wantsFetch: false)
      delivery.deliver(
        due.key, RetainedNotification(due.request, unixMilliseconds: context.now.wall), routing,
        &context)
    }
  }

  // MARK: - Apps

  /// Why an app that greets was started.
  func launch(
    of app: AppID, _ hello: AppHello, _ context: inout AgentContext
  ) -> AppLaunch {
    guard hello.role == .app, context.claimLaunch(app, token: hello.launch) else {
      return AppLaunch(reason: .user)
    }
    if let response = responses.first(of: app)?.response {
      return AppLaunch(
        reason: .response, response: response, payload: response.notification.payload)
    }
    return background.awaitedPush(of: app).map { AppLaunch(reason: .push, payload: $0.payload) }
      ?? AppLaunch(reason: .user)
  }

  /// An app has connected: what waited for it is told to it now.
  mutating func onAppConnected(_ app: AppID, _ context: inout AgentContext) {
    background.onConnected(app, &context)
    if context.presence(of: app) == .foreground { background.onForeground(app, &context) }
    responses.sendAll(to: app, &context)
  }

  /// An app came to the front.
  mutating func onForeground(_ app: AppID, _ context: inout AgentContext) {
    background.onForeground(app, &context)
  }

  /// A service extension has connected: it gets its push, and one that nobody waits for has nothing to
  /// do.
  mutating func onExtensionConnected(
    _ connection: ConnectionID, _ app: AppID, token: String?, _ context: inout AgentContext
  ) {
    guard let (token, job) = extensions.onGreeted(connection, app, token: token),
      let entry = delivery.entry(job.key, order: job.order)
    else { return context.emit(.close(connection)) }
    context.ask(
      connection,
      .extend(entry.retained.notification.request, payload: entry.retained.payload ?? []),
      .extend(token: token), timeoutMilliseconds: Limits.extensionMilliseconds)
  }

  /// An app answered a question, or its time is over (nil).
  mutating func onReply(
    _ question: Question, _ reply: AppReply?, _ context: inout AgentContext
  ) {
    guard let purpose = context.close(question) else { return }
    if reply != nil { context.emit(.cancelTimeout(question)) }
    switch purpose {
    case .willPresent(let key, let order):
      var options: Set<PresentationOption> = []
      if case .present(let chosen)? = reply { options = chosen }
      delivery.onPresentationAnswer(key, order: order, options, &context)
    case .fetch(let app):
      if case .fetched(let result)? = reply {
        background.onFetched(app, result, &context)
      } else {
        background.onTimedOut(app, &context)
      }
    case .extend(let token):
      if case .content(let content)? = reply {
        finishExtension(token, content, &context)
      } else {
        finishExtension(token, nil, &context)
      }
    case .response(let app, let key): responses.onHandled(app, key: key, &context)
    }
  }

  /// A connection is gone, with questions that nobody answers any more.
  mutating func onDisconnected(
    _ connection: ConnectionID, _ unanswered: [QuestionPurpose], _ context: inout AgentContext
  ) {
    if let job = extensions.onDisconnected(connection) { deliver(job, nil, &context) }
    for purpose in unanswered {
      switch purpose {
      case .willPresent(let key, let order):
        // Another instance of the app may be in front, and is asked then.
        if let entry = delivery.entry(key, order: order) { delivery.deliver(entry, &context) }
      case .fetch(let app): background.onFetched(app, nil, &context)
      case .response(let app, let key): responses.onUnanswered(app, key: key, &context)
      case .extend: break  // Its job is finished above.
      }
    }
  }

  /// An app that was started has not come in time, or could not be started.
  mutating func onStartFailed(_ app: AppID, token: String, _ context: inout AgentContext) {
    guard context.expectNoMore(app, token: token), context.presence(of: app) == .notRunning
    else { return }
    background.onTimedOut(app, &context)
  }

  /// An app is removed: nothing of it stays.
  mutating func onAppRemoved(_ app: AppID, _ context: inout AgentContext) {
    withdraw(delivery.keys(of: app), &context)
    responses.onAppRemoved(app, &context)
    background.onAppRemoved(app, &context)
    extensions.onAppRemoved(app)
  }

  // MARK: - Service extensions

  /// A service extension could not be started, or did not answer in time.
  mutating func onExtensionFailed(_ token: String, _ context: inout AgentContext) {
    finishExtension(token, nil, &context)
  }

  /// A service extension's time is nearly over.
  func onExtensionTimeEnds(_ token: String, _ context: inout AgentContext) {
    extensions.onTimeEnds(token, &context)
  }

  private mutating func finishExtension(
    _ token: String, _ content: NotificationContent?, _ context: inout AgentContext
  ) {
    if let job = extensions.finish(token) { deliver(job, content, &context) }
  }

  /// Delivers what an extension made of a push, or the push as it came (nil).
  private mutating func deliver(
    _ job: ServiceExtensions.Job, _ content: NotificationContent?, _ context: inout AgentContext
  ) {
    // Withdrawn or replaced meanwhile: there is nothing to show.
    guard let entry = delivery.entry(job.key, order: job.order) else { return }
    if var content, content.hasAlert {
      // What decides where it belongs stays the provider's.
      content.generation = entry.retained.content.generation
      delivery.deliver(entry, changedTo: content, &context)
    } else {
      delivery.deliver(entry, &context)
    }
  }

  // MARK: - The person

  /// A person did something to a notification; nothing where it is gone.
  mutating func onAction(
    _ key: AppNotificationID, _ action: PersonAction, _ context: inout AgentContext
  ) {
    if let entry = delivery[key] { perform(action, on: entry, &context) }
  }

  /// A command takes an action that a notification offers.
  mutating func onOfferedAction(
    _ key: AppNotificationID, _ action: PersonAction, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    guard let entry = delivery[key] else { return }
    let content = entry.retained.content
    let category = context.apps[key.app]?.category(content.category)
    let offered = content.actions ?? category.map { $0.actions + ($0.minimalActions ?? []) } ?? []
    let ids = offered.map(\.id)
    guard ids.contains(action.id) else {
      throw AppLinkFailure(
        .invalidArgument,
        "\(key.id) has no action \(action.id)"
          + (ids.isEmpty ? ": open it, or dismiss it" : ": it has \(ids.joined(separator: ", "))"))
    }
    perform(action, on: entry, &context)
  }

  private mutating func perform(
    _ action: PersonAction, on entry: DeliveredList.Entry, _ context: inout AgentContext
  ) {
    let app = entry.key.app
    guard let record = context.apps[app] else {
      return assertionFailure("no notification of an app that is gone")
    }
    let consequences = ActionConsequences(action.id, on: entry.retained.content, of: record)
    if context.conditions.isLocked, consequences.needsUnlock {
      // Client-api 3.26: done when the person has unlocked.
      return responses.holdUntilUnlock(
        Responses.LockedChoice(key: entry.key, order: entry.order, action: action))
    }
    delivery.withdraw(entry.key, &context)
    guard consequences.isTold else { return }
    let response = responses.add(entry, action, &context)
    let presence = context.presence(of: app)
    let bringsToFront = consequences.bringsToFront
    if presence == .notRunning || (bringsToFront && presence == .background) {
      context.launch(
        app, .response, isForeground: bringsToFront,
        activationToken: bringsToFront ? action.activationToken : nil)
    }
    if presence != .notRunning { responses.send(response, to: app, &context) }
  }

  /// The screen was locked or unlocked.
  mutating func onLockChanged(_ context: inout AgentContext) {
    delivery.refreshTexts(&context)
    guard !context.conditions.isLocked else { return }
    for choice in responses.releaseLockedChoices() {
      guard let entry = delivery.entry(choice.key, order: choice.order) else { continue }
      perform(choice.action, on: entry, &context)
    }
  }

  /// A presenter has a notification on screen.
  mutating func onShown(_ key: AppNotificationID, _ context: inout AgentContext) {
    delivery.onShown(key, &context)
  }

  /// Takes notifications off the list and off the screen.
  mutating func withdraw(_ keys: [AppNotificationID], _ context: inout AgentContext) {
    for key in keys { delivery.withdraw(key, &context) }
  }

  /// An app sets its badge.
  func onBadgeRequest(
    _ ask: Ask, _ app: AppID, _ badge: Int64, _ context: inout AgentContext
  ) {
    delivery.onBadgeRequest(ask, app, badge, &context)
  }

  // MARK: - After each event

  /// The shell has come back for background work.
  mutating func onBackgroundWorkDue() { background.onDue() }

  /// Does what may be done in the background now.
  mutating func settle(_ context: inout AgentContext) { background.settle(&context) }

  /// Stops in a debug build when a machine contradicts itself.
  func checkInvariants(_ context: AgentContext) {
    delivery.checkInvariants(context)
    responses.checkInvariants(context)
    background.checkInvariants(context)
    extensions.checkInvariants(context)
  }
}
