import BelfryWire
public import System

/// The gateway's metrics, each named once.
public struct GatewayMetrics: Sendable {
  /// The registry from which they are read.
  public let registry: MetricRegistry
  let accepted: Counter
  let providerConnections: Gauge
  let deviceConnections: Gauge
  private let rejections: [Counter]
  private let states: [Counter]
  private let broadcastStates: [Counter]
  let broadcasts: Counter
  let subscriptions: Gauge

  /// Metrics in a registry.
  public init(registry: MetricRegistry) {
    self.registry = registry
    accepted = registry.counter(
      "belfry_pushes_accepted_total", help: "Provider requests answered with 200.")
    providerConnections = registry.gauge(
      "belfry_provider_connections", help: "Open provider connections.")
    deviceConnections = registry.gauge(
      "belfry_device_connections", help: "Open device connections.")
    rejections = Rejection.allCases.map {
      registry.counter(
        "belfry_pushes_refused_total", help: "Provider requests refused, by reason.",
        labels: ["reason": $0.reason])
    }
    states = DeliveryState.allCases.map {
      registry.counter(
        "belfry_notifications_total", help: "What happened to accepted notifications.",
        labels: ["state": $0.label])
    }
    broadcasts = registry.counter(
      "belfry_broadcasts_accepted_total", help: "Broadcasts answered with 200.")
    broadcastStates = DeliveryState.allCases.map {
      registry.counter(
        "belfry_broadcast_copies_total",
        help: "What happened to accepted broadcasts, counted for each device.",
        labels: ["state": $0.label])
    }
    subscriptions = registry.gauge(
      "belfry_channel_subscriptions", help: "Subscriptions of devices to channels.")
  }

  func count(_ rejection: Rejection) { rejections[Int(rejection.rawValue)].add() }

  func count(_ state: DeliveryState) { states[Int(state.rawValue)].add() }

  func count(copy state: DeliveryState) { broadcastStates[Int(state.rawValue)].add() }
}
