import BelfryWire
import Transport

/// The TLS context of links that trust the same authority, made once for all of them: thousands of virtual
/// devices connect from one process.
final class GatewayTrust {
  private var made: (authorityPEM: [UInt8], context: TLSClientContext)?

  /// The context that trusts `authorityPEM` alone.
  func context(for authorityPEM: [UInt8]) throws(TLSFailure) -> TLSClientContext {
    if let made, made.authorityPEM == authorityPEM { return made.context }
    let context = try TLSClientContext(
      caPEM: authorityPEM, alpn: [LinkLimits.applicationProtocol], minimumVersion: .tls13)
    made = (authorityPEM, context)
    return context
  }
}
