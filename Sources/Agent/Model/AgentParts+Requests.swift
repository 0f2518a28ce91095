import AppWire

// The handling of requests from apps.
extension AgentParts {
  /// Handles a request on a connection that has sent its greeting.
  ///
  /// An app's request is answered immediately or later.
  mutating func onRequest(_ requestID: RequestID, _ request: AppRequest) {
    guard let peer = context.connections[requestID.connection] else {
      return context.refuse(
        requestID, .helloExpected, "the first message must be a greeting: send hello")
    }
    do throws(AppLinkFailure) {
      if case .control(let request) = request {
        guard peer.role == .control else {
          throw AppLinkFailure(
            .unsupportedMessage, "only a control connection can send this request")
        }
        guard peer.rights.contains(request.right) else {
          throw AppLinkFailure(.appRefused, "this process cannot send this request")
        }
        try onCommand(requestID, request)
      } else if let app = peer.app {
        // Refuse the requests of a removed app, whose connection is about to close.
        guard context.apps[app] != nil else {
          throw AppLinkFailure(.unknownApp, "\(app) was removed: connect again")
        }
        try onRequest(requestID, app, request)
      } else {
        throw AppLinkFailure(.unsupportedMessage, "only an app can send this request")
      }
    } catch {
      context.refuse(requestID, error)
    }
  }

  /// Handles an app's request, which is answered immediately or later.
  private mutating func onRequest(
    _ requestID: RequestID, _ app: AppID, _ request: AppRequest
  ) throws(AppLinkFailure) {
    // Resume the app, which sent the request before it was suspended.
    context.resume(app)
    switch request {
    case .hello: throw AppLinkFailure(.appRefused, "second greeting on one connection")
    case .control: preconditionFailure("an app's connection sent a control request")
    case .requestAuthorization(let options, let replacesTypes):
      add(
        permissions.onAuthorizationRequest(
          requestID, app, options, replacesTypes: replacesTypes, &context))
    case .settings: context.answer(requestID, .settings(context.settings(of: app)))
    case .register(let kind): registrations.onRegister(requestID, app, kind, &context)
    case .unregister(let kind):
      registrations.unregister(app, kind, &context)
      context.confirm(requestID)
    case .setCategories(let categories):
      try context.setCategories(app, categories)
      context.confirm(requestID)
    case .categories: context.answer(requestID, .categories(context.apps[app]?.categories ?? []))
    case .add(let request): try add(requestID, app, request)
    case .pending:
      context.answer(requestID, .pending(local.pending(of: app.text, context).map(\.waiting)))
    case .removePending(let ids):
      let keys = ids?.map { AppNotificationID(app: app, id: $0) }
      local.remove(keys ?? local.waiting(of: app.text, context), &context)
      context.confirm(requestID)
    case .delivered:
      let listed = pipeline.delivery.listed(of: app).map(\.notification)
      context.answer(requestID, .delivered(context.localized(listed, for: app)))
    case .removeDelivered(let ids):
      let keys = ids?.map { AppNotificationID(app: app, id: $0) }
      for key in keys ?? pipeline.delivery.keys(of: app) {
        pipeline.delivery.withdraw(key, &context)
      }
      context.confirm(requestID)
    case .setBadge(let badge): pipeline.delivery.onBadgeRequest(requestID, app, badge, &context)
    case .badge: context.answer(requestID, .badge(context.apps[app]?.badge ?? 0))
    case .setState(let state):
      context.setState(requestID.connection, state)
      context.confirm(requestID)
      pipeline.onState(state, of: app, &context)
    case .setLanguages(let languages):
      try context.checkRoom(for: app) { $0.languages = languages }
      context.update(app) { $0.languages = languages }
      context.confirm(requestID)
    case .beginBackgroundTask: try pipeline.time.begin(requestID, app, &context)
    case .endBackgroundTask(let task):
      pipeline.time.end(requestID.connection, task, app)
      context.confirm(requestID)
    case .backgroundTime:
      context.answer(
        requestID, .background(seconds: pipeline.time.remaining(app, context)))
    case .submitTask(let request):
      try pipeline.background.submitTask(app, request, &context)
      context.confirm(requestID)
    case .cancelTasks(let ids):
      pipeline.background.cancelTasks(app, ids, &context)
      context.confirm(requestID)
    case .pendingTasks:
      context.answer(requestID, .tasks(pipeline.background.pendingTasks(of: app)))
    case .requestLocation(let always):
      permissions.onLocationRequest(requestID, app, always: always, &context)
      local.onPermissionChanged()
    case .locationStatus:
      context.answer(requestID, .locationStatus(context.apps.locationStatus(of: app)))
    case .watchRegion(let region):
      try local.watch(app, region, &context)
      context.confirm(requestID)
    case .unwatchRegion(let id):
      local.unwatch(app, id, &context)
      context.confirm(requestID)
    case .watchedRegions: context.answer(requestID, .regions(local.watched(by: app)))
    case .regionState(let id):
      context.answer(requestID, .regionState(local.state(of: app, id, context)))
    case .setLocationUpdates(let isOn):
      context.confirm(requestID)
      local.follow(requestID.connection, app, isOn: isOn, &context)
    case .setDrawing(let drawing): try pipeline.onDrawing(requestID, drawing, &context)
    case .contentWish(let wish): try pipeline.onContentWish(requestID, wish, &context)
    }
  }

  /// Throws if a request has nothing to show, play, or set.
  func checkContent(of request: NotificationRequest) throws(AppLinkFailure) {
    guard !request.content.isEmpty else {
      throw AppLinkFailure(.notificationInvalidNoContent, "the notification has no content")
    }
  }

  /// Delivers a notification request now, or adds it to the schedule.
  mutating func add(
    _ requestID: RequestID, _ app: AppID, _ request: NotificationRequest
  ) throws(AppLinkFailure) {
    let generation = request.content.generation
    guard permissions.mayAdd(request.content, of: app, &context) else {
      throw AppLinkFailure(
        .notificationsNotAllowed, "Notifications are not allowed for this application")
    }
    try checkContent(of: request)
    let key = AppNotificationID(app: app, id: request.id)
    try context.checkRoom(
      for: app, request.trigger == nil ? .delivered : .pending, key: key.recordKey,
      bytes: request.encoded.count)
    // An app that shows notifications must be in the settings, so that the user can turn it off.
    context.update(app) { app in
      app.isInSettings = true
      app.generation = generation
    }
    permissions.removeWaiting(key, &context)
    context.onAttachments(request.content.attachments, of: app)
    if let trigger = request.trigger {
      do throws(AppLinkFailure) {
        try local.add(key, request, trigger, &context)
      } catch {
        // The older interfaces do not report this error to the app, so log it.
        if error.reason == .notificationInvalidNoDate, generation != .userNotification {
          emit(.log(.notificationExpired(key)))
        }
        throw error
      }
    } else {
      // A request replaces any notification with the same identifier, even a pending one (client-api 3.13).
      local.remove([key], &context)
      pipeline.deliver([LocalNotifications.Due(key: key, request: request)], &context)
    }
    context.confirm(requestID)
  }

  /// Adds notifications that waited for the user's decision.
  mutating func add(_ released: [WaitingNotification]) {
    for waiting in released {
      do throws(AppLinkFailure) {
        try add(waiting.requestID, waiting.app, waiting.request)
      } catch {
        context.release(waiting.request.content.attachments, of: waiting.app)
        if waiting.requestID.number == nil {
          emit(.log(.waitingNotificationRefused(waiting.key, why: error.message)))
        }
        context.refuse(waiting.requestID, error)
      }
    }
  }
}
