public import BelfryWire
internal import Transport

/// A token whose signature is verified, with the claims that it makes (RFC 8292 section 2).
public struct VAPIDToken: Sendable {
  /// The key that signed the token, and identifies the sender.
  public let key: VAPIDPublicKey
  /// The time at which the token expires, in seconds since 1970 (`exp`).
  public let expiresAtSeconds: Int64
  /// The sender's address for problems, a `mailto:` or `https:` URI, or nil (`sub`).
  public let subject: UTF8Text?
  /// The origins in `aud`.
  let origins: [WebPushOrigin]
  /// The beginning of the first text in `aud`, for messages.
  let audienceExcerpt: String

  /// Parses a credential and verifies its signature.
  ///
  /// The token's segments can be padded and in either base64 alphabet; the signature has 64 raw bytes.
  init(verifying credential: VAPIDCredential) throws(WebPushRefusal) {
    guard let key = VAPIDPublicKey(credential.key.span) else {
      throw WebPushRefusal(
        .keyInvalid,
        "the key (k) is \(credential.key.span.excerpt); it must be a point of P-256 in base64url")
    }
    let token = credential.token
    guard token.count <= WebPushLimits.authorizationBytesMax else {
      throw WebPushRefusal(.tokenMalformed, "the token has \(token.count) bytes")
    }
    let dots = token.indices.filter { token[$0] == UInt8(ascii: ".") }
    guard dots.count == 2 else {
      throw WebPushRefusal(
        .tokenMalformed, "the token has \(dots.count + 1) segments; a JWT has 3")
    }
    let segments = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    assert(segments.count == 3, "two dots separate three segments")
    guard let header = Self.object(segments[0]), let claims = Self.object(segments[1]),
      let signature = Self.bytes(segments[2])
    else { throw WebPushRefusal(.tokenMalformed) }
    try Self.checkHeader(header)
    guard signature.count == 64 else {
      throw WebPushRefusal(
        .tokenSignature, "the token's signature has \(signature.count) bytes; ES256 has 64")
    }
    guard key.key.verify(rawSignature: signature, message: Array(token[..<dots[1]])) else {
      throw WebPushRefusal(.tokenSignature)
    }
    self.key = key
    (origins, audienceExcerpt) = try Self.audience(claims["aud"])
    expiresAtSeconds = try Self.expiration(claims["exp"])
    subject = claims["sub"]?.stringValue.map { UTF8Text($0) }
  }

  private static func bytes(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
    Base64.decode(segment.span)
  }

  private static func object(_ segment: ArraySlice<UInt8>) -> JSONObject? {
    guard let bytes = bytes(segment) else { return nil }
    return (try? JSONValue(parsing: bytes))?.objectValue
  }

  private static func checkHeader(_ header: JSONObject) throws(WebPushRefusal) {
    guard header["alg"] == "ES256" else {
      let algorithm = header["alg"]?.stringValue.map { Array($0.utf8).span.excerpt } ?? "missing"
      throw WebPushRefusal(.tokenAlgorithm, "the token's alg is \(algorithm); it must be ES256")
    }
    guard header["crit"] == nil else {
      throw WebPushRefusal(
        .tokenMalformed, "the token's header has crit, an extension that this service does not know"
      )
    }
  }

  private static func audience(
    _ value: JSONValue?
  ) throws(WebPushRefusal) -> (origins: [WebPushOrigin], excerpt: String) {
    let values: [JSONValue]
    switch value {
    case .array(let elements): values = elements
    case .string(let text): values = [.string(text)]
    case nil: throw WebPushRefusal(.audienceInvalid, "the token does not have aud")
    default: throw WebPushRefusal(.audienceInvalid)
    }
    let texts = values.compactMap(\.stringValue).map { Array($0.utf8) }
    guard texts.count == values.count, let first = texts.first else {
      throw WebPushRefusal(.audienceInvalid)
    }
    let excerpt = first.span.excerpt + (texts.count > 1 ? " and \(texts.count - 1) more" : "")
    return (texts.compactMap { WebPushOrigin($0.span) }, excerpt)
  }

  private static func expiration(_ value: JSONValue?) throws(WebPushRefusal) -> Int64 {
    switch value {
    case .integer(let seconds): return seconds
    // A number that is too large for an integer is also too far in the future.
    case .double(let seconds):
      return Int64(exactly: seconds.rounded(.down)) ?? (seconds < 0 ? .min : .max)
    case .string(let text):
      throw WebPushRefusal(
        .expirationInvalid,
        "the token's exp is the string \(Array(text.utf8).span.excerpt); it must be a number")
    case nil: throw WebPushRefusal(.expirationInvalid, "the token does not have exp")
    default: throw WebPushRefusal(.expirationInvalid)
    }
  }
}
