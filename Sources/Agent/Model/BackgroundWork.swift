import BelfryWire
import AppWire

/// A scheduler of apps' background work.
///
/// It decides which background pushes wake an app and which must wait, depending on the app's budget and the device's
/// conditions.
struct BackgroundWork {
  /// The wake budget of each app.
  private var budgets: [AppID: BackgroundBudget] = [:]
  /// The latest background push of each app that must not be woken now.
  private var held: [AppID: RetainedPush] = [:]
  /// The latest push for each app that is being started.
  private var awaitingStart: [AppID: RetainedPush] = [:]
  /// Apps that were started for a push and have not been in the foreground since.
  private var startedForPush: Set<AppID> = []
  /// The background tasks that apps requested.
  private var tasks = TaskRequests()
  /// Apps that are being started for a task.
  private var startedForTask: Set<AppID> = []
  /// Apps whose missing background mode was logged.
  private var reported: Set<AppID> = []
  /// The due time of the armed timer.
  private var armed: Int64?

  // MARK: - Start

  /// Restores a stored push; returns false if it is damaged.
  mutating func restoreHeld(key: String, record: [UInt8]) -> Bool {
    guard let app = AppID(key), let push = RetainedPush(record: record) else { return false }
    held[app] = push
    return true
  }

  /// Returns the key of a budget's record.
  private static func budgetKey(_ app: AppID) -> String { "budget/\(app)" }

  /// Restores a budget from a device record, if the record contains one.
  mutating func restoreBudget(key: String, record: [UInt8]) {
    guard key.hasPrefix("budget/"), let app = AppID(String(key.dropFirst(7))),
      let object = (try? JSONValue(parsing: record))?.objectValue
    else { return }
    budgets[app] = BackgroundBudget(json: object)
  }

  /// Removes the records of apps that no longer exist.
  mutating func dropUnknownApps(_ context: inout AgentContext) {
    for app in held.keys.sorted() where context.apps[app] == nil { _ = release(app, &context) }
    tasks.dropUnknownApps(&context)
  }

  // MARK: - Pushes

  /// Delivers a background push: immediately to a foreground app, otherwise when the budget and the device allow it
  /// (S2-17).
  mutating func onPush(_ app: AppID, _ push: RetainedPush, _ context: inout AgentContext) {
    guard push.kind == .alert, context.presence(of: app) != .foreground else {
      return wake(app, push, &context)
    }
    guard context.apps[app]?.mayRun(inMode: "remote-notification") == true else {
      // Without the background mode, the app receives these pushes only in the foreground (client-api 3.47).
      if reported.insert(app).inserted { context.emit(.log(.backgroundModeMissing(app))) }
      return
    }
    guard !context.conditions.holdsBackgroundWork, consumeWake(app, &context) else {
      // Only the latest push is kept (client-api 3.47).
      held[app] = push
      return context.persist(.put(.fetches, key: app.text, push.record))
    }
    wake(app, push, &context)
  }

  private mutating func wake(
    _ app: AppID, _ push: RetainedPush, _ context: inout AgentContext
  ) {
    guard context.presence(of: app) == .notRunning else {
      return ask(app, push, &context)
    }
    awaitingStart[app] = push
    guard let order = context.launch(app, .push, isForeground: false) else { return }
    expect(app, order, &context)
  }

  /// Waits for the greeting of an app that is being started for a push or a task.
  private mutating func expect(
    _ app: AppID, _ order: LaunchOrder, _ context: inout AgentContext
  ) {
    // If the push joins the launch for a response, the app is not terminated either.
    if !order.isJoined { startedForPush.insert(app) }
    context.emit(
      .expectApp(app, token: order.token, timeoutMilliseconds: Limits.fetchMilliseconds))
  }

  private func ask(_ app: AppID, _ push: RetainedPush, _ context: inout AgentContext) {
    var arrival = push.arrival
    arrival.wantsFetch = true
    let isAsked = context.ask(
      app, .arrived(arrival), .fetch(app), timeoutMilliseconds: Limits.fetchMilliseconds)
    assert(isAsked, "only running apps are asked")
  }

  /// Returns the push for which an app is being started.
  func awaitedPush(of app: AppID) -> RetainedPush? { awaitingStart[app] }

  /// Delivers a push that waited for an app's start, once the app has connected.
  mutating func onConnected(_ app: AppID, _ context: inout AgentContext) {
    if let push = awaitingStart.removeValue(forKey: app) { ask(app, push, &context) }
    // The wake that started the app also covers the app's task.
    tasks.dropForbidden(app, &context)
    if startedForTask.remove(app) != nil, let (request, _) = tasks.next(of: app),
      context.presence(of: app) == .background
    {
      begin(app, request, &context)
    }
  }

  // MARK: - Tasks

  /// Restores a stored task request; returns false if it is damaged.
  mutating func restoreTask(key: String, record: [UInt8]) -> Bool {
    tasks.restore(key: key, record: record)
  }

  mutating func submitTask(
    _ app: AppID, _ request: BackgroundTaskRequest, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    try tasks.submit(app, request, &context)
  }

  mutating func cancelTasks(_ app: AppID, _ ids: [String]?, _ context: inout AgentContext) {
    tasks.remove(app, ids, &context)
  }

  func pendingTasks(of app: AppID) -> [BackgroundTaskRequest] { tasks.pending(of: app) }

  /// Returns true if an app that sends its greeting was started for a task.
  func isStartedForTask(_ app: AppID) -> Bool { startedForTask.contains(app) }

  /// Begins a requested task in an app that runs in the background, and removes the request.
  private mutating func begin(
    _ app: AppID, _ request: BackgroundTaskRequest, _ context: inout AgentContext
  ) {
    tasks.remove(app, [request.id], &context)
    let isAsked = context.ask(
      app, .task(request), .task(app), timeoutMilliseconds: Limits.fetchMilliseconds)
    assert(isAsked, "only running apps are asked")
  }

  /// Begins the tasks that are due, as far as the budgets allow; returns the time of the next task.
  private mutating func beginDueTasks(_ context: inout AgentContext) -> Int64? {
    let now = context.now.wall
    var next: Int64?
    for app in tasks.apps {
      tasks.dropForbidden(app, &context)
      while let (request, earliest) = tasks.next(of: app) {
        let presence = context.presence(of: app)
        let isStartable =
          presence == .background
          || (presence == .notRunning && context.apps[app]?.installation != nil
            && !startedForTask.contains(app))
        // For a foreground app, the task waits until the user leaves the app. For a development app, it waits until the
        // app runs.
        guard isStartable else { break }
        let moment = max(
          earliest, (budgets[app] ?? BackgroundBudget()).nextUnixMilliseconds(after: now))
        guard moment <= now, consumeWake(app, &context) else {
          next = min(next ?? .max, max(moment, now + 1))
          break
        }
        if presence == .background {
          begin(app, request, &context)
        } else {
          startForTask(app, &context)
        }
      }
    }
    return next
  }

  private mutating func startForTask(_ app: AppID, _ context: inout AgentContext) {
    guard let order = context.launch(app, .task, isForeground: false) else {
      return assertionFailure("only installed apps are started")
    }
    startedForTask.insert(app)
    expect(app, order, &context)
  }

  /// Handles the launch of an app for a user's action: the app no longer counts as background work, even if it was
  /// already being started for a push.
  mutating func onStartedByUser(_ app: AppID) { startedForPush.remove(app) }

  /// Handles an app that entered the foreground: the app no longer counts as background work, and a held push is
  /// delivered.
  mutating func onForeground(_ app: AppID, _ context: inout AgentContext) {
    startedForPush.remove(app)
    if let push = release(app, &context) { wake(app, push, &context) }
  }

  /// Handles an app's report on the result of a push; the result is nil if the app disconnected without a report.
  mutating func onFetched(
    _ app: AppID, _ result: FetchResult?, _ context: inout AgentContext
  ) {
    startedForPush.remove(app)
    finishWake(app, result, &context)
  }

  /// Handles an app that did not report the result of a wake before its timeout: the wake counts as useless (client-api
  /// 3.45).
  mutating func onTimedOut(_ app: AppID, _ context: inout AgentContext) {
    startedForPush.remove(app)
    finishWake(app, nil, &context)
  }

  /// Handles an app that was started but did not connect: the wake counts as useless, and an app that was started for a
  /// push is terminated.
  mutating func onStartFailed(_ app: AppID, _ context: inout AgentContext) {
    startedForTask.remove(app)
    finishWake(app, nil, &context)
    if startedForPush.remove(app) != nil { context.emit(.end(app)) }
  }

  // MARK: - Budgets

  /// Consumes a wake from the app's budget; returns false if none is available.
  private mutating func consumeWake(_ app: AppID, _ context: inout AgentContext) -> Bool {
    let isTaken = budgets[app, default: BackgroundBudget()]
      .consumeWake(atUnixMilliseconds: context.now.wall)
    persistBudget(app, &context)
    return isTaken
  }

  private mutating func finishWake(
    _ app: AppID, _ result: FetchResult?, _ context: inout AgentContext
  ) {
    guard budgets[app] != nil else { return }
    budgets[app]?.finishWake(result)
    persistBudget(app, &context)
  }

  private func persistBudget(_ app: AppID, _ context: inout AgentContext) {
    guard let budget = budgets[app] else { return }
    context.persist(.put(.device, key: Self.budgetKey(app), budget.json.bytes))
  }

  /// Returns true if a push waits for an app.
  func holdsPush(of app: AppID) -> Bool { held[app] != nil }

  private mutating func release(
    _ app: AppID, _ context: inout AgentContext
  ) -> RetainedPush? {
    guard let push = held.removeValue(forKey: app) else { return nil }
    context.persist(.remove(.fetches, key: app.text))
    return push
  }

  /// Handles the firing of the timer.
  mutating func onDue() { armed = nil }

  /// Wakes the apps that may be woken now, and arms the timer for the other apps.
  mutating func settle(_ context: inout AgentContext) {
    dropUnwanted(context)
    let now = context.now.wall
    var next: Int64?
    if !context.conditions.holdsBackgroundWork {
      for app in held.keys.sorted() {
        // After a reinstallation, the app might no longer receive background pushes.
        guard context.apps[app]?.mayRun(inMode: "remote-notification") == true else {
          _ = release(app, &context)
          continue
        }
        let moment = (budgets[app] ?? BackgroundBudget()).nextUnixMilliseconds(after: now)
        if moment <= now, consumeWake(app, &context), let push = release(app, &context) {
          wake(app, push, &context)
        } else {
          next = min(next ?? .max, max(moment, now + 1))
        }
      }
      if let moment = beginDueTasks(&context) { next = min(next ?? .max, moment) }
    }
    guard next != armed else { return }
    armed = next
    context.emit(.armBackgroundWork(atUnixMilliseconds: next))
  }

  /// Drops pushes that waited for the start of apps that are now installed and whose manifests declare no background
  /// pushes.
  private mutating func dropUnwanted(_ context: AgentContext) {
    awaitingStart = awaitingStart.filter { app, push in
      push.kind != .alert || context.apps[app]?.mayRun(inMode: "remote-notification") == true
    }
  }

  /// Drops pending pushes and tasks of a removed app.
  mutating func onAppRemoved(_ app: AppID, _ context: inout AgentContext) {
    _ = release(app, &context)
    awaitingStart[app] = nil
    startedForPush.remove(app)
    startedForTask.remove(app)
    reported.remove(app)
    tasks.remove(app, nil, &context)
    if budgets.removeValue(forKey: app) != nil {
      context.persist(.remove(.device, key: Self.budgetKey(app)))
    }
  }

  /// Traps in debug builds if the pending work is inconsistent.
  func checkInvariants(_ context: AgentContext) {
    for (app, push) in held {
      assert(context.apps[app] != nil, "held pushes belong to known apps")
      assert(push.kind == .alert, "only pushes of the alert kind are held")
    }
    for app in awaitingStart.keys {
      assert(
        context.presence(of: app) == .notRunning,
        "a push awaits the start only of an app that is not running")
    }
    for app in startedForPush {
      assert(context.apps[app]?.installation != nil, "only installed apps are started")
    }
    for app in startedForTask {
      assert(
        context.presence(of: app) == .notRunning,
        "a task awaits the start only of an app that is not running")
    }
    tasks.checkInvariants(context)
    assert(
      armed == nil || !held.isEmpty || !tasks.apps.isEmpty,
      "the timer is set only while a push or task is waiting")
    for budget in budgets.values { budget.checkInvariants() }
  }
}
