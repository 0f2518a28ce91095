/// The oldest version of TLS that is spoken.
public enum TLSVersion: Sendable {
  /// TLS 1.2 and 1.3.
  case tls12
  /// TLS 1.3 alone.
  case tls13
}
