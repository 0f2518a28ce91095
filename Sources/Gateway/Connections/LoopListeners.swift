import Transport

/// A loop's listeners and the certificates that they present.
struct LoopListeners {
  private var listeners:
    [(listener: any Listener, shows: KeyPath<ListenerSecurity, StreamSecurity>?)] = []
  private(set) var security: ListenerSecurity

  init(showing security: ListenerSecurity) { self.security = security }

  var isEmpty: Bool { listeners.isEmpty }

  /// Adds a listener with the part of the TLS configuration that it presents; `nil` if the listener presents no
  /// certificate.
  mutating func add(
    _ listener: any Listener, showing part: KeyPath<ListenerSecurity, StreamSecurity>?
  ) {
    listeners.append((listener, part))
  }

  /// Sets the certificates for new connections.
  mutating func use(_ security: ListenerSecurity) {
    self.security = security
    for (listener, part) in listeners {
      if let part { listener.use(security[keyPath: part]) }
    }
  }

  /// Stops listening; accepted connections stay open.
  mutating func close() {
    for (listener, _) in listeners { listener.close() }
    listeners.removeAll()
  }
}
