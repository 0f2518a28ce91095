import BelfryWire
import Transport

/// The TLS context of links that trust the same authority, made once for all of them: thousands of virtual
/// devices connect from one process.
final class GatewayTrust {
  private var made: (authorityPEM: [UInt8], context: TLSClientContext)?
  private var marked: (authorityPEM: [UInt8], mark: [UInt8])?

  /// What the machine of a link has to know of an identity.
  func credential(of identity: DeviceIdentity, given: [UInt8]) -> LinkCredential? {
    if marked?.authorityPEM != given {
      marked = (given, DeviceTrust(given: given).authorities.mark)
    }
    return marked.flatMap { identity.credential(given: given, mark: $0.mark) }
  }

  /// Whom the owner of an identity trusts.
  func authorities(of identity: DeviceIdentity, given: [UInt8]) -> [UInt8] {
    identity.hasNamedAuthorities ? identity.trust(given: given).authoritiesPEM : given
  }

  /// The context that trusts `authorityPEM` alone.
  func context(for authorityPEM: [UInt8]) throws(TLSFailure) -> TLSClientContext {
    if let made, made.authorityPEM == authorityPEM { return made.context }
    let context = try TLSClientContext(
      caPEM: authorityPEM, alpn: [LinkLimits.applicationProtocol], minimumVersion: .tls13)
    made = (authorityPEM, context)
    return context
  }
}
