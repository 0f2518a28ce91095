import BelfryWire

/// The agent's decisions as one state machine: apps, permissions, delivery, responses, background work,
/// schedule, regions.
///
/// Has no clock, socket or disk: `AgentDaemon` passes each event with the time to `handle`, then carries out the
/// effects from `takeEffects`. Each part has its own state; events that concern several are coordinated here.
struct AgentModel: ~Copyable {
  private let configuration: Configuration
  private var context: AgentContext
  private var permissions: Permissions
  private var registrations: Registrations
  private var pipeline = DeliveryPipeline()
  private var local: LocalNotifications
  private var front = FrontApp()
  private var hasStarted = false

  /// Creates an agent without state: the first events have to be `recordsRestored` and `started`.
  init(_ configuration: Configuration, zones: ZoneFolder, lookUps: LookUps = LookUps()) {
    self.configuration = configuration
    context = AgentContext(configuration, lookUps)
    permissions = Permissions(policy: configuration.policy)
    registrations = Registrations(hasGateway: configuration.hasGateway)
    local = LocalNotifications(configuration, lookUps, zones)
  }

  /// The ids of the latest pushes, oldest first, by which the gateway's link recognises repetitions too.
  var rememberedPushes: [NotificationID] { pipeline.rememberedPushes }

  /// The device's languages, most wanted first.
  var languages: [String] { context.apps.languages }

  /// What a person sees in the Notification Center, the newest app and thread first.
  var centerGroups: [CenterGroup] {
    CenterGroup.groups(pipeline.newestListed(context)) {
      context.apps[$0]?.status == .provisional
    }
  }

  /// Returns and clears the effects since the last call.
  mutating func takeEffects() -> [AgentEffect] { context.takeEffects() }

  private mutating func emit(_ effect: AgentEffect) { context.emit(effect) }

  // MARK: - Events

  /// Handles an event; `takeEffects` returns what follows from it.
  mutating func handle(_ event: AgentEvent, at now: AgentTime) {
    context.begin(at: now)
    switch event {
    case .recordsRestored(let records): onRecordsRestored(records)
    case .identityReplaced: registrations.onIdentityReplaced(&context)
    case .started: onStarted()
    case .recordsPersisted: local.onRecordsPersisted()
    case .appGreeted(let ask, let hello, let process): onGreeting(ask, hello, process)
    case .appRequested(let ask, let request): onRequest(ask, request)
    case .appReplied(let question, let reply): pipeline.onReply(question, reply, &context)
    case .questionTimedOut(let question): pipeline.onReply(question, nil, &context)
    case .appDisconnected(let connection): onDisconnected(connection)
    case .installationRead(let ask, let result): context.install(ask, result)
    case .promptAnswered(let id, let isAllowed):
      let released = permissions.onAnswer(id, isAllowed: isAllowed, &context)
      local.onPermissionChanged()
      add(released)
    case .promptPostponed(let id): permissions.onPostponed(id, &context)
    case .notificationActedOn(let key, let action): pipeline.onAction(key, action, &context)
    case .provisionalDecided(let app, let isKept): onProvisionalDecided(app, isKept: isKept)
    case .notificationShown(let key): pipeline.onShown(key, &context)
    case .notificationWindow(let key, let isOpen):
      pipeline.onWindow(key, isOpen: isOpen, &context)
    case .presenterAppeared(let kind, let isNew): onPresenterAppeared(kind, isNew: isNew)
    case .pushReceived(let push): pipeline.onPush(push, &context)
    case .registrationSucceeded(let app, let kind, let token):
      registrations.onToken(app, kind, token, &context)
    case .registrationRefused(let app, let kind, let message):
      registrations.onRefused(app, kind, message, &context)
    case .gatewayKnown(let environment): registrations.onGatewayKnown(environment, &context)
    case .linkChanged(let isUp): registrations.onLinkChanged(isUp: isUp, &context)
    case .conditionChanged(let change): onConditionChanged(change)
    case .focusedWindowChanged(let window): front.onWindow(window, &context)
    case .scheduleDue: local.onWakeUp()
    case .clockWasSet: local.onClockSet(&context)
    case .clockMoved: local.onClockMoved(&context)
    case .zonesChanged(let zones): local.onZonesChanged(to: zones, &context)
    case .backgroundWorkDue: pipeline.onBackgroundWorkDue()
    case .backgroundTimeDue: pipeline.onBackgroundTimeDue()
    case .located(let place): pipeline.deliver(local.onPlace(place, &context), &context)
    case .locationServiceEnded: local.onLocationServiceEnded()
    case .beaconHeard(let beacon): pipeline.deliver(local.onBeacon(beacon, &context), &context)
    case .regionsDue: pipeline.deliver(local.onRegionsDue(&context), &context)
    case .appExpected(let app, let token), .appLaunchFailed(let app, let token):
      pipeline.onStartFailed(app, token: token, &context)
    case .extensionFailed(let token): pipeline.onExtensionFailed(token, &context)
    case .extensionTimedOut(let token): pipeline.onExtensionTimedOut(token, &context)
    case .extensionEnded(let token): pipeline.onExtensionEnded(token, &context)
    case .extensionTimeEnds(let token): pipeline.onExtensionTimeEnds(token, &context)
    }
    settle()
  }

  /// Ends the handling of any event: fires what is due, then sets timers and services.
  private mutating func settle() {
    guard hasStarted else { return }
    pipeline.releaseDecided(&context)
    while let due = local.nextDue(&context) { pipeline.deliver([due], &context) }
    KeptNotifications.withdrawIdleQuestions(&permissions, pipeline, local, &context)
    local.settle(&context)
    pipeline.settle(&context)
    AttachmentFiles.settle(pipeline, local, &context)
    #if DEBUG
      checkInvariants()
    #endif
  }

  /// Asserts what holds between events, within each part and between them.
  func checkInvariants() {
    context.checkInvariants()
    permissions.checkInvariants(context)
    registrations.checkInvariants()
    pipeline.checkInvariants(context)
    local.checkInvariants()
  }

  // MARK: - Start

  private mutating func onRecordsRestored(_ records: RestoredRecords) {
    precondition(!hasStarted, "records are restored before anything else happens")
    context.restore(records)
    pipeline.restore(records, &context)
    local.restore(records, &context)
  }

  private mutating func onStarted() {
    precondition(!hasStarted, "an agent starts once")
    hasStarted = true
    pipeline.resume(&context)
    KeptNotifications.askAnew(&permissions, pipeline, local, &context)
    registrations.announceAll(&context)
  }

  // MARK: - Connections

  private mutating func onGreeting(_ ask: Ask, _ hello: AppHello, _ process: ProcessIdentity) {
    let identification = AppIdentification(configuration: configuration, context: context)
    do throws(AppLinkFailure) {
      if let refusal = identification.refusal(ask, hello, process) { throw refusal }
      switch hello.role {
      case .control:
        context.admit(
          ask.connection, role: .control, app: nil, .background, process: process.pid,
          rights: process.controlRights)
        context.answer(
          ask, .welcome(AppWelcome(appID: nil, agentRun: configuration.agentRun)))
      case .app, .serviceExtension, .contentExtension:
        admit(try identification.identify(hello, process), ask, hello, process)
      }
    } catch {
      context.refuse(ask, error)
      emit(.close(ask.connection))
    }
  }

  private mutating func admit(
    _ app: AppID, _ ask: Ask, _ hello: AppHello, _ process: ProcessIdentity
  ) {
    if context.apps[app] == nil { context.add(LocalApp(id: app)) }
    context.update(app) { $0.apply(hello, process) }
    context.admit(
      ask.connection, role: hello.role, app: app, hello.state, process: process.pid,
      isStartedBehind: hello.role == .app && context.launches.isBehind(app, token: hello.launch))
    let launch = pipeline.launch(of: app, hello, &context)
    context.answer(
      ask,
      .welcome(
        AppWelcome(
          appID: app.text, agentRun: configuration.agentRun, settings: context.settings(of: app),
          badge: context.apps[app]?.badge ?? 0, languages: context.apps.languages(of: app),
          launch: launch, isRegistered: context.apps[app]?.registrations.isEmpty == false)))
    switch hello.role {
    case .app:
      pipeline.onAppConnected(app, &context)
      front.onConnected(ask.connection, &context)
    case .serviceExtension:
      pipeline.onExtensionConnected(ask.connection, app, token: hello.launch, &context)
    case .contentExtension:
      pipeline.onContentExtensionConnected(ask.connection, app, token: hello.launch, &context)
    case .control: preconditionFailure("a command is no app")
    }
  }

  private mutating func onDisconnected(_ connection: ConnectionID) {
    guard let (peer, unanswered) = context.disconnect(connection) else { return }
    permissions.onDisconnected(connection, peer.app, &context)
    local.onDisconnected(connection)
    pipeline.onDisconnected(connection, peer.app, unanswered, &context)
  }

  private mutating func onPresenterAppeared(
    _ kind: AgentConfiguration.PresenterKind, isNew: Bool
  ) {
    var events: [PresenterEvent] = []
    if isNew {
      events += pipeline.unseen(context).map(PresenterEvent.presented)
      events += permissions.openPrompts.map(PresenterEvent.prompt)
    }
    for app in context.apps.all where app.visibleBadge > 0 {
      events.append(.badge(app.id, app.visibleBadge))
    }
    emit(.replay(kind, events))
  }

  // MARK: - The device

  private mutating func onConditionChanged(_ change: DeviceChange) {
    if case .online(let isOtherNetwork) = change {
      emit(.probeGateway(isOtherNetwork: isOtherNetwork))
    }
    changeConditions { $0.apply(change) }
  }

  private mutating func changeConditions(_ change: (inout AgentContext) -> Void) {
    let before = context.conditions
    change(&context)
    let after = context.conditions
    if before.deviceState != after.deviceState { emit(.announceState(after.deviceState)) }
    if before.isAsleep, !after.isAsleep {
      // A machine that wakes from sleep may be elsewhere, and what came due meanwhile fires without waiting for
      // the kernel's timer.
      emit(.probeGateway(isOtherNetwork: true))
      local.onWakeUp()
    }
    if before.isLocked != after.isLocked { pipeline.onLockChanged(&context) }
  }

  // MARK: - Requests of apps

  private mutating func onRequest(_ ask: Ask, _ request: AppRequest) {
    guard let peer = context.connections[ask.connection] else {
      return context.refuse(ask, .helloExpected, "say hello first")
    }
    do throws(AppLinkFailure) {
      if case .control(let request) = request {
        guard peer.role == .control else {
          throw AppLinkFailure(
            .unsupportedMessage, "only a control connection may ask this")
        }
        guard peer.rights.contains(request.right) else {
          throw AppLinkFailure(.appRefused, "this process may not ask this")
        }
        try onCommand(ask, request)
      } else if let app = peer.app {
        // Its connection ends soon; until then nothing is done for an app that is gone.
        guard context.apps[app] != nil else {
          throw AppLinkFailure(.unknownApp, "\(app) was removed: connect again")
        }
        try onRequest(ask, app, request)
      } else {
        throw AppLinkFailure(.unsupportedMessage, "only an app may ask this")
      }
    } catch {
      context.refuse(ask, error)
    }
  }

  /// Handles an app's request, which is answered at once or later.
  private mutating func onRequest(
    _ ask: Ask, _ app: AppID, _ request: AppRequest
  ) throws(AppLinkFailure) {
    // It was sent before the app was suspended.
    context.resume(app)
    switch request {
    case .hello: throw AppLinkFailure(.appRefused, "greeted twice on one connection")
    case .control: preconditionFailure("commands do not come here")
    case .requestAuthorization(let options):
      permissions.onAuthorizationRequest(ask, app, options, &context)
    case .settings: context.answer(ask, .settings(context.settings(of: app)))
    case .register(let kind): registrations.onRegister(ask, app, kind, &context)
    case .unregister(let kind):
      registrations.unregister(app, kind, &context)
      context.confirm(ask)
    case .setCategories(let categories):
      try context.setCategories(app, categories)
      context.confirm(ask)
    case .categories: context.answer(ask, .categories(context.apps[app]?.categories ?? []))
    case .add(let request): try add(ask, app, request)
    case .pending:
      context.answer(ask, .pending(local.pending(of: app.text, context).map(\.waiting)))
    case .removePending(let ids):
      let keys = ids?.map { AppNotificationID(app: app, id: $0) }
      local.remove(keys ?? local.waiting(of: app.text, context), &context)
      context.confirm(ask)
    case .delivered:
      context.answer(ask, .delivered(pipeline.listed(of: app).map(\.retained.notification)))
    case .removeDelivered(let ids):
      let keys = ids?.map { AppNotificationID(app: app, id: $0) }
      pipeline.withdraw(keys ?? pipeline.keys(of: app), &context)
      context.confirm(ask)
    case .setBadge(let badge): pipeline.onBadgeRequest(ask, app, badge, &context)
    case .badge: context.answer(ask, .badge(context.apps[app]?.badge ?? 0))
    case .setState(let state):
      context.setState(ask.connection, state)
      context.confirm(ask)
      pipeline.onState(state, of: app, &context)
    case .setLanguages(let languages):
      context.update(app) { $0.languages = languages }
      context.confirm(ask)
    case .beginBackgroundTask, .endBackgroundTask, .backgroundTime, .submitTask, .cancelTasks,
      .pendingTasks:
      try pipeline.onBackgroundRequest(ask, app, request, &context)
    case .requestLocation(let always):
      permissions.onLocationRequest(ask, app, always: always, &context)
      local.onPermissionChanged()
    case .locationStatus:
      context.answer(ask, .locationStatus(context.apps.locationStatus(of: app)))
    case .watchRegion(let region):
      try local.watch(app, region, &context)
      context.confirm(ask)
    case .unwatchRegion(let id):
      local.unwatch(app, id, &context)
      context.confirm(ask)
    case .watchedRegions: context.answer(ask, .regions(local.watched(by: app)))
    case .regionState(let id):
      context.answer(ask, .regionState(local.state(of: app, id, context)))
    case .setLocationUpdates(let isOn):
      context.confirm(ask)
      local.follow(ask.connection, app, isOn: isOn, &context)
    case .setDrawing, .contentWish: try pipeline.onContentRequest(ask, request, &context)
    }
  }

  /// Delivers a notification request now, or adds it to the schedule.
  private mutating func add(
    _ ask: Ask, _ app: AppID, _ request: NotificationRequest
  ) throws(AppLinkFailure) {
    let generation = request.content.generation
    guard permissions.mayAdd(request.content, of: app, &context) else {
      throw AppLinkFailure(
        .notificationsNotAllowed, "Notifications are not allowed for this application")
    }
    guard !request.content.isEmpty else {
      throw AppLinkFailure(.notificationInvalidNoContent, "there is nothing to show")
    }
    let key = AppNotificationID(app: app, id: request.id)
    // An app that shows notifications has to be in the settings, so that a person can turn it off.
    context.update(app) { app in
      app.isInSettings = true
      app.generation = generation
    }
    context.onAttachments(request.content.attachments, of: app)
    if let trigger = request.trigger {
      try local.add(key, request, trigger, &context)
    } else {
      // A request replaces one with the same identifier, even a pending one (client-api 3.13).
      local.remove([key], &context)
      pipeline.deliver([LocalNotifications.Due(key: key, request: request)], &context)
    }
    context.confirm(ask)
  }

  private mutating func add(_ released: [Permissions.WaitingNotification]) {
    for waiting in released {
      do throws(AppLinkFailure) {
        try add(waiting.ask, waiting.app, waiting.request)
      } catch {
        context.refuse(waiting.ask, error)
      }
    }
  }

  // MARK: - Commands

  /// Handles a command's request, which is answered at once or later.
  private mutating func onCommand(
    _ ask: Ask, _ request: ControlRequest
  ) throws(AppLinkFailure) {
    switch request {
    case .apps:
      let rows = context.apps.all.map { $0.row(context) }
      context.answer(ask, .rows(rows))
    case .install(let path):
      emit(.readInstallation(ask, path: path, languages: context.apps.languages))
    case .removeApp(let app): remove(try context.apps.known(app), ask)
    case .token(let app, let kind):
      let token = context.apps[try context.apps.known(app)]?.registrations[kind]?.token
      context.answer(ask, .token(token.map(hexadecimal)))
    case .notify(let app, let request): try notify(ask, app, request)
    case .scheduled(let app): context.answer(ask, .rows(local.rows(of: app, context)))
    case .cancel(let app, let id):
      let keys = try id.map { id throws(AppLinkFailure) in
        [try local.onlyWaiting(id, of: app, context)]
      }
      local.remove(keys ?? local.waiting(of: app, context), &context)
      context.confirm(ask)
    case .nextDates(let app, let id, let count):
      let key = try local.onlyWaiting(id, of: app, context)
      context.answer(ask, .dates(local.dates(key, count: count, context)))
    case .appSettings(let app?):
      let row = context.apps[try context.apps.known(app)]?.settingsRow
      context.answer(ask, .rows(row.map { [$0] } ?? []))
    case .appSettings(nil):
      // An app that never asked for permission is not in the settings (S4-4, S4-7).
      let apps = context.apps.all.filter { !$0.requested.isEmpty && $0.isInSettings }
      context.answer(ask, .rows(apps.map(\.settingsRow)))
    case .changeSettings(let app, let changes):
      try changeSettings(ask, try context.apps.known(app), changes)
    case .changeDevice(let changes): try changeDevice(ask, changes)
    case .center(let app):
      let entries = pipeline.listed(of: nil).filter { app == nil || $0.key.app.text == app }
      context.answer(ask, .rows(entries.map { $0.row(context) }))
    case .openCenter(let environment): emit(.openCenter(ask, environment))
    case .open(let app, let id):
      pipeline.onAction(try pipeline.key(named: id, of: app), .open, &context)
      context.confirm(ask)
    case .act(let app, let id, let action, let text):
      try pipeline.onOfferedAction(
        try pipeline.key(named: id, of: app), PersonAction(action, text: text), &context)
      context.confirm(ask)
    case .dismiss(let app, let id):
      let key = try id.map { id throws(AppLinkFailure) in try pipeline.key(named: id, of: app) }
      let keys = pipeline.keys(of: nil).filter { app == nil || $0.app.text == app }
      for key in key.map({ [$0] }) ?? keys { pipeline.onAction(key, .dismiss, &context) }
      context.confirm(ask)
    case .clock: context.answer(ask, .rows([local.clockRow(context)]))
    case .setClock(let milliseconds): try local.travel(ask, .set(milliseconds), &context)
    case .advanceClock(let milliseconds): try local.travel(ask, .advance(milliseconds), &context)
    case .setZone(let name): try local.travel(ask, .moveZone(name), &context)
    case .setPlace(let latitude, let longitude):
      let due = try local.onPlaceCommand(latitude: latitude, longitude: longitude, &context)
      pipeline.deliver(due, &context)
      context.confirm(ask)
    case .state(let changes): try changeState(ask, changes)
    case .diagnose: emit(.diagnose(ask, diagnosis))
    }
  }

  private mutating func remove(_ app: AppID, _ ask: Ask) {
    for kind in TokenKind.allCases { registrations.unregister(app, kind, &context) }
    if let badge = context.apps[app]?.badge, badge > 0 { emit(.badge(app, 0)) }
    local.removeAll(of: app, &context)
    pipeline.onAppRemoved(app, &context)
    permissions.onAppRemoved(app, &context)
    front.onAppRemoved(app)
    for connection in context.connections.connections(of: app) { emit(.close(connection)) }
    context.remove(app)
    context.confirm(ask)
  }

  /// Adds a command's notification for an app.
  ///
  /// An unknown app becomes a development app; for one that never asked for permission the person is asked
  /// first.
  private mutating func notify(
    _ ask: Ask, _ text: String, _ request: NotificationRequest
  ) throws(AppLinkFailure) {
    guard let app = AppID(text) else {
      throw AppLinkFailure(
        .invalidArgument, "\"\(text)\" is no app id: use one like org.example.app")
    }
    if context.apps[app] == nil {
      guard context.apps.count < Limits.apps else {
        throw AppLinkFailure(
          .appRefused, "too many apps: remove some with 'belfry app remove'")
      }
      context.add(LocalApp(id: app))
    }
    if case .region? = request.trigger {
      // A person who requests a location trigger has decided that the app may use the location.
      if context.apps[app]?.locationStatus == .notDetermined {
        permissions.setLocation(app, .whenInUse, &context)
        local.onPermissionChanged()
      }
      guard context.apps.mayLocate(app) else {
        throw AppLinkFailure(
          .invalidArgument,
          "\(app) may not know the place: 'belfry settings \(app) location=whenInUse', "
            + "'belfry settings --location on'")
      }
    }
    // Its response goes where the app looks for those of its own.
    var request = request
    request.content.generation = context.apps[app]?.generation ?? .userNotification
    let waiting = Permissions.WaitingNotification(ask: ask, app: app, request: request)
    guard permissions.onNotifyRequest(waiting, &context) != nil else { return }
    try add(ask, app, request)
  }

  private mutating func changeSettings(
    _ ask: Ask, _ app: AppID, _ changes: [String: String]
  ) throws(AppLinkFailure) {
    let released = try permissions.onSettingsChange(app, changes, &context)
    local.onPermissionChanged()
    add(released)
    context.answer(ask, .rows(context.apps[app].map { [$0.settingsRow] } ?? []))
  }

  /// The person answered the buttons of an app that notifies quietly; nothing where it does not any
  /// more.
  private mutating func onProvisionalDecided(_ app: AppID, isKept: Bool) {
    guard context.apps[app]?.status == .provisional else { return }
    do throws(AppLinkFailure) {
      add(try permissions.onSettingsChange(app, ["notifications": isKept ? "on" : "off"], &context))
    } catch {
      assertionFailure("notifications can be switched on and off for every app: \(error)")
    }
  }

  private mutating func changeDevice(
    _ ask: Ask, _ changes: [String: String]
  ) throws(AppLinkFailure) {
    let change = try DeviceSettingsChange(changes)
    if let languages = change.languages { context.setLanguages(languages) }
    if let isOn = change.isLocationOn {
      permissions.setLocation(isOn: isOn, &context)
      local.onPermissionChanged()
    }
    context.answer(
      ask,
      .rows([
        [
          "languages": .string(context.apps.languages.joined(separator: ",")),
          "location": context.apps.isLocationOn ? "on" : "off",
        ]
      ]))
  }

  private mutating func changeState(
    _ ask: Ask, _ changes: [String: String]
  ) throws(AppLinkFailure) {
    let conditions = try context.conditions.changed(by: changes, front, context)
    if let word = changes["front"] { front.set(word, &context) }
    changeConditions { $0.setConditions(conditions) }
    var row = conditions.row
    row["front"] = front.word
    context.answer(ask, .rows([row]))
  }

  /// What the model contributes to `belfry doctor`.
  private var diagnosis: ModelDiagnosis {
    ModelDiagnosis(context, permissions, registrations, pipeline)
  }
}
