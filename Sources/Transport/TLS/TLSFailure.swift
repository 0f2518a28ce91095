/// Why a TLS context could not be made.
public enum TLSFailure: Error, Sendable, CustomStringConvertible {
  /// The PEM text is not what it should be.
  case badPEM(what: String, reason: String)
  /// The private key does not belong to the certificate.
  case keyMismatch
  /// OpenSSL refused for another reason.
  case library(String)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .badPEM(let what, let reason): "the \(what) is not usable PEM: \(reason)"
    case .keyMismatch: "the private key does not belong to the certificate: give the pair"
    case .library(let reason): "OpenSSL refused: \(reason)"
    }
  }
}
