import BelfryWire
import AppWire
import System

/// The steps of a notification: a service extension can change it, the app is asked for presentation options, it is
/// presented, the app fetches content for it, and the user responds to it.
///
/// This type coordinates delivery, responses, background work, and service extensions.
struct DeliveryPipeline {
  var delivery = Delivery()
  private var responses = Responses()
  private var awaited = AwaitedResponses()
  var background = BackgroundWork()
  var time = BackgroundTime()
  private var extensions = ServiceExtensions()
  private var contents = ContentExtensions()
  /// Apps that are being started while their launch image is shown (S3-22).
  private var behindLaunchImage: Set<AppID> = []

  // MARK: - Start

  /// Restores the stored records.
  mutating func restore(_ records: RestoredRecords, _ context: inout AgentContext) {
    delivery.restore(records, &context)
    for (key, value) in records[.responses] {
      if let order = responses.restore(key: key, record: value) {
        delivery.reserve(order: order)
      } else {
        context.emit(.log(.damagedRecord(.responses, key: key)))
      }
    }
    responses.sortRestored()
    for (key, value) in records[.fetches] {
      guard !background.restoreHeld(key: key, record: value) else { continue }
      context.emit(.log(.damagedRecord(.fetches, key: key)))
    }
    for (key, value) in records[.tasks] {
      guard !background.restoreTask(key: key, record: value) else { continue }
      context.emit(.log(.damagedRecord(.tasks, key: key)))
    }
    for (key, value) in records[.device] { background.restoreBudget(key: key, record: value) }
    background.dropUnknownApps(&context)
  }

  // MARK: - Look-up

  /// Returns the attachments of an app's notifications that are in the list or whose response the app has not received
  /// yet.
  func attachments(of app: AppID) -> [NotificationAttachment] {
    responses.attachments(of: app) + delivery.attachments(of: app) + contents.attachments(of: app)
  }

  /// Returns the reason that an app's service extension returned nothing for its latest push; nil if it returned
  /// content.
  func extensionSilence(of app: AppID) -> ServiceExtensions.Silence? { extensions.silence(of: app) }

  // MARK: - Arrival

  /// Handles a push: retains it, delivers it, and acknowledges it once it is durable.
  ///
  /// A repeated push is only acknowledged.
  mutating func onPush(_ push: ReceivedPush, _ context: inout AgentContext) {
    // An app that has since unregistered receives no pushes (client-api 3.58).
    if delivery.isNew(push.uniqueID, &context),
      context.apps[push.app]?.registrations[push.kind] != nil
    {
      route(push, &context)
    }
    context.emit(.acknowledge(push.uniqueID))
  }

  private mutating func route(_ push: ReceivedPush, _ context: inout AgentContext) {
    let (push, payload) = PushReading.read(push, &context)
    let retained = RetainedPush(push, unixMilliseconds: context.now.wall)
    let isVisible = retained.isVisible(payload.content)
    // A foreground app receives the push even if it never requested permission (S1-5).
    let isSilent =
      context.apps[push.app]?.asksForNothing == true
      && context.presence(of: push.app) != .foreground
    let wantsFetch = push.kind != .alert || payload.isContentAvailable || isSilent
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
      let order = delivery.hold(key, retained.retained(payload.content), &context)
      extensions.start(executable, for: key, order: order, &context)
    } else {
      delivery.deliver(key, retained.retained(payload.content), routing, &context)
    }
  }

  /// Delivers local notifications that are due.
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

  /// Returns the reason for starting the app that has just sent its greeting.
  mutating func launch(
    of app: AppID, _ hello: AppHello, _ context: inout AgentContext
  ) -> AppLaunch {
    guard hello.role == .app,
      let isForeground = context.claimLaunch(app, token: hello.launch)
    else { return AppLaunch(reason: .user) }
    responses.dropUntellable(of: app, &context)
    if let response = responses.first(of: app)?.response {
      return AppLaunch(
        reason: .response, response: context.localized(response, for: app),
        payload: response.notification.payload, isForeground: isForeground)
    }
    if let push = background.awaitedPush(of: app) {
      return AppLaunch(reason: .push, payload: push.payload, isForeground: isForeground)
    }
    return AppLaunch(
      reason: background.isStartedForTask(app) ? .task : .user, isForeground: isForeground)
  }

  /// Delivers everything that waited for a newly connected app.
  mutating func onAppConnected(_ app: AppID, _ context: inout AgentContext) {
    hideLaunchImage(of: app, &context)
    time.begin(app, context)
    background.onConnected(app, &context)
    if context.presence(of: app) == .foreground { background.onForeground(app, &context) }
    responses.sendAll(to: app, &context)
  }

  /// Handles an app that entered the foreground or the background.
  mutating func onState(_ state: AppState, of app: AppID, _ context: inout AgentContext) {
    switch state {
    case .foreground: background.onForeground(app, &context)
    case .background: time.onEnteredBackground(app, context)
    }
  }

  /// Sends a newly connected service extension its push, or disconnects the extension if it has no job.
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

  /// Handles an app's answer to a question; the answer is nil if the question timed out.
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
    case .fetch(let app), .task(let app):
      if case .fetched(let result)? = reply {
        background.onFetched(app, result, &context)
      } else {
        background.onTimedOut(app, &context)
        time.onTimedOut(app, &context)
      }
    case .expiration: break  // The remaining time is evaluated when this event is settled.
    case .extend(let token):
      if case .content(let content)? = reply {
        if let job = extensions.finish(token) {
          extensions.onResult(nil, of: job.key.app)
          deliver(job, content, &context)
        }
      } else {
        onExtensionTimedOut(token, &context)
      }
    case .response(let app, let key): responses.onHandled(app, key: key, &context)
    case .contentAction(let key, let order, let action):
      var option = ContentExtensionOption.dismissAndForwardAction
      if case .contentOption(let chosen)? = reply { option = chosen }
      onContentAction(key, order: order, action, option, &context)
    }
  }

  /// Handles a lost connection and its unanswered questions.
  mutating func onDisconnected(
    _ connection: ConnectionID, _ app: AppID?, _ unanswered: [QuestionPurpose],
    _ context: inout AgentContext
  ) {
    awaited.onDisconnected(connection)
    time.onDisconnected(connection, app)
    if let job = extensions.onDisconnected(connection) {
      giveUp(job, .left, &context)
    }
    contents.onDisconnected(connection, &context)
    for purpose in unanswered {
      switch purpose {
      case .willPresent(let key, let order):
        // Another instance of the app might be in the foreground, and is then asked instead.
        if let entry = delivery.entry(key, order: order) { delivery.deliver(entry, &context) }
      case .fetch(let app), .task(let app): background.onFetched(app, nil, &context)
      case .response(let app, let key): responses.onUnanswered(app, key: key, &context)
      case .expiration: break  // The app has disconnected, so its time is over anyway.
      case .extend: break  // Its job is finished above.
      case .contentAction(let key, let order, let action):
        onContentAction(key, order: order, action, .dismissAndForwardAction, &context)
      }
    }
  }

  /// Handles an app that did not connect before its timeout, or could not be started.
  mutating func onStartFailed(_ app: AppID, token: String, _ context: inout AgentContext) {
    guard context.expectNoMore(app, token: token), context.presence(of: app) == .notRunning
    else { return }
    hideLaunchImage(of: app, &context)
    background.onStartFailed(app, &context)
  }

  /// Removes all data of a removed app.
  mutating func onAppRemoved(_ app: AppID, _ context: inout AgentContext) {
    hideLaunchImage(of: app, &context)
    delivery.onAppRemoved(app, &context)
    responses.onAppRemoved(app, &context)
    background.onAppRemoved(app, &context)
    time.onAppRemoved(app)
    extensions.onAppRemoved(app)
  }

  /// Handles the installation of an app, which can have a new extension.
  mutating func onInstalled(_ app: AppID) { extensions.onResult(nil, of: app) }

  // MARK: - Service extensions

  /// Handles a service extension that could not be started; the launcher has already logged the failure.
  mutating func onExtensionFailed(_ token: String, _ context: inout AgentContext) {
    if let job = extensions.finish(token) { deliver(job, nil, &context) }
    contents.onEnded(token, &context)
  }

  /// Handles a service extension that did not answer before its timeout.
  mutating func onExtensionTimedOut(_ token: String, _ context: inout AgentContext) {
    if let job = extensions.finish(token) { giveUp(job, .timedOut, &context) }
  }

  /// Handles the exit of a service extension's process.
  ///
  /// If the extension had sent its greeting, the exit has no effect: the extension's connection reports the result.
  mutating func onExtensionEnded(_ token: String, _ context: inout AgentContext) {
    if let job = extensions.finishUnlessConnected(token) { giveUp(job, .ended, &context) }
    contents.onEnded(token, &context)
  }

  /// Warns a service extension that its time is about to expire.
  func onExtensionTimeEnds(_ token: String, _ context: inout AgentContext) {
    extensions.onTimeEnds(token, &context)
  }

  /// Shows a push unchanged, because its service extension has returned nothing.
  private mutating func giveUp(
    _ job: ServiceExtensions.Job, _ silence: ServiceExtensions.Silence,
    _ context: inout AgentContext
  ) {
    extensions.onResult(silence, of: job.key.app)
    context.emit(
      .log(.extensionGaveNothing(job.key.app, executable: job.executable, silence)))
    deliver(job, nil, &context)
  }

  /// Delivers a push as changed by its extension, or unchanged if the content is nil.
  private mutating func deliver(
    _ job: ServiceExtensions.Job, _ content: NotificationContent?, _ context: inout AgentContext
  ) {
    // The notification was withdrawn or replaced in the meantime, so nothing is shown.
    guard let entry = delivery.entry(job.key, order: job.order) else {
      return context.release(content?.attachments ?? [], of: job.key.app)
    }
    if var content, content.hasAlert {
      // The extension cannot change the interface that the notification belongs to.
      content.generation = entry.retained.outline.generation
      delivery.deliver(entry, changedTo: content, &context)
    } else {
      delivery.deliver(entry, &context)
    }
  }

  // MARK: - Content extensions

  /// Starts a notification's content extension when its window opens, and disconnects it when the window closes.
  mutating func onWindow(
    _ key: AppNotificationID, isOpen: Bool, _ context: inout AgentContext
  ) {
    guard isOpen else { return contents.close(key, &context) }
    if let entry = delivery[key] { contents.open(entry, &context) }
  }

  /// Sends a newly connected content extension its notification, or disconnects the extension if it has none.
  mutating func onContentExtensionConnected(
    _ connection: ConnectionID, _ app: AppID, token: String?, _ context: inout AgentContext
  ) {
    guard let key = contents.onGreeted(connection, app, token: token), let entry = delivery[key]
    else { return context.emit(.close(connection)) }
    context.tell(connection, .showContent(entry.retained.notification))
  }

  /// Shows a content extension's drawing in its notification's window.
  mutating func onDrawing(
    _ requestID: RequestID, _ drawing: NotificationDrawing, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    _ = try contents.key(of: requestID.connection)
    try contents.onDrawing(drawing, from: requestID.connection, &context)
    context.confirm(requestID)
  }

  /// Opens a content extension's notification, or closes the notification's window, as the extension requests.
  mutating func onContentWish(
    _ requestID: RequestID, _ wish: ContentExtensionWish, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    let key = try contents.key(of: requestID.connection)
    switch wish {
    case .open: onAction(key, .open, &context)
    case .close: context.emit(.closeWindow(key))
    }
    context.confirm(requestID)
  }

  /// Applies a content extension's decision on its notification after an action.
  private mutating func onContentAction(
    _ key: AppNotificationID, order: Int64, _ action: PersonAction,
    _ option: ContentExtensionOption, _ context: inout AgentContext
  ) {
    // The notification was withdrawn or replaced in the meantime.
    guard let entry = delivery.entry(key, order: order) else { return }
    switch option {
    case .doNotDismiss: break
    case .dismiss: delivery.withdraw(key, &context)
    case .dismissAndForwardAction: perform(action, on: entry, isHandledByExtension: true, &context)
    }
  }

  // MARK: - The user

  /// Handles a user's action on a notification, if the notification still exists.
  mutating func onAction(
    _ key: AppNotificationID, _ action: PersonAction, _ context: inout AgentContext
  ) {
    if let entry = delivery[key] { perform(action, on: entry, &context) }
  }

  /// Registers a command that waits for the user's response to a notification.
  mutating func awaitResponse(
    _ key: AppNotificationID, _ requestID: RequestID, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    try awaited.add(key, requestID, &context)
  }

  /// Handles a command's action on a notification.
  mutating func onOfferedAction(
    _ key: AppNotificationID, _ action: PersonAction, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    guard let entry = delivery[key] else { return }
    try entry.checkOffers(action, context)
    perform(action, on: entry, &context)
  }

  private mutating func perform(
    _ action: PersonAction, on entry: DeliveredList.Entry, isHandledByExtension: Bool = false,
    _ context: inout AgentContext
  ) {
    guard let record = context.apps[entry.key.app] else {
      return assertionFailure("a notification belongs to an unknown app")
    }
    let consequences = ActionConsequences(action.id, on: entry.retained.outline, of: record)
    if context.conditions.isLocked, consequences.needsUnlock {
      // The action is carried out once the user has unlocked the screen (client-api 3.26).
      return responses.holdUntilUnlock(
        Responses.LockedChoice(
          key: entry.key, order: entry.order, action: action,
          isHandledByExtension: isHandledByExtension))
    }
    if isHandledByExtension || !contents.ask(action, on: entry, &context) {
      carryOut(action, on: entry, &context)
    }
  }

  /// Removes a notification, and notifies its app of the action.
  private mutating func carryOut(
    _ action: PersonAction, on entry: DeliveredList.Entry, _ context: inout AgentContext
  ) {
    let app = entry.key.app
    guard let record = context.apps[app] else {
      return assertionFailure("a notification belongs to an unknown app")
    }
    let consequences = ActionConsequences(action.id, on: entry.retained.outline, of: record)
    delivery.withdraw(entry.key, &context)
    if awaited.onAction(entry.key, action, &context) { return }
    guard consequences.isTold else { return }
    let bringsToFront = consequences.bringsToFront
    let activationToken = bringsToFront ? action.activationToken : nil
    var response: Responses.Waiting?
    if Responses.mayTell(entry.retained.notification, to: app, context) {
      response = responses.add(entry, action, &context)
    } else {
      // The app opens as if the user had opened its icon, and does not learn that the device was at that place.
      context.emit(.log(.placeWithheld(entry.key)))
    }
    guard context.presence(of: app) != .notRunning else {
      if response != nil || bringsToFront {
        if bringsToFront { showLaunchImage(of: entry, record, &context) }
        context.launch(
          app, response == nil ? .user : .response, isForeground: bringsToFront,
          activationToken: activationToken)
        background.onStartedByUser(app)
      }
      return
    }
    // Send the response first, then report that the app is in the foreground.
    if let response { responses.send(response, to: app, &context) }
    if bringsToFront { context.bringToFront(app, activationToken: activationToken) }
  }

  /// Shows the launch image of a notification that opens its app.
  private mutating func showLaunchImage(
    of entry: DeliveredList.Entry, _ app: LocalApp, _ context: inout AgentContext
  ) {
    let name = entry.retained.outline.launchImage
    guard !name.isEmpty, app.installation != nil else { return }
    behindLaunchImage.insert(app.id)
    context.emit(.showLaunchImage(app, name: name))
  }

  private mutating func hideLaunchImage(of app: AppID, _ context: inout AgentContext) {
    guard behindLaunchImage.remove(app) != nil, let record = context.apps[app] else { return }
    context.emit(.showLaunchImage(record, name: nil))
  }

  /// Handles the locking or unlocking of the screen.
  mutating func onLockChanged(_ context: inout AgentContext) {
    delivery.refreshTexts(&context)
    guard !context.conditions.isLocked else { return }
    for choice in responses.releaseLockedChoices() {
      guard let entry = delivery.entry(choice.key, order: choice.order) else { continue }
      perform(
        choice.action, on: entry, isHandledByExtension: choice.isHandledByExtension, &context)
    }
  }

  // MARK: - After each event

  /// Wakes the apps that may be woken in the background now.
  mutating func settle(_ context: inout AgentContext) {
    background.settle(&context)
    time.settle(&context)
    contents.settle(delivery, &context)
    for key in delivery.takeDiscarded() { awaited.onDiscarded(key, &context) }
    awaited.settle(&context) { delivery[$0] != nil }
  }

  /// Traps in debug builds if the state of a part is inconsistent.
  func checkInvariants(_ context: AgentContext) {
    delivery.checkInvariants(context)
    responses.checkInvariants(context)
    background.checkInvariants(context)
    time.checkInvariants(context)
    extensions.checkInvariants(context)
    contents.checkInvariants(context)
  }
}
