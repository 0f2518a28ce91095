import BelfryWire

/// Work in the background: which pushes wake an app, which wait, and what the device allows.
extension DeviceModel {
  /// Gives a push to an app that is to fetch for it: at once in front, else as the budget and the
  /// device allow (S2-17).
  mutating func fetch(_ app: AppID, _ arrival: RemoteArrival, atUnixMilliseconds now: Int64) {
    guard arrival.kind == .alert, presence(of: app) != .foreground else {
      return wake(app, arrival)
    }
    var budget = budgets[app] ?? BackgroundBudget()
    let mayWake = !conditions.holdsBackground && budget.take(atUnixMilliseconds: now)
    budgets[app] = budget
    guard mayWake else { return hold(app, arrival) }
    wake(app, arrival)
  }

  private mutating func wake(_ app: AppID, _ arrival: RemoteArrival) {
    guard presence(of: app) == .notRunning else {
      _ = question(
        app, .arrived(arrival), .fetch(app, arrival.id),
        timeoutMilliseconds: Limits.fetchMilliseconds)
      return
    }
    waitingFetches[app] = [arrival]
    launch(app, .push, isForeground: false)
  }

  /// Only the latest is kept (client-api 3.47).
  private mutating func hold(_ app: AppID, _ arrival: RemoteArrival) {
    heldFetches[app] = arrival
    emit(.keep(.put(.fetches, key: app.text, AppEvent.arrived(arrival).frame.encoded)))
  }

  /// Puts a kept push back, at the start.
  mutating func restoreHeld(key: String, record: [UInt8]) {
    guard let app = AppID(key), let frame = try? AppFrame(decoding: record),
      case .arrived(let arrival) = try? AppEvent(type: "arrived", frame)
    else { return }
    heldFetches[app] = arrival
  }

  /// The app is in front: nothing of it waits any more.
  mutating func releaseHeld(_ app: AppID) {
    guard let arrival = releaseHeldRecord(app) else { return }
    wake(app, arrival)
  }

  @discardableResult
  mutating func releaseHeldRecord(_ app: AppID) -> RemoteArrival? {
    guard let arrival = heldFetches.removeValue(forKey: app) else { return nil }
    emit(.keep(.remove(.fetches, key: app.text)))
    return arrival
  }

  /// Wakes the apps that may be woken now.
  mutating func releaseBackground(atUnixMilliseconds now: Int64) {
    guard !conditions.holdsBackground else { return }
    for app in heldFetches.keys.sorted() {
      guard budgets[app, default: BackgroundBudget()].take(atUnixMilliseconds: now) else {
        continue
      }
      if let arrival = releaseHeldRecord(app) { wake(app, arrival) }
    }
  }

  /// When to look again for what waits; nil while only a change of the device helps.
  func nextBackground(atUnixMilliseconds now: Int64) -> Int64? {
    guard !conditions.holdsBackground else { return nil }
    return heldFetches.keys.map { app in
      (budgets[app] ?? BackgroundBudget()).nextUnixMilliseconds(after: now)
    }.min()
  }

  /// The device stands otherwise than before.
  mutating func change(
    atUnixMilliseconds now: Int64, _ change: (inout Conditions) -> Void
  ) {
    let before = conditions
    change(&conditions)
    if before.deviceState != conditions.deviceState { emit(.linkState(conditions.deviceState)) }
    if before.holdsBackground && !conditions.holdsBackground {
      releaseBackground(atUnixMilliseconds: now)
    }
    guard before.isLocked, !conditions.isLocked else { return }
    let choices = waitingForUnlock
    waitingForUnlock = []
    for choice in choices { responded(choice.key, action: choice.action, text: choice.text) }
  }

  // MARK: - Service extensions

  /// Lets the app's service extension change a notification before it is shown; false when it has
  /// none, or alerts of the app are off (client-api 3.48).
  mutating func extend(_ key: AppNotificationID, _ notification: DeliveredNotification) -> Bool {
    guard let record = apps[key.app], record.installation?.serviceExtension != nil,
      notification.request.content.hasAlert, record.settings.alert == .enabled
    else { return false }
    // Until the extension answers, the original stands in the store: a crash in between shows it.
    keepUnseen(key, notification)
    waitingExtensions[key.app, default: []].append(notification)
    var order = LaunchOrder(
      app: record, reason: .push, isForeground: false, token: "\(agentRun)-\(nextOrder)x")
    order.isExtension = true
    emit(.launch(order))
    emit(.expectExtension(key, timeoutMilliseconds: Limits.extensionMilliseconds))
    return true
  }

  /// The extension is there: it gets what waits.
  mutating func handOverExtensions(_ connection: ConnectionID, _ app: AppID) {
    for notification in waitingExtensions.removeValue(forKey: app) ?? [] {
      guard let question = peers[connection]?.question() else { return }
      let key = AppNotificationID(app: app, id: notification.request.id)
      questions[question] = .extend(key, notification)
      emit(
        .ask(
          question, .extend(notification.request, payload: notification.payload ?? []),
          timeoutMilliseconds: Limits.extensionMilliseconds))
    }
  }

  /// The extension answered, or did not in time: then the original is shown.
  mutating func extended(
    _ key: AppNotificationID, _ notification: DeliveredNotification, _ reply: AppReply?
  ) {
    var shown = notification
    if case .content(let content) = reply, !content.isEmpty { shown.request.content = content }
    deliver(key, shown, isPush: true)
  }

  /// An extension was not there in time.
  mutating func extensionMissing(_ key: AppNotificationID) {
    guard let waiting = waitingExtensions[key.app],
      let notification = waiting.first(where: { $0.request.id == key.id })
    else { return }
    let rest = waiting.filter { $0.request.id != key.id }
    waitingExtensions[key.app] = rest.isEmpty ? nil : rest
    extended(key, notification, nil)
  }
}
