import BelfryWire

/// The closing of a loop's connections when the gateway shuts down.
extension GatewayLoop {
  func drainConnections() {
    for connection in connections.allProviders { connection.drain() }
    let hint = LinkFrame.ReconnectHint(
      afterMilliseconds: Limits.reconnectMilliseconds,
      jitterMilliseconds: Limits.reconnectJitterMilliseconds)
    for connection in connections.allDevices {
      connection.drain(hint: hint, milliseconds: Limits.drainMilliseconds)
    }
  }

  func closeConnections() {
    for connection in connections.allProviders { connection.close() }
    for connection in connections.allDevices { connection.end(.draining) }
  }
}
