import Synchronization
import Transport

/// The revoked provider certificates, as TLS asks for them during a handshake on any loop.
package final class CertificateRevocations: Sendable {
  private let serials = Mutex<Set<String>>([])

  /// No certificate is revoked yet.
  package init() {}

  func replace(with serials: Set<String>) { self.serials.withLock { $0 = serials } }

  /// What TLS does with a provider's certificate (apns-protocol 1.2): a revoked one does not get
  /// through the handshake, a device's own is not a provider's.
  func evaluate(_ certificate: Certificate) -> TLSServerContext.Verdict {
    guard certificate.organizationalUnit == CertificateAuthority.providerUnit else {
      return .unknownAuthority
    }
    return serials.withLock { $0.contains(certificate.serial) } ? .revoked : .accept
  }
}
