import Synchronization
import Transport

/// The revoked provider certificates, as TLS asks for them during a handshake on any loop.
package final class CertificateRevocations: Sendable {
  private let serials = Mutex<Set<String>>([])

  /// Creates an empty list.
  package init() {}

  func replace(with serials: Set<String>) { self.serials.withLock { $0 = serials } }

  /// Decides in the TLS handshake about a provider's certificate (apns-protocol 1.2): a revoked one is refused,
  /// and so is a device's.
  func evaluate(_ certificate: Certificate) -> TLSServerContext.Verdict {
    guard certificate.organizationalUnit == CertificateAuthority.providerUnit else {
      return .unknownAuthority
    }
    return serials.withLock { $0.contains(certificate.serial) } ? .revoked : .accept
  }
}
