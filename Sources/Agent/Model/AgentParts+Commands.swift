import BelfryWire
import AppWire

// The handling of commands, through which the user acts.
extension AgentParts {
  /// Handles a command's request, which is answered immediately or later.
  mutating func onCommand(
    _ requestID: RequestID, _ request: ControlRequest
  ) throws(AppLinkFailure) {
    switch request {
    case .apps:
      let rows = context.apps.all.map { $0.row(context) }
      context.answer(requestID, .rows(rows))
    case .install(let path):
      emit(.readInstallation(requestID, path: path, languages: context.apps.languages))
    case .removeApp(let app): remove(try context.apps.known(app), requestID)
    case .token(let app, let kind):
      let token = try registrations.token(of: try context.apps.known(app), kind, context)
      context.answer(requestID, .token(token.map { Hexadecimal.encode($0) }))
    case .notify(let app, let request): try notify(requestID, app, request)
    case .awaitResponse(let text, let id):
      guard let app = AppID(text) else { throw Self.noAppID(text) }
      try pipeline.awaitResponse(AppNotificationID(app: app, id: id), requestID, &context)
    case .scheduled(let app):
      try checkKnown(app)
      let rows = try local.rows(
        of: app, permissions.waitingNotifications(of: app), context)
      context.answer(requestID, .rows(rows))
    case .cancel(let app, let id):
      if id == nil { try checkKnown(app) }
      let keys = try pending(id, of: app)
      for key in keys { permissions.removeWaiting(key, &context) }
      local.remove(keys, &context)
      context.confirm(requestID)
    case .nextDates(let app, let id, let count):
      let keys = try pending(id, of: app)
      if let key = keys.first,
        permissions.waitingNotifications(of: key.app.text).contains(where: { $0.key == key })
      {
        throw AppLinkFailure(
          .invalidArgument,
          "\(id) has no dates yet, because \(key.app) is waiting for permission: answer the question on the device, or "
            + "run 'belfry settings \(key.app) notifications=on'")
      }
      context.answer(requestID, .dates(keys.flatMap { local.dates($0, count: count, context) }))
    case .appSettings(let app?):
      // An app that unregistered is not in the settings (S4-7).
      let app = context.apps[try context.apps.known(app)].flatMap { $0.isInSettings ? $0 : nil }
      context.answer(requestID, .rows(app.map { [$0.settingsRow] } ?? []))
    case .appSettings(nil):
      // An app that never asked for permission is not in the settings (S4-4, S4-7).
      let apps = context.apps.all.filter { !$0.requested.isEmpty && $0.isInSettings }
      context.answer(requestID, .rows(apps.map(\.settingsRow)))
    case .changeSettings(let app, let changes):
      try changeSettings(requestID, try context.apps.known(app), changes)
    case .changeDevice(let changes): try changeDevice(requestID, changes)
    case .center(let app):
      try checkKnown(app)
      context.answer(requestID, .rows(try centerRows(of: app)))
    case .openCenter(let environment): emit(.openCenter(requestID, environment))
    case .open(let app, let id):
      pipeline.onAction(try pipeline.delivery.key(named: id, of: app), .open, &context)
      confirmAction(requestID)
    case .act(let app, let id, let action, let text):
      try pipeline.onOfferedAction(
        try pipeline.delivery.key(named: id, of: app), PersonAction(action, text: text), &context)
      confirmAction(requestID)
    case .dismiss(let app, let id):
      if id == nil { try checkKnown(app) }
      let key = try id.map { id throws(AppLinkFailure) in
        try pipeline.delivery.key(named: id, of: app)
      }
      let keys = pipeline.delivery.keys(of: nil).filter { app == nil || $0.app.text == app }
      for key in key.map({ [$0] }) ?? keys { pipeline.onAction(key, .dismiss, &context) }
      context.confirm(requestID)
    case .clock: context.answer(requestID, .rows([local.clockRow(context)]))
    case .setClock(let milliseconds): try local.travel(requestID, .set(milliseconds), &context)
    case .advanceClock(let milliseconds):
      try local.travel(requestID, .advance(milliseconds), &context)
    case .setZone(let name): try local.travel(requestID, .moveZone(name), &context)
    case .setPlace(let latitude, let longitude):
      let due = try local.onPlaceCommand(latitude: latitude, longitude: longitude, &context)
      pipeline.deliver(due, &context)
      context.confirm(requestID)
    case .moveLink(let isOnline):
      guard registrations.hasGateway else { throw registrations.noGateway }
      emit(.moveLink(isOnline: isOnline))
      context.confirm(requestID)
    case .unregister(let app, let kind):
      registrations.unregister(try context.apps.known(app), kind, &context)
      context.confirm(requestID)
    case .subscriptions: context.answer(requestID, .rows(unifiedPush.rows))
    case .removeSubscription(let token): try removeSubscription(requestID, token)
    case .testSubscription: emit(unifiedPush.test(requestID, at: context.now.wall))
    case .state(let changes): try changeState(requestID, changes)
    case .diagnose: emit(.diagnose(requestID, diagnosis))
    }
  }

  /// Confirms a command's action on a notification, or refuses the request if the action starts an app whose program is
  /// missing.
  ///
  /// The app receives the action the next time it connects.
  private mutating func confirmAction(_ requestID: RequestID) {
    for case .launch(let order) in context.effects {
      guard let (problem, advice) = context.programProblem(of: order.app) else { continue }
      return context.refuse(
        requestID, .invalidArgument, "cannot start \(order.app.id), because \(problem): \(advice)")
    }
    context.confirm(requestID)
  }

  /// Throws if a command specifies an app that doesn't exist, so that a misspelled ID isn't taken for an app without
  /// notifications.
  private func checkKnown(_ app: String?) throws(AppLinkFailure) {
    if let app { _ = try context.apps.known(app) }
  }

  /// Returns the rows of the Notification Center for one app or for all apps; throws if the rows are too long for an
  /// answer.
  private func centerRows(of app: String?) throws(AppLinkFailure) -> [JSONObject] {
    var bytes = 0
    var rows: [JSONObject] = []
    for entry in pipeline.delivery.listed(of: nil) where app == nil || entry.key.app.text == app {
      let row = entry.row(context)
      // Estimate the row's size from the record's size, but strings from the app's language files can make the row
      // larger.
      let texts = ["title", "subtitle", "body"].reduce(0) { sum, name in
        sum + (row[name]?.stringValue?.utf8.count ?? 0)
      }
      bytes += max(entry.bytes, texts)
      guard bytes < Limits.sentFrameBytes else {
        throw AppLinkFailure(
          .invalidArgument, "the list is too long: request that of one app (--app)")
      }
      rows.append(row)
    }
    return rows
  }

  private mutating func remove(_ app: AppID, _ requestID: RequestID) {
    // These processes lose their connections, but continue to run, so they add the app again.
    let processes = Set(context.connections.peers(of: app).map(\.process)).sorted()
    for kind in TokenKind.allCases { registrations.unregister(app, kind, &context) }
    if let badge = context.apps[app]?.badge, badge > 0 { emit(.badge(app, 0)) }
    local.removeAll(of: app, &context)
    pipeline.onAppRemoved(app, &context)
    permissions.onAppRemoved(app, &context)
    front.onAppRemoved(app)
    for connection in context.connections.connections(of: app) { emit(.close(connection)) }
    context.remove(app)
    guard !processes.isEmpty else { return context.confirm(requestID) }
    context.answer(requestID, .rows(processes.map { ["process": .integer(Int64($0))] }))
  }

  private static func noAppID(_ text: String) -> AppLinkFailure {
    AppLinkFailure(.invalidArgument, AppID.message(forInvalid: text))
  }

  /// Returns the failure for an app without access to the location, with the commands that give it access.
  private func noLocationAccess(of app: AppID) -> AppLinkFailure {
    var remedies: [String] = []
    switch context.apps[app]?.locationStatus {
    case .always, .whenInUse: break
    case .notDetermined, .restricted, .denied, nil:
      remedies.append("'belfry settings \(app) location=whenInUse'")
    }
    if !context.apps.isLocationOn { remedies.append("'belfry settings --location on'") }
    assert(!remedies.isEmpty, "an app with both permissions has access to the location")
    return AppLinkFailure(
      .invalidArgument,
      "\(app) has no location access: use \(remedies.joined(separator: " and "))")
  }

  /// Adds a command's notification for an app.
  ///
  /// An unknown app becomes a development app. If the app never asked for permission, the user is asked first.
  private mutating func notify(
    _ requestID: RequestID, _ text: String, _ request: NotificationRequest
  ) throws(AppLinkFailure) {
    guard let app = AppID(text) else { throw Self.noAppID(text) }
    if context.apps[app] == nil {
      guard context.apps.count < Limits.apps else {
        throw AppLinkFailure(
          .appRefused, "too many apps: remove some with 'belfry app remove'")
      }
      try context.checkRoom(for: app) { _ in }
      context.add(LocalApp(id: app))
    }
    if case .region? = request.trigger {
      // A user who requests a location trigger has decided that the app may use the location.
      if context.apps[app]?.locationStatus == .notDetermined {
        permissions.setLocation(app, .whenInUse, &context)
        local.onPermissionChanged()
      }
      guard context.apps.mayLocate(app) else {
        throw noLocationAccess(of: app)
      }
    }
    // The response is delivered through the interface that the app itself uses.
    var request = request
    request.content.generation = context.apps[app]?.generation ?? .userNotification
    // Check the request now: the caller might disconnect before the user decides, and an invalid request must not
    // replace a waiting notification with the same identifier.
    try checkContent(of: request)
    if let trigger = request.trigger { try local.check(trigger, context) }
    let waiting = WaitingNotification(requestID: requestID, app: app, request: request)
    try permissions.checkRoom(for: waiting)
    try context.checkRoom(
      for: app, .waiting, key: waiting.key.recordKey, bytes: waiting.record.count)
    let decided = permissions.onNotifyRequest(waiting, &context)
    // An installed app claims these entitlements in its manifest. For any other app, the command requests the option on
    // the app's behalf.
    switch request.content.interruptionLevel {
    case .timeSensitive: permissions.request(.timeSensitive, for: app, &context)
    case .critical: permissions.request(.criticalAlert, for: app, &context)
    default: break
    }
    guard decided != nil else { return }
    try add(requestID, app, request)
  }

  private mutating func changeSettings(
    _ requestID: RequestID, _ app: AppID, _ changes: [String: String]
  ) throws(AppLinkFailure) {
    let previews = context.apps[app]?.switches.previews
    let released = try permissions.onSettingsChange(app, changes, &context)
    local.onPermissionChanged()
    if let previews { pipeline.delivery.onPreviewsChanged(of: app, from: previews, &context) }
    add(released)
    context.answer(requestID, .rows(context.apps[app].map { [$0.settingsRow] } ?? []))
  }

  /// Handles the user's choice of Keep or Turn Off for an app with provisional permission; does nothing if the app no
  /// longer has that permission.
  mutating func onProvisionalDecided(_ app: AppID, isKept: Bool) {
    guard context.apps[app]?.status == .provisional else { return }
    do throws(AppLinkFailure) {
      add(try permissions.onSettingsChange(app, ["notifications": isKept ? "on" : "off"], &context))
    } catch {
      assertionFailure("changing an app's notification setting failed: \(error)")
    }
  }

  private mutating func changeDevice(
    _ requestID: RequestID, _ changes: [String: String]
  ) throws(AppLinkFailure) {
    let change = try DeviceSettingsChange(changes)
    if let languages = change.languages { context.setLanguages(languages) }
    if let isOn = change.isLocationOn {
      permissions.setLocation(isOn: isOn, &context)
      local.onPermissionChanged()
    }
    context.answer(
      requestID,
      .rows([
        [
          "languages": .string(context.apps.languages.joined(separator: ",")),
          "location": context.apps.isLocationOn ? "on" : "off",
        ]
      ]))
  }

  private mutating func changeState(
    _ requestID: RequestID, _ changes: [String: String]
  ) throws(AppLinkFailure) {
    let conditions = try context.conditions.changed(by: changes, front, context)
    if let word = changes["front"] { front.set(word, &context) }
    changeConditions { $0.setConditions(conditions) }
    var row = conditions.row
    row["front"] = front.word
    context.answer(requestID, .rows([row]))
  }

  /// The model's part of the diagnosis for `belfry doctor`.
  private var diagnosis: ModelDiagnosis {
    ModelDiagnosis(context, permissions, registrations, pipeline, local, unifiedPush)
  }

  /// Returns the pending notifications with this identifier, or all pending notifications if the identifier is nil,
  /// including notifications that wait for permission.
  ///
  /// - Throws: A failure if no app, or more than one app, has a notification with this identifier.
  private func pending(
    _ id: String?, of app: String?
  ) throws(AppLinkFailure) -> [AppNotificationID] {
    var keys = local.waiting(of: app, context)
    let scheduled = Set(keys)
    keys += permissions.waitingNotifications(of: app).map(\.key).filter { !scheduled.contains($0) }
    guard let id else { return keys }
    keys = keys.filter { $0.id.hasSameBytes(as: id) }
    guard !keys.isEmpty else {
      throw AppLinkFailure(
        .unknownNotification, "no pending notification \(id): see 'belfry notify list'")
    }
    guard keys.count == 1 else {
      let apps = keys.map(\.app.text).joined(separator: ", ")
      throw AppLinkFailure(
        .invalidArgument, "several apps have a notification \(id) (\(apps)): add --app")
    }
    return keys
  }
}
