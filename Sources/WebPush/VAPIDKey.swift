internal import BelfryWire
internal import Transport

/// A sender's key pair, which signs the tokens of its requests (RFC 8292).
public struct VAPIDKey: Sendable {
  /// The reason that a key could not be generated or read, or a token could not be signed.
  public enum Failure: Error, CustomStringConvertible {
    /// The bytes are neither a P-256 key in PEM nor 32 bytes in base64url.
    case unreadable
    /// The operation failed; the text is the library's message.
    case cryptography(String)

    /// A description of the problem and how to fix it.
    public var description: String {
      switch self {
      case .unreadable:
        "not a VAPID key: create one with 'belfry web-push keys', or use a P-256 key in PEM or in base64url"
      case .cryptography(let message): message
      }
    }
  }

  private let key: ES256PrivateKey
  /// The public half of the key, which a subscription can be restricted to.
  public let publicKey: VAPIDPublicKey

  private init(_ key: ES256PrivateKey) throws(Failure) {
    self.key = key
    guard let publicKey = VAPIDPublicKey(point: key.publicKey.point) else { throw .unreadable }
    self.publicKey = publicKey
  }

  /// Generates a new key.
  public init() throws(Failure) {
    let key = try Self.mapped { () throws(CryptoFailure) in try ES256PrivateKey() }
    try self.init(key)
  }

  /// Reads a file that contains an unencrypted private key in PEM, or the private number in base64url.
  ///
  /// The second form has 43 characters, and is the form in which the libraries `web-push` and `pywebpush` print a key.
  public init(contentsOfFile bytes: [UInt8]) throws(Failure) {
    if bytes.contains(UInt8(ascii: "-")), let key = try? ES256PrivateKey(pkcs8PEM: bytes) {
      try self.init(key)
      return
    }
    let text = Array(
      bytes.drop(while: Self.isSpace).reversed().drop(while: Self.isSpace).reversed())
    guard text.count <= 44, let scalar = Base64.decode(text.span),
      let key = try? ES256PrivateKey(scalar: scalar)
    else { throw .unreadable }
    try self.init(key)
  }

  /// Returns the private key in PKCS#8 PEM, unencrypted.
  public func pem() throws(Failure) -> [UInt8] {
    try Self.mapped { () throws(CryptoFailure) in try key.pkcs8PEM() }
  }

  /// Returns the private number in base64url: 43 characters.
  public func text() throws(Failure) -> String {
    Base64.encode(try Self.mapped { () throws(CryptoFailure) in try key.scalar() }, url: true)
  }

  /// Returns a token for the endpoints at `origin`.
  ///
  /// Push services accept an expiration of at most 24 hours from now. `subject` is a `mailto:` or `https:` URI, which
  /// Apple requires.
  public func token(
    for origin: WebPushOrigin, expiresAtSeconds: Int64, subject: String? = nil
  ) throws(Failure) -> String {
    var claims = JSONObject([
      ("aud", .string(origin.text)), ("exp", .integer(expiresAtSeconds)),
    ])
    if let subject { claims["sub"] = .string(subject) }
    let header = JSONObject([("typ", "JWT"), ("alg", "ES256")])
    let signed =
      Base64.encode(header.bytes, url: true) + "." + Base64.encode(claims.bytes, url: true)
    let signature = try Self.mapped { () throws(CryptoFailure) in
      try key.sign(Array(signed.utf8))
    }
    return signed + "." + Base64.encode(signature, url: true)
  }

  /// Returns the value of `Authorization` for requests to the endpoints at `origin` (RFC 8292 section 3).
  ///
  /// No space follows the comma, because py-vapid does not accept one.
  public func authorization(
    for origin: WebPushOrigin, expiresAtSeconds: Int64, subject: String? = nil
  ) throws(Failure) -> String {
    let token = try token(for: origin, expiresAtSeconds: expiresAtSeconds, subject: subject)
    return "vapid t=\(token),k=\(publicKey.text)"
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private static func mapped<Value>(
    _ body: () throws(CryptoFailure) -> Value
  ) throws(Failure) -> Value {
    do {
      return try body()
    } catch {
      throw .cryptography(error.description)
    }
  }
}
