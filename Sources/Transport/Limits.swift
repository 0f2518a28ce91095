/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Bytes of one PEM or DER file that is read: real chains take 10 KB, so this is generous and
  /// still far under what would hurt.
  static let credentialBytesMax = 1_048_576
  /// Seconds that a fresh certificate is valid before its making: clocks differ.
  static let clockSkewSeconds: Int64 = 300
  /// Rounds of PKCS#12's key derivation: OpenSSL's default, which old readers bear.
  static let passwordIterations: Int32 = 2_048
}
