import Synchronization
import System

/// A count of the connections of all loops, by kind and address.
///
/// The count covers all loops because they share the process's file descriptors. It is consulted once per connection,
/// never for a push.
final class ConnectionCensus: Sendable {
  /// The kind of peer that connects to a port.
  enum Kind: Sendable { case provider, device }

  private struct Counts {
    var unproven = 0
    var providers = 0
    var devices = 0
    var unprovenByAddress: [String: Int] = [:]
    var providersByAddress: [String: Int] = [:]

    var total: Int { unproven + providers + devices }
  }

  let bounds: ConnectionBounds
  private let counts = Mutex(Counts())
  private let metrics: ConnectionMetrics

  init(bounds: ConnectionBounds, metrics: ConnectionMetrics) {
    self.bounds = bounds
    self.metrics = metrics
    metrics.setBounds(bounds)
  }

  /// Returns the limit that one more connection would exceed; nil if there is room.
  func excess(_ kind: Kind, from address: String) -> ConnectionBounds.Excess? {
    counts.withLock { counts in
      switch kind {
      case .provider:
        let own = counts.providersByAddress[address] ?? 0
        if counts.providers >= bounds.providers || own >= bounds.providersOfAddress {
          return .provider
        }
      case .device: if counts.devices >= bounds.devices { return .device }
      }
      let own = counts.unprovenByAddress[address] ?? 0
      if own >= bounds.unprovenOfAddress { return .address }
      if counts.unproven >= bounds.unproven { return .unproven }
      return counts.total >= bounds.total ? .total : nil
    }
  }

  func refused(_ excess: ConnectionBounds.Excess) { metrics.refused[excess]?.add() }

  func endedUnproven() { metrics.endedUnproven.add() }

  func evicted() { metrics.evicted.add() }

  func enter(_ address: String) {
    metrics.unproven.add()
    counts.withLock { counts in
      counts.unproven += 1
      counts.unprovenByAddress[address, default: 0] += 1
    }
  }

  func leave(_ address: String, isProvider: Bool) {
    if !isProvider { metrics.unproven.add(-1) }
    counts.withLock { counts in
      if isProvider {
        counts.providers -= 1
        Self.take(1, from: &counts.providersByAddress, address)
      } else {
        counts.unproven -= 1
        Self.take(1, from: &counts.unprovenByAddress, address)
      }
      assert(
        counts.unproven >= 0 && counts.providers >= 0, "the connection counts are not negative")
    }
  }

  func prove(_ address: String) {
    metrics.unproven.add(-1)
    counts.withLock { counts in
      counts.unproven -= 1
      Self.take(1, from: &counts.unprovenByAddress, address)
      counts.providers += 1
      counts.providersByAddress[address, default: 0] += 1
    }
  }

  /// Adds an authenticated device if `count` is 1; removes a disconnected device if `count` is -1.
  func countDevice(_ count: Int) {
    counts.withLock { counts in
      counts.devices += count
      assert(counts.devices >= 0, "the device count is not negative")
    }
  }

  private static func take(_ count: Int, from table: inout [String: Int], _ address: String) {
    let left = (table[address] ?? 0) - count
    assert(left >= 0, "the connection count of \(address) is not negative")
    table[address] = left > 0 ? left : nil
  }

  /// The number of connections of each kind.
  var totals: (unproven: Int, providers: Int, devices: Int) {
    counts.withLock { ($0.unproven, $0.providers, $0.devices) }
  }
}

/// The metrics of the connection limits.
struct ConnectionMetrics: Sendable {
  let unproven: Gauge
  let evicted: Counter
  let endedUnproven: Counter
  let refused: [ConnectionBounds.Excess: Counter]
  private let devicesMax: Gauge
  private let providersMax: Gauge

  init(registry: MetricRegistry) {
    func most(_ kind: String) -> Gauge {
      registry.gauge(
        "belfry_connections_max", help: "Limit of concurrent connections, by kind.",
        labels: ["kind": kind])
    }
    (devicesMax, providersMax) = (most("device"), most("provider"))
    unproven = registry.gauge(
      "belfry_connections_unproven", help: "Connections that have not authenticated yet.")
    evicted = registry.counter(
      "belfry_connections_evicted_total",
      help: "Unauthenticated connections closed to make room.")
    endedUnproven = registry.counter(
      "belfry_connections_ended_unproven_total",
      help:
        "Connections that closed without authenticating, including stalled handshakes."
    )
    refused = Dictionary(
      uniqueKeysWithValues: ConnectionBounds.Excess.allCases.map {
        (
          $0,
          registry.counter(
            "belfry_connections_refused_total",
            help:
              "Connections refused, by the limit that they would have exceeded.",
            labels: ["bound": $0.rawValue])
        )
      })
  }
  func setBounds(_ bounds: ConnectionBounds) {
    devicesMax.set(Int64(bounds.devices))
    providersMax.set(Int64(bounds.providers))
  }
}
