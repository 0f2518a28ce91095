import Synchronization
import Transport

/// The revoked provider certificates, which TLS checks during a handshake on any loop.
package final class CertificateRevocations: Sendable {
  private let serials = Mutex<Set<String>>([])

  /// Creates an empty list.
  package init() {}

  func add(_ serial: String) { _ = serials.withLock { $0.insert(serial) } }

  func replace(with serials: Set<String>) { self.serials.withLock { $0 = serials } }

  /// Returns the TLS handshake's verdict on a provider's certificate (apns-protocol 1.2).
  ///
  /// Revoked certificates and device certificates are rejected.
  func evaluate(_ certificate: Certificate) -> TLSServerContext.Verdict {
    guard certificate.organizationalUnit == CertificateAuthority.providerUnit else {
      return .unknownAuthority
    }
    return serials.withLock { $0.contains(certificate.serial) } ? .revoked : .accept
  }
}
