import BelfryWire

/// How long apps may run on behind: what each still has to do, what it is told before its time is over,
/// and when it is then stopped (S0-22, S0-23, S1-51; client-api 3.45).
///
/// A stretch begins when an app goes behind or is given something to do there. Only processes that this
/// agent started behind, and that have been there since, have one. A process that a person started, or
/// looked at, may have windows, and is never stopped: it is told that its time has no limit.
struct BackgroundTime {
  /// The time that an app has now.
  private struct Stretch {
    enum Warning {
      case none, given
    }

    /// In elapsed milliseconds.
    var endsAt: Int64
    var warning = Warning.none
    /// When an app that has nothing more to do is suspended; nil while it has.
    var suspendsAt: Int64?
  }

  /// A task that an app asked to finish (`beginBackgroundTask`).
  private struct Task: Hashable {
    let connection: ConnectionID
    let number: Int64
  }

  private var stretches: [AppID: Stretch] = [:]
  private var tasks: [AppID: Set<Task>] = [:]
  /// Apps that did not answer in time: they have no more time, whatever they still begin or end.
  private var overdue: Set<AppID> = []
  /// When the shell was last asked to look again, in elapsed milliseconds.
  private var armed: Int64?

  // MARK: - Apps

  /// An app that is behind has connected, or is given something to do: its time begins.
  mutating func begin(_ app: AppID, _ context: AgentContext) {
    guard context.presence(of: app) == .background else { return }
    overdue.remove(app)
    guard mayStop(app, context) else { return }
    stretches[app] = Stretch(
      endsAt: context.now.elapsed + Limits.backgroundMilliseconds)
  }

  /// A connection is gone, with the tasks that it had begun.
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

  /// An app asks for time to finish a task; its number is the request's.
  mutating func begin(
    _ ask: Ask, _ app: AppID, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    if let number = ask.number {
      guard tasks[app, default: []].count < Limits.backgroundTasksPerApp else {
        throw AppLinkFailure(
          .invalidArgument,
          "\(app) has \(Limits.backgroundTasksPerApp) background tasks: end some first")
      }
      tasks[app, default: []].insert(Task(connection: ask.connection, number: number))
    }
    context.answer(ask, .background(seconds: remaining(app, context), task: ask.number ?? 0))
  }

  /// An app has finished a task.
  mutating func end(_ connection: ConnectionID, _ number: Int64, _ app: AppID) {
    tasks[app]?.remove(Task(connection: connection, number: number))
    if tasks[app]?.isEmpty == true { tasks[app] = nil }
  }

  /// Seconds that an app has behind.
  func remaining(_ app: AppID, _ context: AgentContext) -> Double {
    guard context.presence(of: app) == .background, mayStop(app, context) else {
      return AppAnswer.unlimitedSeconds
    }
    guard let stretch = stretches[app] else { return 0 }
    return Double(max(0, stretch.endsAt - context.now.elapsed)) / 1_000
  }

  /// An app did not say in time what it was asked: its time is over now.
  mutating func onTimedOut(_ app: AppID, _ context: inout AgentContext) {
    guard context.presence(of: app) == .background, mayStop(app, context) else { return }
    stretches[app] = Stretch(
      endsAt: context.now.elapsed, warning: stretches[app]?.warning ?? .none)
    overdue.insert(app)
  }

  // MARK: - After each event

  /// The shell has come back at the moment that it was asked to.
  mutating func onDue() { armed = nil }

  /// Warns, suspends and ends what is due, and asks the shell to come back for the others.
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

  /// Does what is due for one app; gives when it is to be looked at again.
  private mutating func settle(_ app: AppID, _ context: inout AgentContext) -> Int64? {
    guard var stretch = stretches[app], context.presence(of: app) == .background,
      mayStop(app, context)
    else {
      // In front it has all the time, and one that is gone has none.
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
    // Its handlers come first; the answer, or its time-out, is looked at when it comes.
    guard !context.connections.isAsked(.expiration(app)) else { return nil }
    guard now >= stretch.endsAt else { return stretch.endsAt }
    stretches[app] = nil
    overdue.remove(app)
    tasks[app] = nil
    context.emit(.end(app))
    return nil
  }

  /// Whether an app is the agent's to stop.
  private func mayStop(_ app: AppID, _ context: AgentContext) -> Bool {
    guard context.connections.isStartedBehind(app), let record = context.apps[app] else {
      return false
    }
    // What plays, follows the place or waits for calls behind runs on, as its manifest says (S3-33).
    return !record.backgroundModes.contains { Self.modesThatRunOn.contains($0) }
  }

  /// The background modes with which an app is not stopped.
  private static let modesThatRunOn: Set<String> = ["audio", "location", "voip"]  // text: own words

  /// Traps in debug builds when what is timed contradicts itself.
  func checkInvariants(_ context: AgentContext) {
    for (app, stretch) in stretches {
      assert(context.presence(of: app) == .background, "only what runs behind is timed")
      assert(mayStop(app, context), "only what the agent may stop is timed")
      assert(!context.suspended.contains(app), "what is suspended has no time")
      assert(
        stretch.endsAt <= context.now.elapsed + Limits.backgroundMilliseconds,
        "nothing has more time than there is")
    }
    for app in context.suspended {
      assert(context.connections.isStartedBehind(app), "only what the agent started is suspended")
      assert(!context.connections.hasWork(app), "what is suspended is asked nothing")
      assert(tasks[app] == nil, "what is suspended has finished its tasks")
    }
    for (app, tasks) in tasks {
      assert(!tasks.isEmpty, "an app without tasks is not listed")
      assert(tasks.count <= Limits.backgroundTasksPerApp, "tasks are bounded")
      assert(
        tasks.allSatisfy { context.connections[$0.connection]?.app == app },
        "a task is of a process that runs")
    }
    assert(overdue.isSubset(of: stretches.keys), "what is overdue is timed")
    assert(armed == nil || !stretches.isEmpty, "the shell comes back for what is timed")
  }
}
