internal import Synchronization

/// A certificate that somebody has to renew in time.
public struct CertificateEnd: Sendable, Equatable {
  /// Which certificate it is; the metric's label.
  public enum Kind: String, Sendable, CaseIterable {
    /// What the gateway's clients trust.
    case authority
    /// What the listeners show; the gateway renews it by itself.
    case server
    /// What the operator gave, with --server-certificate.
    case own
    /// The providers' certificate that ends first.
    case provider
  }

  /// Which certificate it is.
  public let kind: Kind
  /// Its file, or a provider's serial number.
  public let subject: String
  /// When it ends, seconds since 1970.
  public let notAfter: Int64
}

/// When the gateway's certificates end: written on the main loop, read on any thread.
public final class CertificateEnds: Sendable {
  private let ends = Mutex<[CertificateEnd]>([])

  init() {}

  /// One of each kind that there is.
  public var all: [CertificateEnd] { ends.withLock { $0 } }

  func replace(with list: [CertificateEnd]) { ends.withLock { $0 = list } }
}
