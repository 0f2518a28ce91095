internal import BelfryWire

extension WebPushRequest {
  /// The outcome of evaluating a request.
  public enum Evaluation: Sendable {
    /// The message, whose credential still has to be verified.
    case accepted(WebPushMessage)
    /// The first rule that the request violates.
    case refused(WebPushRefusal)
  }

  /// Returns the message in this request, or the reason to refuse it.
  ///
  /// The rules are checked in this order: size of the body, `Authorization`, `TTL`, `Urgency`, `Topic`, and the
  /// encryption of the body.
  public func evaluate(body: [UInt8], dialect: WebPushDialect = .rfc) -> Evaluation {
    do {
      return .accepted(try message(body, dialect))
    } catch {
      return .refused(error)
    }
  }

  private func message(
    _ body: [UInt8], _ dialect: WebPushDialect
  ) throws(WebPushRefusal) -> WebPushMessage {
    let bytesMax = bodyBytesMax(dialect)
    guard body.count <= bytesMax else {
      throw WebPushRefusal(
        .bodyTooLarge, "the body has \(body.count) bytes; at most \(bytesMax) are allowed")
    }
    let credential = try credential(dialect)
    let (ttlSeconds, urgency, topic) = (
      try ttlSeconds(dialect), try urgencyValue(), try topicValue(dialect)
    )
    let content = try content(body, dialect)
    if let credential, content.hasEncryptionKey(of: credential) {
      throw WebPushRefusal(.keyIsEncryptionKey)
    }
    return WebPushMessage(
      ttlSeconds: ttlSeconds, urgency: urgency, topic: topic, content: content,
      credential: credential)
  }

  /// Returns the credential in `Authorization`, which is not verified yet, or nil if the field is absent.
  ///
  /// Requests about a message have the same field as the message itself.
  public func credential(
    _ dialect: WebPushDialect = .rfc
  ) throws(WebPushRefusal) -> VAPIDCredential? {
    guard authorization.occurrences > 0 else {
      if dialect == .apple {
        throw WebPushRefusal(.authorizationMissing, "the request does not have Authorization")
      }
      return nil
    }
    guard authorization.occurrences == 1 else {
      throw WebPushRefusal(.authorizationInvalid, "Authorization occurs more than once")
    }
    guard !authorization.isTooLong else {
      throw WebPushRefusal(
        .authorizationInvalid,
        "Authorization has more than \(WebPushLimits.authorizationBytesMax) bytes")
    }
    let keys = cryptoKey.isTooLong ? [] : cryptoKey.value
    let credential = try AuthorizationValue.credential(
      authorization.value.span, cryptoKey: keys.span)
    if dialect == .apple, credential.isLegacy { throw WebPushRefusal(.authorizationLegacy) }
    return credential
  }

  private func ttlSeconds(_ dialect: WebPushDialect) throws(WebPushRefusal) -> Int64 {
    guard ttl.occurrences > 0 else { throw WebPushRefusal(.ttlMissing) }
    guard ttl.occurrences == 1 else { throw WebPushRefusal(.ttlRepeated) }
    switch ttlValue {
    case .seconds(0) where dialect == .apple: throw WebPushRefusal(.ttlZero)
    case .seconds(let seconds): return seconds
    case .negative:
      throw WebPushRefusal(
        .ttlNegative, "TTL is \(ttl.value.span.excerpt); it must not be negative")
    case .invalid:
      throw WebPushRefusal(
        .ttlInvalid, "TTL is \(ttl.value.span.excerpt); it must be a whole number of seconds")
    }
  }

  private func urgencyValue() throws(WebPushRefusal) -> WebPushUrgency {
    guard urgency.occurrences > 0 else { return .normal }
    guard urgency.occurrences == 1 else { throw WebPushRefusal(.urgencyRepeated) }
    guard let value = WebPushUrgency(urgency.value.span) else {
      throw WebPushRefusal(
        .urgencyInvalid,
        "Urgency is \(urgency.value.span.excerpt); it must be very-low, low, normal or high")
    }
    return value
  }

  private func topicValue(_ dialect: WebPushDialect) throws(WebPushRefusal) -> [UInt8]? {
    guard topic.occurrences > 0 else { return nil }
    guard topic.occurrences == 1 else { throw WebPushRefusal(.topicRepeated) }
    let text = topic.value.span
    guard text.count <= WebPushLimits.topicBytesMax else {
      throw WebPushRefusal(
        .topicTooLong,
        "Topic is \(text.excerpt); at most \(WebPushLimits.topicBytesMax) characters are allowed")
    }
    guard TopicValue.isWellFormed(text) else {
      throw WebPushRefusal(
        .topicInvalid, "Topic is \(text.excerpt); it must consist of letters, digits, - and _")
    }
    guard dialect != .apple || TopicValue.isBase64(text) else {
      throw WebPushRefusal(
        .topicNotBase64,
        "Topic has \(text.countWithoutPadding) characters, which is not a length of base64url")
    }
    return topic.value
  }

  private func content(
    _ body: [UInt8], _ dialect: WebPushDialect
  ) throws(WebPushRefusal) -> WebPushContent {
    // A message without a body is legal, and its header fields describe nothing.
    guard !body.isEmpty else { return .empty }
    guard contentEncoding.occurrences > 0 else { throw WebPushRefusal(.encodingMissing) }
    guard contentEncoding.occurrences == 1 else { throw WebPushRefusal(.encodingRepeated) }
    let encoding = contentEncoding.value.span
    if encoding.equalsIgnoringCase("aes128gcm") {
      guard dialect != .apple || EncryptedContentHeader(body)?.isWebPush == true else {
        throw WebPushRefusal(.bodyNotEncrypted)
      }
      return .aes128gcm(body)
    }
    guard encoding.equalsIgnoringCase("aesgcm") else {
      throw WebPushRefusal(
        .encodingUnknown,
        "Content-Encoding is \(encoding.excerpt); it must be aes128gcm or aesgcm")
    }
    guard dialect != .apple else { throw WebPushRefusal(.encodingLegacy) }
    return .aesgcm(
      AESGCMContent(
        encryption: try legacyField(encryption, containing: "salt", .encryptionInvalid),
        cryptoKey: try legacyField(cryptoKey, containing: "dh", .cryptoKeyInvalid), body: body))
  }

  /// Returns a header field of an `aesgcm` message without quotation marks, padding, or the sender's credential.
  private func legacyField(
    _ field: CollectedField, containing name: StaticString, _ rule: WebPushRule
  ) throws(WebPushRefusal) -> [UInt8] {
    guard !field.isTooLong else {
      throw WebPushRefusal(
        rule, "\(rule.row.when): it has more than \(WebPushLimits.legacyFieldBytesMax) bytes")
    }
    guard let list = ParameterList(field.value.span), let value = list.first(name),
      TopicValue.isWellFormed(value.span)
    else { throw WebPushRefusal(rule) }
    return list.text(omitting: "p256ecdsa")
  }
}

extension WebPushContent {
  /// Returns true if the key that encrypted this content is also the key of the sender's credential, which RFC 8292
  /// section 3.2 forbids.
  func hasEncryptionKey(of credential: VAPIDCredential) -> Bool {
    let point: [UInt8]?
    switch self {
    case .empty: return false
    case .aes128gcm(let body): point = EncryptedContentHeader(body)?.keyID
    case .aesgcm(let content):
      point = ParameterList(content.cryptoKey.span)?.first("dh").flatMap { Base64.decode($0.span) }
    }
    guard let point, !point.isEmpty else { return false }
    return Base64.decode(credential.key.span) == point
  }
}
