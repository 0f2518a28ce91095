internal import BelfryWire

/// The header fields of a request to an endpoint, `POST /push/ID`, collected as they arrive (RFC 8030 section 5).
///
/// The value records the content of each field; ``evaluate(body:dialect:)`` decides whether the message is accepted.
/// It holds less than 4 KB, regardless of the size of the fields.
public struct WebPushRequest: Sendable {
  var ttl = CollectedField(bytesMax: WebPushLimits.shortFieldBytesMax)
  var ttlValue = TTLValue.invalid
  var urgency = CollectedField(bytesMax: WebPushLimits.shortFieldBytesMax)
  var topic = CollectedField(bytesMax: WebPushLimits.shortFieldBytesMax)
  var contentEncoding = CollectedField(bytesMax: WebPushLimits.shortFieldBytesMax)
  var encryption = CollectedField(bytesMax: WebPushLimits.legacyFieldBytesMax)
  var cryptoKey = CollectedField(bytesMax: WebPushLimits.legacyFieldBytesMax)
  var authorization = CollectedField(bytesMax: WebPushLimits.authorizationBytesMax)

  /// Creates a request without fields.
  public init() {}

  /// Handles one header field, whose name can be in uppercase or lowercase.
  ///
  /// Unknown fields are ignored.
  public mutating func field(name: Span<UInt8>, value: Span<UInt8>) {
    let value = value.extracting(Self.bounds(value))
    switch name.count {
    case 3 where name.equalsIgnoringCase("ttl"):
      ttl.record(value)
      if ttl.occurrences == 1 { ttlValue = TTLValue(value) }
    case 5 where name.equalsIgnoringCase("topic"): topic.record(value)
    case 7 where name.equalsIgnoringCase("urgency"): urgency.record(value)
    case 10 where name.equalsIgnoringCase("encryption"): encryption.recordList(value)
    case 10 where name.equalsIgnoringCase("crypto-key"): cryptoKey.recordList(value)
    case 13 where name.equalsIgnoringCase("authorization"): authorization.record(value)
    case 16 where name.equalsIgnoringCase("content-encoding"): contentEncoding.record(value)
    default: return
    }
  }

  /// Returns the maximum number of bytes in the body, so that a server can stop reading a longer body.
  ///
  /// The result is final after the last header field.
  public func bodyBytesMax(_ dialect: WebPushDialect = .rfc) -> Int {
    dialect != .apple && contentEncoding.value.span.equalsIgnoringCase("aesgcm")
      ? WebPushLimits.legacyBodyBytesMax : WebPushLimits.bodyBytesMax
  }

  /// Returns the range of the value without the white space around it, which HTTP/1.1 permits.
  private static func bounds(_ value: Span<UInt8>) -> Range<Int> {
    var start = 0
    var end = value.count
    while start < end, isSpace(value[start]) { start += 1 }
    while end > start, isSpace(value[end - 1]) { end -= 1 }
    return start..<end
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
