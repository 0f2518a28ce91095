import BelfryWire
import AppWire

/// The parts of `AgentModel`, each with its own state.
///
/// This type coordinates the handling of events that affect several parts.
struct AgentParts: ~Copyable {
  let configuration: AgentModel.Configuration
  var context: AgentContext
  var permissions: Permissions
  var registrations: Registrations
  var pipeline = DeliveryPipeline()
  var local: LocalNotifications
  var front = FrontApp()
  var unifiedPush: UnifiedPush
  private var hasStarted = false

  /// Creates the parts of an agent without state.
  init(
    _ configuration: AgentModel.Configuration, _ zones: ZoneFolder, _ lookUps: AgentModel.LookUps
  ) {
    self.configuration = configuration
    context = AgentContext(configuration, lookUps)
    permissions = Permissions(policy: configuration.policy)
    registrations = Registrations(
      hasGateway: configuration.hasGateway, isGatewayOff: configuration.isGatewayOff)
    local = LocalNotifications(configuration, lookUps, zones)
    unifiedPush = UnifiedPush(
      isOn: configuration.servesUnifiedPush, hasGateway: configuration.hasGateway,
      isGatewayOff: configuration.isGatewayOff, seed: configuration.seed)
  }

  mutating func emit(_ effect: AgentEffect) { context.emit(effect) }

  // MARK: - Events

  /// Handles an event; the resulting effects are emitted to the context.
  mutating func handle(_ event: AgentEvent, at now: AgentTime) {
    context.begin(at: now)
    // The event might be work for a suspended app, which only the app's current program must receive.
    for app in context.suspendedAppsWithOutdatedPrograms() { killSuspended(app, .fileReplaced) }
    switch event {
    case .recordsRestored(let records): onRecordsRestored(records)
    case .machineReplaced: onMachineReplaced()
    case .identityReplaced:
      registrations.onIdentityReplaced(&context)
      onUnifiedPush(.identityReplaced)
    case .started: onStarted()
    case .recordsPersisted: local.onRecordsPersisted()
    case .appGreeted(let requestID, let hello, let process): onGreeting(requestID, hello, process)
    case .appRequested(let requestID, let request): onRequest(requestID, request)
    case .appReplied(let question, let reply): pipeline.onReply(question, reply, &context)
    case .questionTimedOut(let question): pipeline.onReply(question, nil, &context)
    case .appDisconnected(let connection): onDisconnected(connection)
    case .installationRead(let requestID, let result): onInstallationRead(requestID, result)
    case .promptAnswered(let id, let isAllowed):
      let released = permissions.onAnswer(id, isAllowed: isAllowed, &context)
      local.onPermissionChanged()
      add(released)
    case .promptPostponed(let id): permissions.onPostponed(id, &context)
    case .notificationActedOn(let key, let action): pipeline.onAction(key, action, &context)
    case .provisionalDecided(let app, let isKept): onProvisionalDecided(app, isKept: isKept)
    case .notificationShown(let key): pipeline.delivery.onShown(key, &context)
    case .notificationWindow(let key, let isOpen):
      pipeline.onWindow(key, isOpen: isOpen, &context)
    case .presenterAppeared(let kind, let isNew): onPresenterAppeared(kind, isNew: isNew)
    case .pushReceived(let push): pipeline.onPush(push, &context)
    case .registrationSucceeded(let app, let kind, let token):
      registrations.onToken(app, kind, token, &context)
    case .registrationRefused(let app, let kind, let message):
      registrations.onRefused(app, kind, message, &context)
    case .registrationCancelled(let app, let kind):
      registrations.onCancelled(app, kind, &context)
    case .gatewayKnown(let environment): registrations.onGatewayKnown(environment, &context)
    case .gatewayFound:
      registrations.onGatewayFound(&context)
      onUnifiedPush(.gatewayFound)
      // The earlier requests had no link.
      emit(unifiedPush.start())
    case .linkFailed(let problem): registrations.onLinkFailed(problem)
    case .linkChanged(let isUp):
      registrations.onLinkChanged(isUp: isUp, &context)
      if !isUp { onUnifiedPush(.linkDown) }
    case .unifiedPush(let event): onUnifiedPush(event)
    case .conditionChanged(let change): onConditionChanged(change)
    case .focusedWindowChanged(let window): front.onWindow(window, &context)
    case .scheduleDue: local.onWakeUp()
    case .clockWasSet: local.onClockSet(&context)
    case .clockMoved: local.onClockMoved(&context)
    case .zonesChanged(let zones): local.onZonesChanged(to: zones, &context)
    case .backgroundWorkDue: pipeline.background.onDue()
    case .backgroundTimeDue: pipeline.time.onDue()
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

  /// Completes the handling of an event: fires all notifications that are due, then sets timers and services.
  private mutating func settle() {
    guard hasStarted else { return }
    pipeline.delivery.releaseDecided(&context)
    while let due = local.nextDue(&context) { pipeline.deliver([due], &context) }
    KeptNotifications.withdrawIdleQuestions(&permissions, pipeline, local, &context)
    KeptNotifications.askAboutDelivered(&permissions, pipeline, &context)
    // The policy might have answered the questions above immediately.
    pipeline.delivery.releaseDecided(&context)
    local.settle(&context)
    pipeline.settle(&context)
    AttachmentFiles.settle(permissions, pipeline, local, &context)
    #if DEBUG
      checkInvariants()
    #endif
  }

  /// Asserts the invariants that hold between events, within each part and between parts.
  func checkInvariants() {
    context.checkInvariants()
    permissions.checkInvariants(context)
    registrations.checkInvariants(context)
    pipeline.checkInvariants(context)
    local.checkInvariants()
    unifiedPush.checkInvariants()
  }

  // MARK: - Start

  private mutating func onRecordsRestored(_ records: RestoredRecords) {
    precondition(!hasStarted, "records are restored before the agent starts")
    context.restore(records)
    context.restoreStoredBytes(records)
    permissions.restore(records, &context)
    registrations.restore(records, &context)
    pipeline.restore(records, &context)
    local.restore(records, &context)
    emit(
      unifiedPush.restore(
        subscriptions: records[.subscriptions], messages: records[.messages],
        at: context.now.wall))
  }

  private mutating func onMachineReplaced() {
    // This event can also occur after the start, if the agent waited for its gateway.
    precondition(
      !registrations.isUp, "a replaced machine is detected before the gateway is connected")
    registrations.onMachineReplaced(&context)
    onUnifiedPush(.identityReplaced)
  }

  private mutating func onStarted() {
    precondition(!hasStarted, "an agent starts only once")
    hasStarted = true
    pipeline.delivery.resume(&context)
    add(permissions.resume(&context))
    KeptNotifications.askAnew(&permissions, pipeline, local, &context)
    registrations.announceAll(&context)
    emit(unifiedPush.start())
  }

  // MARK: - Connections

  private mutating func onGreeting(
    _ requestID: RequestID, _ hello: AppHello, _ process: ProcessIdentity
  ) {
    let identification = AppIdentification(configuration: configuration, context: context)
    do throws(AppLinkFailure) {
      if let refusal = identification.refusal(requestID, hello, process) { throw refusal }
      switch hello.role {
      case .control:
        context.admit(
          requestID.connection, role: .control, app: nil, .background, process: process.pid,
          rights: process.controlRights)
        context.answer(
          requestID, .welcome(AppWelcome(appID: nil, agentRun: configuration.agentRun)))
      case .app, .serviceExtension, .contentExtension:
        let app = try identification.identify(hello, process)
        guard context.connections.connections(of: app).count < Limits.connectionsPerApp else {
          throw AppLinkFailure(
            .appRefused,
            "\(app) has reached the limit of \(Limits.connectionsPerApp) connections: stop some of its processes first"
          )
        }
        if context.apps[app] == nil {
          try context.checkRoom(for: app) { $0.apply(hello, process) }
        }
        admit(app, requestID, hello, process)
      }
    } catch {
      context.refuse(requestID, error)
      emit(.close(requestID.connection))
    }
  }

  private mutating func admit(
    _ app: AppID, _ requestID: RequestID, _ hello: AppHello, _ process: ProcessIdentity
  ) {
    if context.apps[app] == nil { context.add(LocalApp(id: app)) }
    // A known app can connect even if there is no room for a longer name or path, so that the app can free space.
    if hasRoom(for: hello, process, of: app) { context.update(app) { $0.apply(hello, process) } }
    context.admit(
      requestID.connection, role: hello.role, app: app, hello.state, process: process.pid,
      isStartedBehind: hello.role == .app && context.launches.isBehind(app, token: hello.launch))
    let launch = pipeline.launch(of: app, hello, &context)
    context.answer(
      requestID,
      .welcome(
        AppWelcome(
          appID: app.text, agentRun: configuration.agentRun, settings: context.settings(of: app),
          badge: context.apps[app]?.badge ?? 0, languages: context.apps.languages(of: app),
          launch: launch, isRegistered: context.apps[app]?.registrations[.alert]?.token != nil)))
    switch hello.role {
    case .app:
      pipeline.onAppConnected(app, &context)
      front.onConnected(requestID.connection, &context)
    case .serviceExtension:
      pipeline.onExtensionConnected(requestID.connection, app, token: hello.launch, &context)
    case .contentExtension:
      pipeline.onContentExtensionConnected(requestID.connection, app, token: hello.launch, &context)
    case .control: preconditionFailure("a control connection was handled as an app")
    }
  }

  private mutating func hasRoom(
    for hello: AppHello, _ process: ProcessIdentity, of app: AppID
  ) -> Bool {
    do throws(AppLinkFailure) {
      try context.checkRoom(for: app) { $0.apply(hello, process) }
      return true
    } catch {
      return false
    }
  }

  private mutating func onDisconnected(_ connection: ConnectionID) {
    guard let (peer, unanswered) = context.disconnect(connection) else { return }
    permissions.onDisconnected(connection, peer.app, &context)
    local.onDisconnected(connection)
    pipeline.onDisconnected(connection, peer.app, unanswered, &context)
    // No process can use the answers to the dialogs of an app that has ended.
    guard let app = peer.app, peer.role == .app, context.presence(of: app) == .notRunning
    else { return }
    for key in pipeline.delivery.keys(of: app) where NotificationRequest.isDialog(key.id) {
      pipeline.delivery.withdraw(key, &context)
    }
  }

  private mutating func onInstallationRead(
    _ requestID: RequestID, _ result: Result<LocalApp, AppLinkFailure>
  ) {
    guard case .success(let record) = result else { return context.install(requestID, result) }
    if context.suspended.contains(record.id) { killSuspended(record.id, .installedAgain) }
    let former = context.apps[record.id]
    context.install(requestID, result)
    registrations.onInstalled(record.id, over: former, context)
    pipeline.onInstalled(record.id)
  }

  /// Kills a suspended app, whose program is outdated.
  ///
  /// The app's connections no longer count, so the same event can already start the app's new program.
  private mutating func killSuspended(_ app: AppID, _ reason: OutdatedProgram) {
    assert(context.suspended.contains(app), "a running app can finish its work")
    emit(.log(.suspendedAppKilled(app, reason)))
    emit(.kill(app))
    for peer in context.connections.peers(of: app) {
      emit(.close(peer.connection))
      onDisconnected(peer.connection)
    }
  }

  private mutating func onPresenterAppeared(
    _ kind: PresenterKind, isNew: Bool
  ) {
    var events: [PresenterEvent] = []
    if isNew {
      events += pipeline.delivery.unseen(context).map(PresenterEvent.presented)
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

  /// Changes the machine's conditions, and handles the consequences for apps and the gateway.
  mutating func changeConditions(_ change: (inout AgentContext) -> Void) {
    let before = context.conditions
    change(&context)
    let after = context.conditions
    if before.deviceState != after.deviceState { emit(.announceState(after.deviceState)) }
    if before.isAsleep, !after.isAsleep {
      // A machine that wakes from sleep might be in another place. Notifications that became due during sleep must fire
      // without waiting for the kernel's timer.
      emit(.probeGateway(isOtherNetwork: true))
      local.onWakeUp()
    }
    if before.isLocked != after.isLocked { pipeline.onLockChanged(&context) }
  }
}
