import AppWire

/// The time that apps may run in the background (S0-22, S0-23, S1-51; client-api 3.45).
///
/// This type tracks each app's pending work, warns the app before its time expires, and then ends its tasks. A stretch
/// of time begins when an app enters the background or receives work there. At the end of the stretch, the app's
/// background tasks end. The agent also terminates a process that it started in the background and that has stayed
/// there since. A process that the user started or looked at might have windows, so the agent never terminates it.
struct BackgroundTime {
  /// The current background time of an app.
  private struct Stretch {
    enum Warning {
      case none, given
    }

    /// The time when the background time ends, in milliseconds on the elapsed-time clock.
    var endsAt: Int64
    var warning = Warning.none
    /// The time when an app without pending work is suspended; nil while it has work.
    var suspendsAt: Int64?
  }

  /// A task for which an app requested time (`beginBackgroundTask`).
  private struct Task: Hashable {
    let connection: ConnectionID
    let number: Int64
  }

  private var stretches: [AppID: Stretch] = [:]
  private var tasks: [AppID: Set<Task>] = [:]
  /// Apps that did not answer a question in time.
  ///
  /// These apps have no time left, regardless of the tasks that they begin or end.
  private var overdue: Set<AppID> = []
  /// The due time of the armed timer, in milliseconds on the elapsed-time clock.
  private var armed: Int64?

  // MARK: - Apps

  /// Begins the background time of an app that has connected or receives work in the background.
  mutating func begin(_ app: AppID, _ context: AgentContext) {
    guard context.presence(of: app) == .background else { return }
    overdue.remove(app)
    guard isTimed(app, context) else { return }
    stretches[app] = Stretch(
      endsAt: context.now.elapsed + Limits.backgroundMilliseconds)
  }

  /// Begins the background time of an app that left the foreground.
  ///
  /// An app that was never in the foreground gains no time by reporting that it is in the background.
  mutating func onEnteredBackground(_ app: AppID, _ context: AgentContext) {
    if !context.connections.isStartedBehind(app) { begin(app, context) }
  }

  /// Handles a closed connection: removes the tasks that were begun on the connection.
  mutating func onDisconnected(_ connection: ConnectionID, _ app: AppID?) {
    guard let app, let begun = tasks[app] else { return }
    let left = begun.filter { $0.connection != connection }
    tasks[app] = left.isEmpty ? nil : left
  }

  mutating func onAppRemoved(_ app: AppID) {
    stretches[app] = nil
    tasks[app] = nil
    overdue.remove(app)
  }

  // MARK: - Tasks

  /// Handles an app's request for time to finish a task; the request's number identifies the task.
  mutating func begin(
    _ requestID: RequestID, _ app: AppID, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    let seconds = remaining(app, context)
    // If no time is left, the task expires before it begins.
    if let number = requestID.number, seconds > 0 || mayStop(app, context) {
      guard tasks[app, default: []].count < Limits.backgroundTasksPerApp else {
        throw AppLinkFailure(
          .invalidArgument,
          "\(app) has reached the limit of \(Limits.backgroundTasksPerApp) background tasks: end some of them first"
        )
      }
      tasks[app, default: []].insert(Task(connection: requestID.connection, number: number))
    }
    context.answer(requestID, .background(seconds: seconds, task: requestID.number ?? 0))
  }

  /// Ends a task that an app has finished.
  mutating func end(_ connection: ConnectionID, _ number: Int64, _ app: AppID) {
    tasks[app]?.remove(Task(connection: connection, number: number))
    if tasks[app]?.isEmpty == true { tasks[app] = nil }
  }

  /// Returns the number of seconds that an app has left in the background.
  func remaining(_ app: AppID, _ context: AgentContext) -> Double {
    guard context.presence(of: app) == .background, isTimed(app, context) else {
      return AppAnswer.unlimitedSeconds
    }
    guard let stretch = stretches[app] else { return 0 }
    return Double(max(0, stretch.endsAt - context.now.elapsed)) / 1_000
  }

  /// Ends the background time of an app that did not answer a question before its timeout.
  mutating func onTimedOut(_ app: AppID, _ context: inout AgentContext) {
    guard context.presence(of: app) == .background, mayStop(app, context) else { return }
    stretches[app] = Stretch(
      endsAt: context.now.elapsed, warning: stretches[app]?.warning ?? .none)
    overdue.insert(app)
  }

  // MARK: - After each event

  /// Handles the firing of the timer.
  mutating func onDue() { armed = nil }

  /// Warns, suspends, or terminates each app for which an action is due, and arms the timer for the other apps.
  mutating func settle(_ context: inout AgentContext) {
    for app in context.takeGivenWork() { begin(app, context) }
    var next: Int64?
    for app in stretches.keys.sorted() {
      guard let moment = settle(app, &context) else { continue }
      next = min(next ?? .max, moment)
    }
    guard next != armed else { return }
    armed = next
    context.emit(.armBackgroundTime(atElapsedMilliseconds: next))
  }

  /// Performs the actions that are due for one app; returns the time of the next check.
  private mutating func settle(_ app: AppID, _ context: inout AgentContext) -> Int64? {
    guard var stretch = stretches[app], context.presence(of: app) == .background,
      isTimed(app, context)
    else {
      // An app in the foreground has unlimited time, and an app that is not running has no time.
      stretches[app] = nil
      overdue.remove(app)
      if context.presence(of: app) == .notRunning { tasks[app] = nil }
      return nil
    }
    defer { if stretches[app] != nil { stretches[app] = stretch } }
    let now = context.now.elapsed
    let isBusy =
      tasks[app] != nil || overdue.contains(app) || context.connections.hasWork(app)
    guard isBusy else {
      guard mayStop(app, context) else {
        if now >= stretch.endsAt { stretches[app] = nil }
        return now >= stretch.endsAt ? nil : stretch.endsAt
      }
      let moment =
        stretch.suspendsAt ?? min(stretch.endsAt, now + Limits.suspensionDelayMilliseconds)
      stretch.suspendsAt = moment
      guard now >= moment else { return moment }
      stretches[app] = nil
      context.suspend(app)
      return nil
    }
    stretch.suspendsAt = nil
    let warningAt = stretch.endsAt - Limits.backgroundWarningMilliseconds
    if stretch.warning == .none {
      guard now >= warningAt else { return warningAt }
      stretch.warning = .given
      for peer in context.connections.peers(of: app) {
        context.ask(
          peer.connection, .backgroundTimeEnds, .expiration(app),
          timeoutMilliseconds: Limits.backgroundWarningMilliseconds)
      }
    }
    // The app's expiration handlers run first; the answer or the timeout triggers the next check.
    guard !context.connections.isAsked(.expiration(app)) else { return nil }
    guard now >= stretch.endsAt else { return stretch.endsAt }
    stretches[app] = nil
    overdue.remove(app)
    tasks[app] = nil
    if mayStop(app, context) { context.emit(.end(app)) }
    return nil
  }

  /// Returns true if the time of an app in the background is limited.
  private func isTimed(_ app: AppID, _ context: AgentContext) -> Bool {
    context.apps[app].map { !BackgroundModes.giveUnlimitedTime($0.backgroundModes) } ?? false
  }

  /// Returns true if the agent may terminate the process of an app.
  private func mayStop(_ app: AppID, _ context: AgentContext) -> Bool {
    context.connections.isStartedBehind(app) && isTimed(app, context)
  }

  /// Traps in debug builds if the background times are inconsistent with the model's state.
  func checkInvariants(_ context: AgentContext) {
    for (app, stretch) in stretches {
      assert(context.presence(of: app) == .background, "only apps in the background are timed")
      assert(isTimed(app, context), "an app with unlimited time is not timed")
      assert(!context.suspended.contains(app), "a suspended app has no background time")
      assert(
        stretch.endsAt <= context.now.elapsed + Limits.backgroundMilliseconds,
        "an app's background time is within the limit")
    }
    for app in context.suspended {
      assert(
        context.connections.isStartedBehind(app), "only apps that the agent started are suspended")
      assert(!context.connections.hasWork(app), "a suspended app has no pending work")
      assert(tasks[app] == nil, "a suspended app has no unfinished tasks")
    }
    for (app, tasks) in tasks {
      assert(!tasks.isEmpty, "an app without tasks is not listed")
      assert(
        tasks.count <= Limits.backgroundTasksPerApp,
        "an app does not exceed its limit of background tasks")
      assert(
        tasks.allSatisfy { context.connections[$0.connection]?.app == app },
        "a background task belongs to one of the app's open connections")
    }
    assert(overdue.isSubset(of: stretches.keys), "an overdue app is timed")
    assert(armed == nil || !stretches.isEmpty, "the timer is set only while an app is timed")
  }
}
