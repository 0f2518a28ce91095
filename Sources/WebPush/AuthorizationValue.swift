internal import BelfryWire

/// The value of the field `Authorization`.
///
/// The three schemes are `vapid` (RFC 8292 section 3), and `WebPush` and `Bearer` from its drafts.
enum AuthorizationValue {
  /// Reads the credential from `value`, and from `cryptoKey` if the scheme is one of the drafts.
  static func credential(
    _ value: Span<UInt8>, cryptoKey: Span<UInt8>
  ) throws(WebPushRefusal) -> VAPIDCredential {
    var end = 0
    while end < value.count, value[end] != 0x20, value[end] != 0x09 { end += 1 }
    let scheme = value.extracting(0..<end)
    let rest = value.extracting(end..<value.count)
    if scheme.equalsIgnoringCase("vapid") { return try vapid(rest) }
    if scheme.equalsIgnoringCase("webpush") || scheme.equalsIgnoringCase("bearer") {
      return try legacy(rest, cryptoKey: cryptoKey)
    }
    throw WebPushRefusal(
      .authorizationInvalid,
      "the scheme of Authorization is \(scheme.excerpt); it must be vapid, WebPush or Bearer")
  }

  private static func vapid(_ text: Span<UInt8>) throws(WebPushRefusal) -> VAPIDCredential {
    guard let list = ParameterList(text) else { throw WebPushRefusal(.authorizationInvalid) }
    if list.isRepeated("t") || list.isRepeated("k") {
      throw WebPushRefusal(.authorizationInvalid, "Authorization has two values of t or k")
    }
    guard let token = list.first("t"), !token.isEmpty else { throw WebPushRefusal(.tokenMissing) }
    guard let key = list.first("k"), !key.isEmpty else { throw WebPushRefusal(.keyMissing) }
    return VAPIDCredential(token: token, key: key)
  }

  private static func legacy(
    _ text: Span<UInt8>, cryptoKey: Span<UInt8>
  ) throws(WebPushRefusal) -> VAPIDCredential {
    var token: [UInt8] = []
    for index in text.indices where text[index] != 0x20 && text[index] != 0x09 {
      token.append(text[index])
    }
    guard !token.isEmpty else { throw WebPushRefusal(.tokenMissing) }
    guard let key = ParameterList(cryptoKey)?.first("p256ecdsa"), !key.isEmpty else {
      throw WebPushRefusal(
        .keyMissing, "Crypto-Key does not have p256ecdsa, the key that signed the token")
    }
    return VAPIDCredential(token: token, key: key, isLegacy: true)
  }
}
