import PushWire
public import System

/// The gateway's metrics; each name occurs only once.
public final class GatewayMetrics: Sendable {
  /// The registry from which the metrics are read.
  public let registry: MetricRegistry
  let accepted: Counter
  let providerConnections: Gauge
  let deviceConnections: Gauge
  private let ownRecords: Counter
  private let opensslRecords: Counter
  let enrollments: Counter
  let renewals: Counter
  let devicesWithoutNewAuthority: Gauge
  let certificatesUnusable: Gauge
  let unknownDevices: Counter
  let restored: Gauge
  private let failingStores: [String: Gauge]
  private let damagedRows: [String: Gauge]  // text: names of our own stores
  let clockDisagreement: Gauge
  private let enrollmentRefusals: [Counter]
  private let rejections: [Counter]
  private let unansweredBounds: [Counter]
  private let webPushRefusals: [Int: Counter]
  let loweredStreamLimits: Counter
  private let erringConnections: [ProviderErrorPolicy.Excess: Counter]
  private let states: [Counter]
  private let relayed: [RelayKind: Counter]
  private let deliveryMilliseconds: Histogram
  private let broadcastStates: [Counter]
  let broadcasts: Counter
  let subscriptions: Gauge

  /// Creates the metrics in a registry; `stores` are the names of the gateway's stores.
  public init(
    registry: MetricRegistry, stores: [String] = ["control.sqlite", "notifications.sqlite"]
  ) {
    self.registry = registry
    accepted = registry.counter(
      "belfry_pushes_accepted_total", help: "Provider requests answered with 200.")
    providerConnections = registry.gauge(
      "belfry_provider_connections", help: "Open provider connections.")
    deviceConnections = registry.gauge(
      "belfry_device_connections", help: "Open device connections.")
    (ownRecords, opensslRecords) = (
      Self.deviceConnections(of: "own", registry), Self.deviceConnections(of: "openssl", registry)
    )
    renewals = registry.counter(
      "belfry_certificate_renewals_total",
      help: "Certificates renewed for connected devices.")
    devicesWithoutNewAuthority = registry.gauge(
      "belfry_devices_without_new_authority",
      help:
        "During a rotation of the certificate authority: devices that have not yet connected with a new certificate."
    )
    certificatesUnusable = registry.gauge(
      "belfry_certificate_files_unusable",
      help:
        "1 while the files of the server's certificates cannot be loaded, so that the gateway cannot be restarted."
    )
    enrollments = registry.counter(
      "belfry_enrolments_total", help: "Devices enrolled.")
    unknownDevices = registry.counter(
      "belfry_devices_unknown_total",
      help: "Connections of devices that have a valid certificate but are not in the data folder.")
    restored = registry.gauge(
      "belfry_folder_restored",
      help: "1 if a database of the data folder was restored from a copy.")
    failingStores = Dictionary(
      uniqueKeysWithValues: stores.map { store in
        let gauge = registry.gauge(
          "belfry_store_failing", help: "1 while the store accepts no writes.",
          labels: ["store": store])
        return (store, gauge)
      })
    damagedRows = Dictionary(
      uniqueKeysWithValues: stores.map { store in
        let gauge = registry.gauge(
          "belfry_store_damaged_rows",
          help: "Rows set aside because their checksum did not match.", labels: ["store": store])
        return (store, gauge)
      })
    clockDisagreement = registry.gauge(
      "belfry_clock_disagreement_seconds",
      help:
        "Seconds by which the wall clock was changed; 0 if notifications expire by the wall clock.")
    enrollmentRefusals = LinkEnrollmentRefusal.all.map {
      registry.counter(
        "belfry_enrolments_refused_total", help: "Enrollments refused, by reason.",
        labels: ["reason": "\($0)"])
    }
    rejections = Rejection.allCases.map {
      registry.counter(
        "belfry_pushes_refused_total", help: "Provider requests refused, by reason.",
        labels: ["reason": $0.reason])
    }
    webPushRefusals = Dictionary(
      uniqueKeysWithValues: [400, 401, 403, 404, 405, 410, 413, 429, 500, 503].map { status in
        let counter = registry.counter(
          "belfry_web_push_refused_total", help: "Web Push requests refused, by HTTP status.",
          labels: ["status": "\(status)"])
        return (status, counter)
      })
    unansweredBounds = UnansweredBound.allCases.map {
      registry.counter(
        "belfry_pushes_unanswered_bounded_total",
        help: "Number of times that a limit of unanswered pushes was reached, by limit.",
        labels: ["of": "\($0)"])
    }
    loweredStreamLimits = registry.counter(
      "belfry_provider_stream_limits_lowered_total",
      help:
        "Number of times that a provider's errors lowered its limit of concurrent streams.")
    erringConnections = Dictionary(
      uniqueKeysWithValues: ProviderErrorPolicy.Excess.allCases.map {
        (
          $0,
          registry.counter(
            "belfry_provider_connections_ended_total",
            help:
              "Provider connections closed because of their errors, by kind of error.",
            labels: ["reason": "\($0)"])
        )
      })
    states = DeliveryState.allCases.map {
      registry.counter(
        "belfry_notifications_total", help: "Accepted notifications, by outcome.",
        labels: ["state": $0.label])
    }
    relayed = Dictionary(
      uniqueKeysWithValues: RelayKind.allCases.map {
        let counter = registry.counter(
          "belfry_pushes_relayed_total",
          help: "Pushes for devices of an upstream, by outcome.", labels: ["outcome": $0.rawValue])
        return ($0, counter)
      })
    deliveryMilliseconds = registry.histogram(
      "belfry_delivery_seconds",
      help:
        "Time from acceptance to the device's acknowledgement, for notifications that did not wait for the device.",
      bounds: Self.deliveryBounds, scale: 1e-3, hasQuantiles: true)
    broadcasts = registry.counter(
      "belfry_broadcasts_accepted_total", help: "Broadcasts answered with 200.")
    broadcastStates = DeliveryState.allCases.map {
      registry.counter(
        "belfry_broadcast_copies_total",
        help: "Accepted broadcasts, by outcome, counted per device.",
        labels: ["state": $0.label])
    }
    subscriptions = registry.gauge(
      "belfry_channel_subscriptions", help: "Device subscriptions to channels.")
  }

  /// Sets the expiration times of certificates; the metric omits kinds of certificates that don't exist.
  func setEnds(_ ends: [CertificateEnd]) {
    for end in ends {
      registry.gauge(
        "belfry_certificate_end_timestamp_seconds",
        help:
          "Expiration of a certificate, in seconds since 1970; for providers' certificates, the earliest.",
        labels: ["certificate": end.kind.rawValue]
      ).set(end.notAfter)
    }
  }

  func setDamagedRows(_ store: String, _ count: Int) {
    damagedRows[store]?.set(Int64(count))
  }

  func setFailing(_ store: String, _ isFailing: Bool) {
    failingStores[store]?.set(isFailing ? 1 : 0)
  }

  func count(_ bound: UnansweredBound) { unansweredBounds[bound.rawValue].add() }

  private static func deviceConnections(of layer: String, _ registry: MetricRegistry) -> Counter {
    let help = "Device connections, by TLS record layer."
    let counter = registry.counter(
      "belfry_device_connections_opened_total", help: help, labels: ["records": layer])
    // Expose this name only in the Prometheus format: in OpenMetrics, the counter would belong to the same family as
    // the gauge of open connections.
    registry.counter(
      "belfry_device_connections_total", help: help, labels: ["records": layer], in: .prometheus
    ) { Double(counter.value) }
    return counter
  }

  func countDeviceConnection(hasOwnRecords: Bool) {
    (hasOwnRecords ? ownRecords : opensslRecords).add()
  }

  func count(_ rejection: Rejection) { rejections[Int(rejection.rawValue)].add() }

  func countWebPushRefusal(status: Int) { webPushRefusals[status]?.add() }

  func count(_ excess: ProviderErrorPolicy.Excess) { erringConnections[excess]?.add() }

  func count(_ refusal: LinkEnrollmentRefusal) {
    enrollmentRefusals[Int(refusal.rawValue) - 1].add()
  }

  /// The histogram's bounds in milliseconds: the lowest suit a device next to the gateway, and the highest a device
  /// whose network barely works.
  private static let deliveryBounds: [UInt64] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000,
  ]

  /// Records the duration of a delivery; a negative duration, which results from a clock that was set back, counts as
  /// 0.
  func countDelivery(milliseconds: Int64) {
    deliveryMilliseconds.observe(UInt64(max(0, milliseconds)))
  }

  func count(_ kind: RelayKind) { relayed[kind]?.add() }

  func count(_ state: DeliveryState) { states[Int(state.rawValue)].add() }

  func count(copy state: DeliveryState) { broadcastStates[Int(state.rawValue)].add() }
}

/// The kinds of limits on unanswered pushes.
enum UnansweredBound: Int, CaseIterable {
  /// The gateway stops reading pushes from the connection.
  case connection
  /// The gateway rejects further pushes to the token with `TooManyRequests`.
  case token
  /// The gateway rejects further pushes from the team with `ServiceUnavailable`.
  case team
}
