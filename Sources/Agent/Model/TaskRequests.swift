import BelfryWire
import AppWire

/// Apps' requests to be started for a background task (`BGTaskScheduler`).
///
/// The requests outlive the app's process and the agent. A request is removed when its task begins.
struct TaskRequests {
  private var waiting: [AppID: [UTF8Text: BackgroundTaskRequest]] = [:]

  private static func recordKey(_ app: AppID, _ id: String) -> String { "\(app)/\(id)" }

  /// Restores a stored request; returns false if it is damaged.
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

  /// Removes the requests of apps that no longer exist.
  mutating func dropUnknownApps(_ context: inout AgentContext) {
    for app in waiting.keys.sorted() where context.apps[app] == nil {
      remove(app, nil, &context)
    }
  }

  /// Handles an app's request to be started for a task.
  mutating func submit(
    _ app: AppID, _ request: BackgroundTaskRequest, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    guard context.apps[app]?.mayRun(inMode: request.kind.mode) == true else {
      throw AppLinkFailure(
        .taskNotPermitted,
        "UIBackgroundModes in the manifest of \(app) does not contain \(request.kind.mode): add it")
    }
    let known = waiting[app] ?? [:]
    guard known[UTF8Text(request.id)] != nil || known.count < Limits.taskRequestsPerApp else {
      throw AppLinkFailure(
        .tooManyTasks,
        "\(app) has reached the limit of \(Limits.taskRequestsPerApp) pending tasks: cancel some first"
      )
    }
    let (key, record) = (Self.recordKey(app, request.id), request.json.bytes)
    try context.checkRoom(for: app, .tasks, key: key, bytes: record.count)
    waiting[app, default: [:]][UTF8Text(request.id)] = request
    context.persist(.put(.tasks, key: key, record))
  }

  /// Removes requests of an app; nil removes all requests.
  mutating func remove(_ app: AppID, _ ids: [String]?, _ context: inout AgentContext) {
    for id in ids?.map({ UTF8Text($0) }) ?? (waiting[app] ?? [:]).keys.sorted() {
      guard waiting[app]?.removeValue(forKey: id) != nil else { continue }
      context.persist(.remove(.tasks, key: Self.recordKey(app, id.string)))
    }
    if waiting[app]?.isEmpty == true { waiting[app] = nil }
  }

  /// Removes requests that the app's manifest no longer allows after a reinstallation.
  mutating func dropForbidden(_ app: AppID, _ context: inout AgentContext) {
    let forbidden = pending(of: app).filter {
      context.apps[app]?.mayRun(inMode: $0.kind.mode) != true
    }
    if !forbidden.isEmpty { remove(app, forbidden.map(\.id), &context) }
  }

  /// Returns an app's pending requests, ordered by identifier.
  func pending(of app: AppID) -> [BackgroundTaskRequest] {
    (waiting[app] ?? [:]).values.sorted { UTF8Text($0.id) < UTF8Text($1.id) }
  }

  /// The apps with pending requests.
  var apps: [AppID] { waiting.keys.sorted() }

  /// Returns the app's request that is due first, with its due time; nil if the app has no request.
  func next(of app: AppID) -> (request: BackgroundTaskRequest, unixMilliseconds: Int64)? {
    let first = pending(of: app).min {
      ($0.earliestUnixMilliseconds ?? .min) < ($1.earliestUnixMilliseconds ?? .min)
    }
    return first.map { ($0, $0.earliestUnixMilliseconds ?? .min) }
  }

  /// Traps in debug builds if the pending requests are inconsistent.
  func checkInvariants(_ context: AgentContext) {
    for (app, requests) in waiting {
      assert(context.apps[app] != nil, "task requests belong to known apps")
      assert(!requests.isEmpty, "an app without task requests has no entry")
      assert(
        requests.count <= Limits.taskRequestsPerApp,
        "an app does not exceed its limit of task requests")
      assert(
        requests.allSatisfy { $0.key == $0.value.id },
        "a task request is stored under its own identifier")
    }
  }
}

extension BackgroundTaskRequest.Kind {
  /// The background mode that an app's manifest must declare for this kind of task.
  var mode: String {
    switch self {
    case .refresh: "fetch"
    case .processing, .research: "processing"
    }
  }
}
