internal import Console
public import Gateway
public import System

/// The metrics that the gateway computes only when they are read: the state of its disk, its folder, and its probes.
public enum GatewayGauges {
  /// Adds the gauges to `metrics`; `isReady` returns whether every listener accepts connections.
  public static func add(
    to metrics: MetricRegistry, condition: GatewayCondition, history: MetricHistory,
    isReady: @escaping @Sendable () -> Bool
  ) {
    metrics.gauge("belfry_ready", help: "1 while /readyz reports that the gateway is ready.") {
      isReady() && condition.obstacle == nil ? 1 : 0
    }
    metrics.gauge(
      "belfry_notifications_waiting",
      help: "Notifications in the store for offline devices, counted every ten seconds."
    ) { [weak history] in history?.waiting.map(Double.init) }
    for store in Store.allCases {
      metrics.gauge(
        "belfry_store_bytes",
        help: "Size of a store's files in bytes, including the write-ahead file.",
        labels: ["store": store.rawValue]
      ) {
        guard case .folder(let control, let notifications) = condition.storage.stores else {
          return nil
        }
        return switch store {
        case .control: Double(control)
        case .notifications: Double(notifications)
        }
      }
    }
    metrics.gauge("belfry_disk_bytes", help: "Size of the data folder's disk, in bytes.") {
      condition.storage.space.map { Double($0.totalBytes) }
    }
    metrics.gauge(
      "belfry_disk_free_bytes",
      help: "Free bytes on the data folder's disk that the gateway can use."
    ) { condition.storage.space.map { Double($0.freeBytes) } }
  }

  private enum Store: String, CaseIterable { case control, notifications }
}
