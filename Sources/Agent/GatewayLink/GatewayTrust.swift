import PushWire
import Transport

/// The TLS context of links that trust the same authority.
///
/// The context is created once for all of these links, because thousands of virtual devices can connect from one
/// process.
final class GatewayTrust {
  private var made: (authorityPEM: [UInt8], context: TLSClientContext)?
  private var marked: (authorityPEM: [UInt8], mark: [UInt8])?

  /// Returns the credential of an identity for the link's state machine.
  func credential(of identity: DeviceIdentity, given: [UInt8]) -> LinkCredential? {
    if marked?.authorityPEM != given {
      marked = (given, DeviceTrust(given: given).authorities.mark)
    }
    return marked.flatMap { identity.credential(given: given, mark: $0.mark) }
  }

  /// Returns the authorities that the owner of an identity trusts.
  func authorities(of identity: DeviceIdentity, given: [UInt8]) -> [UInt8] {
    identity.hasNamedAuthorities ? identity.trust(given: given).authoritiesPEM : given
  }

  /// Returns the context that trusts only `authorityPEM`.
  func context(for authorityPEM: [UInt8]) throws(TLSFailure) -> TLSClientContext {
    if let made, made.authorityPEM == authorityPEM { return made.context }
    let context = try TLSClientContext(
      caPEM: authorityPEM, alpn: [LinkLimits.applicationProtocol], minimumVersion: .tls13)
    made = (authorityPEM, context)
    return context
  }
}
