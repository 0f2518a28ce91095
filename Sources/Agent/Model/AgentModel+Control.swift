import BelfryWire

extension AgentModel {
  /// A command asks.
  mutating func controlled(
    _ ask: Ask, _ request: ControlRequest, atUnixMilliseconds now: Int64
  ) {
    switch request {
    case .apps: emit(.answer(ask, .rows(apps.values.sorted { $0.id < $1.id }.map { row($0) })))
    case .removeApp(let app): withApp(ask, app) { $0.removeApp(ask, $1) }
    case .token(let app, let kind):
      withApp(ask, app) { model, id in
        let token = model.apps[id]?.registrations[kind]?.token
        model.emit(.answer(ask, .token(token.map(hexadecimal))))
      }
    case .notify(let app, let request):
      notify(ask, app, request, atUnixMilliseconds: now)
    case .appSettings(let app): appSettings(ask, app)
    case .changeSettings(let app, let changes):
      withApp(ask, app) { $0.changeSettings(ask, $1, changes, atUnixMilliseconds: now) }
    case .changeDevice(let changes): changeDevice(ask, changes)
    case .center(let app): center(ask, app)
    case .open(let app, let id):
      withNotification(ask, app, id) {
        $0.responded($1, action: NotificationResponse.defaultAction, text: nil)
      }
    case .act(let app, let id, let action, let text):
      act(ask, app, id, action, text)
    case .dismiss(let app, let id?):
      withNotification(ask, app, id) {
        $0.responded($1, action: NotificationResponse.dismissAction, text: nil)
      }
    case .dismiss(let app, nil): dismissAll(ask, app)
    case .state(let changes): changeState(ask, changes, atUnixMilliseconds: now)
    case .install(let path): emit(.readInstallation(ask, path: path, languages: languages))
    case .scheduled(let app): listPending(ask, app)
    case .cancel(let app, let id): cancel(ask, app, id)
    case .nextDates(let app, let id, let count): nextDates(ask, app, id, count)
    case .clock: emit(.answer(ask, .rows([clockRow])))
    case .setClock(let milliseconds): travel(ask, .set(milliseconds))
    case .advanceClock(let milliseconds): travel(ask, .advance(milliseconds))
    case .setZone(let name): travel(ask, .moveZone(name))
    case .setPlace(let latitude, let longitude): setPlace(ask, latitude, longitude)
    case .diagnose: emit(.diagnose(ask, diagnosis))
    }
  }

  /// Installs an app, or brings its installation up to date.
  mutating func install(_ ask: Ask, _ record: LocalApp) {
    if apps[record.id] == nil {
      add(record)
    } else {
      update(record.id) { known in
        known.installation = record.installation
        known.name = record.name ?? known.name
        known.bundlePath = record.bundlePath ?? known.bundlePath
        if !record.backgroundModes.isEmpty { known.backgroundModes = record.backgroundModes }
        known.locationUsage = record.locationUsage ?? known.locationUsage
      }
    }
    emit(.answer(ask, .rows(apps[record.id].map { [row($0)] } ?? [])))
  }

  // MARK: - Finding what is meant

  private mutating func withApp(
    _ ask: Ask, _ text: String, _ body: (inout AgentModel, AppID) -> Void
  ) {
    guard let id = AppID(text), apps[id] != nil else {
      return refuse(ask, .unknownApp, "no app \(text): 'belfry app list' shows those there are")
    }
    body(&self, id)
  }

  private mutating func withNotification(
    _ ask: Ask, _ app: String?, _ id: String,
    _ body: (inout AgentModel, AppNotificationID) -> Void
  ) {
    let keys = delivered.keys(named: id).filter { app == nil || $0.app.text == app }
    guard let key = keys.first else {
      return refuse(
        ask, .unknownNotification, "no notification \(id): 'belfry center' shows those there are")
    }
    guard keys.count == 1 else {
      let names = keys.map(\.app.text).joined(separator: ", ")
      return refuse(ask, .invalidArgument, "\(id) is a notification of \(names): add --app")
    }
    body(&self, key)
    emit(.answer(ask, AppAnswer()))
  }

  // MARK: - Apps

  private mutating func removeApp(_ ask: Ask, _ id: AppID) {
    for kind in TokenKind.allCases { unregister(id, kind) }
    for entry in delivered.of(id) { withdraw(entry.key) }
    for waiting in waitingResponses.removeValue(forKey: id) ?? [] {
      emit(.persist(.remove(.responses, key: waiting.key)))
    }
    unschedule(waiting(of: id.text))
    regions.remove(regions.keys(of: id), &effects)
    if let badge = apps[id]?.badge, badge > 0 { emit(.badge(id, 0)) }
    releaseHeldRecord(id)
    if budgets.removeValue(forKey: id) != nil {
      emit(.persist(.remove(.device, key: "budget/\(id)")))
    }
    forget(id)
    for peer in peers.values where peer.app == id { emit(.close(peer.connection)) }
    emit(.answer(ask, AppAnswer()))
  }

  private func row(_ record: LocalApp) -> JSONObject {
    var row: JSONObject = [
      "app": .string(record.id.text), "name": .string(record.displayName),
      "kind": record.installation == nil ? "development" : "installed",
      "state": .string(stateWord(record.id)), "badge": .integer(record.badge),
      "authorization": .string(record.status.rawValue),
    ]
    let kinds = TokenKind.allCases.filter { record.registrations[$0] != nil }
    row["registered"] = .array(kinds.map { .string("\($0.name)") })
    row["bundle"] = record.bundlePath.map(JSONValue.string) ?? .null
    return row
  }

  private func stateWord(_ app: AppID) -> String {
    switch presence(of: app) {
    case .foreground: "foreground"
    case .background: "background"
    case .notRunning: "notRunning"
    }
  }

  // MARK: - Notify

  /// A command adds a notification for an app; an unknown one becomes a development app, and one
  /// that never asked asks first.
  private mutating func notify(
    _ ask: Ask, _ text: String, _ request: NotificationRequest, atUnixMilliseconds now: Int64
  ) {
    guard let id = AppID(text) else {
      return refuse(ask, .invalidArgument, "\"\(text)\" is no app id: use one like org.example.app")
    }
    if apps[id] == nil {
      guard apps.count < Limits.apps else {
        return refuse(ask, .appRefused, "too many apps: remove some with 'belfry app remove'")
      }
      add(LocalApp(id: id))
    }
    if case .region? = request.trigger {
      // A person who asks for a place's sake has decided that the app may know it.
      if apps[id]?.locationStatus == .notDetermined { setLocation(id, .whenInUse) }
      guard mayLocate(id) else {
        return refuse(
          ask, .invalidArgument,
          "\(id) may not know the place: 'belfry settings \(id) location=whenInUse', "
            + "'belfry settings --location on'")
      }
    }
    if apps[id]?.status == .notDetermined {
      var outcome = LocalApp.AuthorizationOutcome.answered
      let policy = policy
      update(id) { outcome = $0.requestAuthorization([.alert, .sound, .badge], policy: policy) }
      if outcome == .undecided {
        undecidedNotify[id, default: []].append((ask, request))
        return promptForNotifications(id)
      }
    }
    add(ask, id, request, atUnixMilliseconds: now)
  }

  // MARK: - Settings

  private mutating func appSettings(_ ask: Ask, _ app: String?) {
    guard let app else {
      // An app that never asked has no pane (S4-4, S4-7).
      let rows = apps.values.filter { !$0.requested.isEmpty && $0.hasPane }.sorted { $0.id < $1.id }
      return emit(.answer(ask, .rows(rows.map { settingsRow($0) })))
    }
    withApp(ask, app) { model, id in
      model.emit(.answer(ask, .rows(model.apps[id].map { [model.settingsRow($0)] } ?? [])))
    }
  }

  private func settingsRow(_ record: LocalApp) -> JSONObject {
    var row: JSONObject = [
      "app": .string(record.id.text), "name": .string(record.displayName),
      "authorization": .string(record.status.rawValue),
    ]
    for option in AuthorizationOption.allCases where record.requested.contains(option) {
      guard let isOn = record.switches.json[option.rawValue]?.boolValue else { continue }
      row[option.rawValue] = isOn && record.status.allows ? "on" : "off"
    }
    row["style"] = .string(record.switches.alertStyle.rawValue)
    row["previews"] = .string(record.switches.previews.rawValue)
    row["center"] = record.switches.center ? "on" : "off"
    row["lockScreen"] = record.switches.lockScreen ? "on" : "off"
    row["location"] = .string(record.locationStatus.rawValue)
    return row
  }

  private mutating func changeSettings(
    _ ask: Ask, _ id: AppID, _ changes: [String: String], atUnixMilliseconds now: Int64
  ) {
    guard var record = apps[id] else { return }
    for (name, word) in changes.sorted(by: { $0.key < $1.key }) {
      if let refusal = Self.change(&record, name, word) {
        return refuse(ask, .invalidArgument, refusal)
      }
    }
    if let word = changes["notifications"], let isOn = AppSwitches.isOn(word) {
      // The answer to a question that waits, given at another place.
      decided(id, isAllowed: isOn, atUnixMilliseconds: now)
    }
    let before = settings(of: id)
    let place = apps[id]?.locationStatus
    update(id) { $0 = record }
    if settings(of: id) != before { tellAll(id, .settings(settings(of: id))) }
    if record.locationStatus != place { locationChanged(id) }
    emit(.answer(ask, .rows([settingsRow(record)])))
  }

  /// Turns one switch; gives what is wrong, or nil.
  private static func change(_ record: inout LocalApp, _ name: String, _ word: String) -> String? {
    switch name {
    case "notifications":
      guard let isOn = AppSwitches.isOn(word) else { return "\(name)=\(word): use on or off" }
      record.decideAuthorization(isAllowed: isOn)
      return nil
    case "location":
      guard let status = LocationStatus(rawValue: word) else {
        let words = LocationStatus.allCases.map(\.rawValue).joined(separator: ", ")
        return "\(name)=\(word): use one of \(words)"
      }
      record.locationStatus = status
      return nil
    default:
      if let option = AuthorizationOption(rawValue: name), !record.requested.contains(option) {
        return "\(record.id) never asked for \(name): there is no such switch"
      }
      guard record.switches.turn(name, to: word) else {
        return
          "\(name)=\(word): use alert, sound, badge, center, lockScreen, criticalAlert or "
          + "timeSensitive with on or off, style with none, banner or alert, previews with always, "
          + "whenAuthenticated or never"
      }
      return nil
    }
  }

  private mutating func changeDevice(_ ask: Ask, _ changes: [String: String]) {
    if let tags = changes["languages"] {
      let wanted = tags.split(separator: ",").map(String.init)
      if let tag = wanted.first(where: { !LanguageTag.isWellFormed($0) }) {
        return refuse(ask, .invalidArgument, "\"\(tag)\" is no language: use tags like fr-CA")
      }
      languages = wanted
      emit(.persist(.put(.device, key: "languages", Array(tags.utf8))))
      for id in apps.keys.sorted() where apps[id]?.languages == nil {
        tellAll(id, .languages(languages))
      }
    }
    if let word = changes["location"] {
      guard let isOn = AppSwitches.isOn(word) else {
        return refuse(ask, .invalidArgument, "location=\(word): use on or off")
      }
      switchLocation(isOn: isOn)
    }
    emit(
      .answer(
        ask,
        .rows([
          [
            "languages": .string(languages.joined(separator: ",")),
            "location": isLocationOn ? "on" : "off",
          ]
        ])))
  }

  // MARK: - Centre

  private mutating func center(_ ask: Ask, _ app: String?) {
    let rows = delivered.of(nil).filter { $0.isListed && (app == nil || $0.key.app.text == app) }
    emit(.answer(ask, .rows(rows.map { row($0) })))
  }

  private func row(_ entry: DeliveredList.Entry) -> JSONObject {
    let content = entry.notification.request.content
    let app = entry.key.app
    return [
      "app": .string(app.text), "id": .string(entry.key.id),
      "date": .integer(entry.notification.unixMilliseconds),
      "title": .string(text(content.title, of: app)),
      "subtitle": .string(text(content.subtitle, of: app)),
      "body": .string(text(content.body, of: app)), "category": .string(content.category),
      "thread": .string(content.thread), "userInfo": .object(content.userInfo),
      "badge": .integer(apps[app]?.badge ?? 0),
      "trigger": .string(Presentation.Origin(entry.notification.request.trigger).rawValue),
    ]
  }

  private mutating func act(
    _ ask: Ask, _ app: String?, _ id: String, _ action: String, _ text: String?
  ) {
    let keys = delivered.keys(named: id).filter { app == nil || $0.app.text == app }
    if keys.count == 1, let key = keys.first, let entry = delivered[key] {
      let content = entry.notification.request.content
      let category = apps[key.app]?.category(content.category)
      let offered =
        content.actions ?? category.map { $0.actions + ($0.minimalActions ?? []) } ?? []
      let ids = offered.map(\.id)
      guard ids.contains(action) else {
        return refuse(
          ask, .invalidArgument,
          "\(id) has no action \(action)"
            + (ids.isEmpty
              ? ": open it, or dismiss it" : ": it has \(ids.joined(separator: ", "))"))
      }
    }
    withNotification(ask, app, id) { $0.responded($1, action: action, text: text) }
  }

  private mutating func dismissAll(_ ask: Ask, _ app: String?) {
    for entry in delivered.of(nil) where app == nil || entry.key.app.text == app {
      responded(entry.key, action: NotificationResponse.dismissAction, text: nil)
    }
    emit(.answer(ask, AppAnswer()))
  }

  // MARK: - The machine's state

  private mutating func changeState(
    _ ask: Ask, _ changes: [String: String], atUnixMilliseconds now: Int64
  ) {
    var conditions = conditions
    for (name, word) in changes.sorted(by: { $0.key < $1.key }) {
      switch (name, word) {
      case ("locked", "on"), ("locked", "off"): conditions.isLocked = word == "on"
      case ("focus", "on"), ("focus", "off"): conditions.hasFocus = word == "on"
      case ("metered", "on"), ("metered", "off"): conditions.isMetered = word == "on"
      case ("battery", "low"), ("battery", "normal"): conditions.isBatteryLow = word == "low"
      case ("front", _) where word == "none" || AppID(word).map({ apps[$0] != nil }) == true:
        bringToFront(word)
      default:
        return refuse(
          ask, .invalidArgument,
          "\(name)=\(word): use locked=on|off, battery=low|normal, metered=on|off, focus=on|off or "
            + "front=APP_ID|none")
      }
    }
    change { $0 = conditions }
    emit(
      .answer(
        ask,
        .rows([
          [
            "locked": conditions.isLocked ? "on" : "off",
            "battery": conditions.isBatteryLow ? "low" : "normal",
            "metered": conditions.isMetered ? "on" : "off",
            "focus": conditions.hasFocus ? "on" : "off",
            "front": conditions.front.map(JSONValue.string) ?? .null,
          ]
        ])))
  }

  /// The person looks at an app: it comes to the front, and every other one leaves it.
  private mutating func bringToFront(_ app: String) {
    conditions.front = app
    for peer in peers.values.sorted(by: { $0.order < $1.order }) where peer.role == .app {
      let state: AppState = peer.app?.text == app ? .foreground : .background
      emit(.tell(peer.connection, .state(state)))
    }
  }
}
