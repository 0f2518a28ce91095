internal import BelfryWire
internal import Storage
internal import Synchronization
internal import System

/// The token counts per app and language.
///
/// The tokens are recounted only occasionally, because counting reads every token.
final class RegistryCounts: Sendable {
  /// A snapshot of the counts.
  struct Counts: Sendable {
    let shares: [RegistryShare]
    let departures: [String: Int64]
  }

  private struct State {
    var counts: Counts?
    /// The time until which the counts are reused, in monotonic nanoseconds.
    var goodUntil: Int64 = .min
  }

  private let store: any RegistryStore
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Creates the counts of a store.
  ///
  /// `now` is a monotonic clock in nanoseconds.
  init(
    of store: any RegistryStore,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    self.store = store
    self.now = now
  }

  /// Returns the counts, which can be slightly outdated.
  func counts() throws(StorageFailure) -> Counts {
    try state.withLock { state throws(StorageFailure) in
      let start = now()
      if let counts = state.counts, start < state.goodUntil { return counts }
      let counts = Counts(shares: try store.shares(), departures: try store.departures())
      let end = now()
      assert(end >= start, "the clock does not go backward")
      state.goodUntil =
        end + max(Limits.countsNanoseconds, (end - start) * Limits.countsRest)
      state.counts = counts
      return counts
    }
  }
}

extension RegistryCounts.Counts {
  /// The members `devices`, `webPush`, `dead`, and `apps`; each app is listed with its languages and environments.
  ///
  /// `devices` includes Web Push subscriptions, which have no environment.
  var members: [(String, JSONValue)] {
    func total(_ shares: [RegistryShare]) -> Int64 { shares.reduce(0) { $0 + $1.count } }
    func webPush(_ shares: [RegistryShare]) -> JSONValue {
      .integer(total(shares.filter(\.isWebPush)))
    }
    func parts(_ shares: [RegistryShare], named name: String, _ key: (RegistryShare) -> String?)
      -> JSONValue
    {
      let sums = Dictionary(grouping: shares, by: key).mapValues(total)
      let sorted = sums.sorted { ($1.value, $0.key ?? "") < ($0.value, $1.key ?? "") }
      var lines: [JSONValue] = sorted.prefix(Limits.sharesSummarized).map { key, count in
        [name: key.map { .string($0) } ?? .null, "devices": .integer(count)]
      }
      let rest = sorted.dropFirst(Limits.sharesSummarized).reduce(0) { $0 + $1.value }
      if rest > 0 { lines.append([name: "others", "devices": .integer(rest)]) }
      return .array(lines)
    }
    let byTopic = Dictionary(grouping: shares, by: \.topic)
    let topics = Set(byTopic.keys).union(departures.keys).sorted {
      (total(byTopic[$1] ?? []), $0) < (total(byTopic[$0] ?? []), $1)
    }
    let apps = topics.prefix(Limits.sharesSummarized).map { topic -> JSONValue in
      let own = byTopic[topic] ?? []
      return [
        "topic": .string(topic), "devices": .integer(total(own)),
        "webPush": webPush(own), "dead": .integer(departures[topic] ?? 0),
        "languages": parts(own, named: "language", \.language),
        "environments": parts(own.filter { !$0.isWebPush }, named: "environment", \.environment),
      ]
    }
    return [
      ("devices", .integer(total(shares))), ("webPush", webPush(shares)),
      ("dead", .integer(departures.values.reduce(0, +))), ("apps", .array(apps)),
    ]
  }
}
