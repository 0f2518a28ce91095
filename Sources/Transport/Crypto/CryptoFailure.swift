/// Why a key, a signature, a certificate or a PKCS#12 file could not be made or read.
public enum CryptoFailure: Error, Equatable, CustomStringConvertible {
  /// The bytes are not what they should be; `expected` names the form.
  case malformed(expected: String)
  /// The key is of another kind than ECDSA on P-256, the one that APNs and device links use.
  case unsupportedKey
  /// OpenSSL's legacy provider (RC2, 40 bit) is not installed here.
  case legacyProviderMissing
  /// OpenSSL refused `operation`; `reason` is its own text.
  case library(operation: String, reason: String)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .malformed(let expected): "not \(expected): check the file"
    case .unsupportedKey: "not an ECDSA key on P-256: make one with `belfry key add`"
    case .legacyProviderMissing:
      "OpenSSL's legacy provider is missing (legacy.so): install it, or leave --legacy-p12 out"
    case .library(let operation, let reason): "OpenSSL could not \(operation): \(reason)"
    }
  }
}
