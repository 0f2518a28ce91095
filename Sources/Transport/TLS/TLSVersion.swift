/// The oldest supported version of TLS.
public enum TLSVersion: Sendable {
  /// TLS 1.2 and 1.3.
  case tls12
  /// Only TLS 1.3.
  case tls13
}
