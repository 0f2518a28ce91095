import BelfryWire
import System
package import Transport

/// An open or opening connection to a gateway's device port.
package protocol GatewayStream: AnyObject {
  /// The application protocol that TLS negotiated; nil before the handshake.
  var negotiatedProtocol: String? { get }

  /// Sends bytes.
  func write(_ bytes: [UInt8])

  /// Closes the connection, after all output has been sent if `afterFlush` is true.
  func close(afterFlush: Bool)
}

extension ByteStream: GatewayStream {}

/// The network as a device's link uses it: TLS over TCP, or a simulation.
package protocol GatewayDialer: AnyObject {
  /// Opens a connection to `host` and `port` for a device with this identity that trusts `authorities`.
  ///
  /// The dialer reports the connection's events to `connection`, never during this call.
  func dial(
    host: String, port: UInt16, identity: DeviceIdentity, authorities: TLSClientContext,
    for connection: GatewayConnection
  ) throws(TLSFailure) -> any GatewayStream
}

/// The dialer that connects with TLS 1.3 over TCP.
final class TLSGatewayDialer: GatewayDialer {
  private let loop: EventLoop
  private let timeoutNanoseconds: Int64

  init(on loop: EventLoop, timeoutNanoseconds: Int64) {
    self.loop = loop
    self.timeoutNanoseconds = timeoutNanoseconds
  }

  func dial(
    host: String, port: UInt16, identity: DeviceIdentity, authorities: TLSClientContext,
    for connection: GatewayConnection
  ) throws(TLSFailure) -> any GatewayStream {
    let credential = try identity.shownChainPEM.map { chain throws(TLSFailure) in
      try TLSClientCredential(certificateChainPEM: chain, key: identity.key)
    }
    return ByteStream.connect(
      on: loop, to: .tcp(host: host, port: port), tls: authorities, credential: credential,
      timeoutNanoseconds: timeoutNanoseconds, handler: connection)
  }
}
