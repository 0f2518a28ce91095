/// A reason that a key, a signature, a certificate, or a PKCS#12 file couldn't be created or read.
public enum CryptoFailure: Error, Equatable, CustomStringConvertible {
  /// The bytes don't have the required form, which `expected` describes.
  case malformed(expected: String)
  /// The key isn't an ECDSA key on P-256, the kind that APNs and device links use.
  case unsupportedKey
  /// OpenSSL's legacy provider (RC2, 40-bit) isn't installed on this machine.
  case legacyProviderMissing
  /// An OpenSSL call failed in `operation`; `reason` is OpenSSL's message.
  case library(operation: String, reason: String)

  /// A description of the problem and how to fix it.
  public var description: String {
    switch self {
    case .malformed(let expected): "expected \(expected): check the file"
    case .unsupportedKey: "not an ECDSA key on P-256: create one with 'belfry key add'"
    case .legacyProviderMissing:
      "OpenSSL's legacy provider is missing (legacy.so): install it, or omit --legacy-p12"
    case .library(let operation, let reason): "OpenSSL could not \(operation): \(reason)"
    }
  }
}
