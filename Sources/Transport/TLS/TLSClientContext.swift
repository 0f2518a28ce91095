/// A client's side of TLS for any number of streams on any loops.
public final class TLSClientContext: Sendable {
  /// Trusts `caPEM`, or without it the system's roots; shows a certificate when given one.
  public init(
    caPEM: [UInt8]?, certificateChainPEM: [UInt8]? = nil, privateKeyPEM: [UInt8]? = nil,
    alpn: [String] = [], minimumVersion: TLSVersion = .tls12
  ) throws(TLSFailure) {
    throw .library("TLS is not built in yet")
  }
}
