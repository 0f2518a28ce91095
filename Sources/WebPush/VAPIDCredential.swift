/// The token and the key that identify a sender, as text that is not verified (RFC 8292 section 3).
public struct VAPIDCredential: Equatable, Sendable {
  /// The JSON Web Token (`t`).
  public let token: [UInt8]
  /// The base64url form of the key that signed the token (`k`), or of `p256ecdsa` in the drafts.
  public let key: [UInt8]
  /// True if the credential has the form of the drafts: `WebPush` or `Bearer` with a key in `Crypto-Key`.
  public let isLegacy: Bool

  /// Creates a credential from its two texts.
  public init(token: [UInt8], key: [UInt8], isLegacy: Bool = false) {
    self.token = token
    self.key = key
    self.isLegacy = isLegacy
  }
}
