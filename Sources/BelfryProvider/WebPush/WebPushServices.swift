internal import WebPush

/// The push services that a client uses, each with its connections and the sender's current token for it.
///
/// The table decides which connections to close, so that a sender with subscriptions at many services keeps only a
/// limited number of connections.
struct WebPushServices<Connections: Sendable>: Sendable {
  private struct Service {
    let connections: Connections
    var authorization: VAPIDAuthorization?
    var pendingCount = 0
    var lastUse: UInt64 = 0
  }

  /// The connections for a message.
  enum Beginning: Sendable {
    /// Send the message over these connections, and close the others.
    case send(Connections, closing: Connections?)
    /// Each service in the table still has messages without a response.
    case tooMany
    /// The client is closed.
    case closed
  }

  private let countMax: Int
  private var services: [WebPushOrigin: Service] = [:]
  private var uses: UInt64 = 0
  private var isClosed = false

  /// Creates an empty table for at most `countMax` services.
  init(countMax: Int) {
    precondition(countMax > 0, "a table has room for a service")
    self.countMax = countMax
  }

  /// The number of services in the table.
  var count: Int { services.count }

  /// Handles a new message for a service, which has the connections that `connect` returns if it is not in the table.
  ///
  /// If the table is full, the new service replaces the service without pending messages that was not used for the
  /// longest time.
  mutating func begin(_ origin: WebPushOrigin, connect: () -> Connections) -> Beginning {
    guard !isClosed else { return .closed }
    uses += 1
    var service: Service
    var dropped: Connections?
    if let known = services[origin] {
      service = known
    } else {
      if services.count >= countMax {
        let idle = services.filter { $0.value.pendingCount == 0 }
        guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
          return .tooMany
        }
        assert(oldest.value.lastUse < uses, "the dropped service was used before")
        dropped = oldest.value.connections
        services[oldest.key] = nil
      }
      service = Service(connections: connect())
    }
    service.pendingCount += 1
    service.lastUse = uses
    assert(service.pendingCount > 0, "the service has a pending message")
    services[origin] = service
    assert(services.count <= countMax, "the number of services is within its limit")
    return .send(service.connections, closing: dropped)
  }

  /// Handles the outcome of a message.
  mutating func end(_ origin: WebPushOrigin) {
    guard let pending = services[origin]?.pendingCount else {
      assert(isClosed, "a service with a pending message is in the table")
      return
    }
    assert(pending > 0, "only a message that began can end")
    services[origin]?.pendingCount = pending - 1
  }

  /// Returns the sender's token for a service, or nil if a new token must be signed.
  func authorization(for origin: WebPushOrigin, atSeconds now: Int64) -> String? {
    guard let known = services[origin]?.authorization, known.isUsable(atSeconds: now) else {
      return nil
    }
    return known.text
  }

  /// Stores a new token for the requests to a service.
  mutating func setAuthorization(_ authorization: VAPIDAuthorization, for origin: WebPushOrigin) {
    services[origin]?.authorization = authorization
  }

  /// Removes all services, and returns the connections to close.
  mutating func close() -> [Connections] {
    isClosed = true
    let connections = services.values.map(\.connections)
    services = [:]
    return connections
  }
}
