import BelfryWire
public import System

/// The gateway's metrics, each named once.
public struct GatewayMetrics: Sendable {
  /// The registry from which they are read.
  public let registry: MetricRegistry
  let accepted: Counter
  let providerConnections: Gauge
  let deviceConnections: Gauge
  let enrolments: Counter
  let unknownDevices: Counter
  let restored: Gauge
  private let failingStores: [String: Gauge]
  private let enrolmentRefusals: [Counter]
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
    enrolments = registry.counter(
      "belfry_enrolments_total", help: "Devices that were given a certificate.")
    unknownDevices = registry.counter(
      "belfry_devices_unknown_total",
      help: "Connections of devices with a good certificate that the folder does not know.")
    restored = registry.gauge(
      "belfry_folder_restored", help: "1 where a database of the folder was restored from a copy.")
    failingStores = Dictionary(
      uniqueKeysWithValues: ["control.sqlite", "notifications.sqlite"].map { store in
        let gauge = registry.gauge(
          "belfry_store_failing", help: "1 while the store's disk takes no writes.",
          labels: ["store": store])
        return (store, gauge)
      })
    enrolmentRefusals = LinkEnrolmentRefusal.all.map {
      registry.counter(
        "belfry_enrolments_refused_total", help: "Enrolments refused, by reason.",
        labels: ["reason": "\($0)"])
    }
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

  func setFailing(_ store: String, _ isFailing: Bool) {
    failingStores[store]?.set(isFailing ? 1 : 0)
  }

  func count(_ rejection: Rejection) { rejections[Int(rejection.rawValue)].add() }

  func count(_ refusal: LinkEnrolmentRefusal) {
    enrolmentRefusals[Int(refusal.rawValue) - 1].add()
  }

  func count(_ state: DeliveryState) { states[Int(state.rawValue)].add() }

  func count(copy state: DeliveryState) { broadcastStates[Int(state.rawValue)].add() }
}
