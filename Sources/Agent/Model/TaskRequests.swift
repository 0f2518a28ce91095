import BelfryWire

/// Requests of apps to be started for a task in the background (`BGTaskScheduler`).
///
/// They outlive the app's process and the agent's. A request is used up when its task begins.
struct TaskRequests {
  private var waiting: [AppID: [UTF8Text: BackgroundTaskRequest]] = [:]

  private static func recordKey(_ app: AppID, _ id: String) -> String { "\(app)/\(id)" }

  /// Puts a kept request back; false when it is damaged.
  mutating func restore(key: String, record: [UInt8]) -> Bool {
    guard let slash = key.utf8.firstIndex(of: UInt8(ascii: "/")),
      let app = AppID(String(key[..<slash])),
      let object = (try? JSONValue(parsing: record))?.objectValue,
      let request = try? BackgroundTaskRequest(json: object),
      key.hasSameBytes(as: Self.recordKey(app, request.id))
    else { return false }
    waiting[app, default: [:]][UTF8Text(request.id)] = request
    return true
  }

  /// Forgets what apps that are gone have asked for.
  mutating func dropUnknownApps(_ context: inout AgentContext) {
    for app in waiting.keys.sorted() where context.apps[app] == nil {
      remove(app, nil, &context)
    }
  }

  /// An app asks to be started for a task.
  mutating func submit(
    _ app: AppID, _ request: BackgroundTaskRequest, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    guard context.apps[app]?.mayRun(inMode: request.kind.mode) == true else {
      throw AppLinkFailure(
        .taskNotPermitted,
        "\(app) does not have \(request.kind.mode) among the UIBackgroundModes of its manifest")
    }
    let known = waiting[app] ?? [:]
    guard known[UTF8Text(request.id)] != nil || known.count < Limits.taskRequestsPerApp else {
      throw AppLinkFailure(
        .tooManyTasks, "\(app) waits for \(Limits.taskRequestsPerApp) tasks: cancel some first")
    }
    waiting[app, default: [:]][UTF8Text(request.id)] = request
    context.persist(.put(.tasks, key: Self.recordKey(app, request.id), request.json.bytes))
  }

  /// Forgets requests of an app; nil is all of them.
  mutating func remove(_ app: AppID, _ ids: [String]?, _ context: inout AgentContext) {
    for id in ids?.map({ UTF8Text($0) }) ?? (waiting[app] ?? [:]).keys.sorted() {
      guard waiting[app]?.removeValue(forKey: id) != nil else { continue }
      context.persist(.remove(.tasks, key: Self.recordKey(app, id.string)))
    }
    if waiting[app]?.isEmpty == true { waiting[app] = nil }
  }

  /// Forgets what the app's manifest does not allow any more: it was installed anew.
  mutating func dropForbidden(_ app: AppID, _ context: inout AgentContext) {
    let forbidden = pending(of: app).filter {
      context.apps[app]?.mayRun(inMode: $0.kind.mode) != true
    }
    if !forbidden.isEmpty { remove(app, forbidden.map(\.id), &context) }
  }

  /// What an app still waits for, in order of the identifiers.
  func pending(of app: AppID) -> [BackgroundTaskRequest] {
    (waiting[app] ?? [:]).values.sorted { UTF8Text($0.id) < UTF8Text($1.id) }
  }

  /// The apps that wait for a task.
  var apps: [AppID] { waiting.keys.sorted() }

  /// The request of an app that is due first, and when that is; nil when it waits for none.
  func next(of app: AppID) -> (request: BackgroundTaskRequest, unixMilliseconds: Int64)? {
    let first = pending(of: app).min {
      ($0.earliestUnixMilliseconds ?? .min) < ($1.earliestUnixMilliseconds ?? .min)
    }
    return first.map { ($0, $0.earliestUnixMilliseconds ?? .min) }
  }

  /// Traps in debug builds when what waits contradicts itself.
  func checkInvariants(_ context: AgentContext) {
    for (app, requests) in waiting {
      assert(context.apps[app] != nil, "nothing waits for an app that is gone")
      assert(!requests.isEmpty, "an app that waits for nothing is not listed")
      assert(requests.count <= Limits.taskRequestsPerApp, "a bounded number waits")
      assert(requests.allSatisfy { $0.key == $0.value.id }, "each under its own identifier")
    }
  }
}

extension BackgroundTaskRequest.Kind {
  /// The background mode that an app's manifest has to have for it.
  var mode: String {
    switch self {
    case .refresh: "fetch"
    case .processing, .research: "processing"
    }
  }
}
