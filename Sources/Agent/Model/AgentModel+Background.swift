import BelfryWire

/// Work in the background: which pushes wake an app, which wait, and what the device allows.
extension AgentModel {
  /// Gives a push to an app that is to fetch for it: at once in front, else as the budget and the
  /// device allow (S2-17).
  mutating func fetch(_ app: AppID, _ arrival: RemoteArrival, atUnixMilliseconds now: Int64) {
    guard arrival.kind == .alert, presence(of: app) != .foreground else {
      return wake(app, arrival)
    }
    guard !conditions.holdsBackground, takeWake(app, atUnixMilliseconds: now) else {
      return hold(app, arrival)
    }
    wake(app, arrival)
  }

  /// Takes a wake out of the app's budget when there is one.
  private mutating func takeWake(_ app: AppID, atUnixMilliseconds now: Int64) -> Bool {
    let isTaken = budgets[app, default: BackgroundBudget()].take(atUnixMilliseconds: now)
    keepBudget(app)
    return isTaken
  }

  /// A wake is over; nil when the app did not say in time what it brought.
  mutating func wakeEnded(_ app: AppID, _ result: FetchResult?) {
    guard budgets[app] != nil else { return }
    budgets[app]?.finished(result)
    keepBudget(app)
  }

  private mutating func keepBudget(_ app: AppID) {
    guard let budget = budgets[app] else { return }
    emit(.persist(.put(.device, key: "budget/\(app)", budget.json.bytes)))
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
    guard let token = launches[app] else { return }
    startedForPush.insert(app)
    emit(.expectApp(app, token: token, timeoutMilliseconds: Limits.fetchMilliseconds))
  }

  /// A started app was to have greeted by now; what waits for it is told when it comes after all.
  mutating func appExpected(_ app: AppID, token: String) {
    guard launches[app] == token else { return }
    launches[app] = nil
    if presence(of: app) == .notRunning { backgroundTimeOver(app) }
  }

  /// An app did not say in time what a wake brought: that counts as nothing, and one that was
  /// started for it and is not in front is ended (client-api 3.45).
  mutating func backgroundTimeOver(_ app: AppID) {
    wakeEnded(app, nil)
    guard startedForPush.remove(app) != nil, presence(of: app) != .foreground else { return }
    emit(.end(app))
  }

  /// Only the latest is kept (client-api 3.47).
  private mutating func hold(_ app: AppID, _ arrival: RemoteArrival) {
    heldFetches[app] = arrival
    emit(.persist(.put(.fetches, key: app.text, AppEvent.arrived(arrival).frame.encoded)))
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
    emit(.persist(.remove(.fetches, key: app.text)))
    return arrival
  }

  /// Wakes the apps that may be woken now.
  mutating func releaseBackground(atUnixMilliseconds now: Int64) {
    guard !conditions.holdsBackground else { return }
    for app in heldFetches.keys.sorted() {
      guard takeWake(app, atUnixMilliseconds: now) else { continue }
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
  mutating func change(_ change: (inout Conditions) -> Void) {
    let before = conditions
    change(&conditions)
    if before.deviceState != conditions.deviceState { emit(.announceState(conditions.deviceState)) }
    if before.holdsBackground && !conditions.holdsBackground {
      releaseBackground(atUnixMilliseconds: now.wall)
    }
    if before.isLocked != conditions.isLocked { refreshTexts() }
    guard before.isLocked, !conditions.isLocked else { return }
    let choices = waitingForUnlock
    waitingForUnlock = []
    for choice in choices { responded(choice.key, action: choice.action, text: choice.text) }
  }
}
