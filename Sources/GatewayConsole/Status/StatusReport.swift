internal import Console
internal import BelfryWire
internal import Gateway
internal import Glibc
internal import System

/// The status of a running gateway as one object with flat keys, as `belfry gateway status` shows it.
struct StatusReport {
  private let metrics: MetricRegistry
  private let condition: GatewayCondition?
  private let history: MetricHistory?

  init(_ metrics: MetricRegistry, _ condition: GatewayCondition?, _ history: MetricHistory?) {
    self.metrics = metrics
    self.condition = condition
    self.history = history
  }

  /// Returns the members that follow the readiness and the environment.
  func members(atMilliseconds now: Int64) -> [(String, JSONValue)] {
    let values = Dictionary(
      metrics.samples().map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    var members: [(String, JSONValue)] = [("pid", .integer(Int64(getpid())))]
    if let started = history?.startedMilliseconds {
      members.append(("startedAt", Self.time(started)))
      members.append(("upSeconds", .integer(max(0, now - started) / 1_000)))
    }
    members.append(("providerConnections", Self.whole(values["belfry_provider_connections"])))
    members.append(("deviceConnections", Self.whole(values["belfry_device_connections"])))
    let counts = Self.counts(values)
    for (name, total) in counts { members.append((name, Self.whole(total))) }
    if let former = history?.sample(sinceMilliseconds: now - Self.windowMilliseconds) {
      members += Self.rates(
        counts, Self.counts(former.values), seconds: Double(now - former.atMilliseconds) / 1_000)
      members += Self.commits(values, former.values)
    }
    if let waiting = history?.waiting { members.append(("waiting", .integer(Int64(waiting)))) }
    if let count = condition?.waitingDevices {
      members.append(("devicesWithoutNewAuthority", .integer(Int64(count))))
    }
    return members + cluster + storage + ends
  }

  private static let windowMilliseconds: Int64 = 60_000

  private static func counts(_ values: [String: Double]) -> [(name: String, total: Double)] {
    func sum(_ prefix: String) -> Double {
      values.reduce(0) { $1.key.hasPrefix(prefix) ? $0 + $1.value : $0 }
    }
    return [
      ("accepted", sum("belfry_pushes_accepted_total")),
      ("refused", sum("belfry_pushes_refused_total")),
      ("delivered", sum("belfry_notifications_total{state=\"Delivered")),
    ]
  }

  private static func rates(
    _ now: [(name: String, total: Double)], _ before: [(name: String, total: Double)],
    seconds: Double
  ) -> [(String, JSONValue)] {
    zip(now, before).map { now, before in
      let rate = seconds < 1 ? 0 : max(0, now.total - before.total) / seconds
      return (now.name + "PerSecond", .double((rate * 10).rounded() / 10))
    }
  }

  /// Returns the 50th and 99th percentiles of the commit time in the last minute, in milliseconds.
  ///
  /// Accepted pushes wait for a commit before they are answered. Both values are null if there was no commit.
  private static func commits(
    _ now: [String: Double], _ before: [String: Double]
  ) -> [(String, JSONValue)] {
    let prefix = "belfry_store_commit_seconds_bucket{store=\"notifications\",le=\""
    let buckets = now.compactMap { name, value -> (bound: Double, count: Double)? in
      guard name.hasPrefix(prefix), let bound = Double(name.dropFirst(prefix.count).dropLast(2))
      else { return nil }
      return (bound, value - (before[name] ?? 0))
    }.sorted { $0.bound < $1.bound }
    let total = (now[prefix + "+Inf\"}"] ?? 0) - (before[prefix + "+Inf\"}"] ?? 0)
    func bound(_ share: Double) -> JSONValue {
      if total <= 0 { return .null }
      let found = buckets.first { $0.count >= total * share }?.bound ?? buckets.last?.bound ?? 0
      return .double(found * 1_000)
    }
    return [("commitMilliseconds50", bound(0.5)), ("commitMilliseconds99", bound(0.99))]
  }

  private var cluster: [(String, JSONValue)] {
    guard let node = condition?.nodeName else { return [] }
    var members: [(String, JSONValue)] = [("node", .string(node))]
    if let url = condition?.busURL { members.append(("bus", .string(url))) }
    if let isOnBus = condition?.isOnBus { members.append(("busConnected", .bool(isOnBus))) }
    return members
  }

  private var storage: [(String, JSONValue)] {
    guard let storage = condition?.storage else { return [] }
    var members: [(String, JSONValue)] = [
      ("data", .string(storage.path))
    ]
    switch storage.stores {
    case .folder(let controlBytes, let notificationBytes):
      members.append(("controlStoreBytes", .integer(Int64(controlBytes))))
      members.append(("notificationStoreBytes", .integer(Int64(notificationBytes))))
    case .database(let url): members.append(("database", .string(url)))
    }
    if let space = storage.space {
      members.append(("diskFreeBytes", .integer(Int64(space.freeBytes))))
      members.append(("diskTotalBytes", .integer(Int64(space.totalBytes))))
    }
    if let bytes = ProcessUsage.residentBytes {
      members.append(("residentBytes", .integer(Int64(bytes))))
    }
    return members
  }

  private var ends: [(String, JSONValue)] {
    (condition?.ends ?? []).map { end in
      let name =
        switch end.kind {
        case .authority: "authorityEndsAt"
        case .nextAuthority: "nextAuthorityEndsAt"
        case .device: "deviceCertificateEndsAt"
        case .server: "serverCertificateEndsAt"
        case .own: "ownCertificateEndsAt"
        case .provider: "providerCertificateEndsAt"
        }
      return (name, Self.time(end.notAfter * 1_000))
    }
  }

  private static func time(_ milliseconds: Int64) -> JSONValue {
    .string(Timestamp.rfc3339(unixMilliseconds: milliseconds))
  }

  private static func whole(_ value: Double?) -> JSONValue { .integer(Int64(value ?? 0)) }
}
