/// The oldest supported version of TLS.
public enum TLSVersion: Sendable {
  /// TLS 1.2 and 1.3, because APNs allows providers to use both.
  case tls12
  /// TLS 1.3 only, as the device link requires.
  case tls13
}
