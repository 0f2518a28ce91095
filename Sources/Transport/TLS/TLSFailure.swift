/// A reason that a TLS context couldn't be created.
public enum TLSFailure: Error, Sendable, CustomStringConvertible {
  /// The PEM text is invalid.
  case badPEM(what: String, reason: String)
  /// The private key doesn't match the certificate.
  case keyMismatch
  /// OpenSSL failed for another reason.
  case library(String)

  /// A description of the problem and how to fix it.
  public var description: String {
    switch self {
    case .badPEM(let what, let reason): "the \(what) is not valid PEM: \(reason)"
    case .keyMismatch: "the private key does not match the certificate"
    case .library(let reason): "OpenSSL failed: \(reason)"
    }
  }
}
