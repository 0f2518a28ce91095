/// The value of the field `TTL` (RFC 8030 section 5.2).
enum TTLValue: Equatable {
  /// A number of seconds, at most `WebPushLimits.ttlSecondsMax`.
  case seconds(Int64)
  /// A negative number, for which autopush has its own error.
  case negative
  /// Text that is not a whole number.
  case invalid

  /// Reads a text of any length, so that leading zeros do not matter.
  init(_ text: Span<UInt8>) {
    let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    guard text.count > start else {
      self = .invalid
      return
    }
    var seconds: Int64 = 0
    for index in start..<text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else {
        self = .invalid
        return
      }
      seconds = min(seconds * 10 + Int64(digit), WebPushLimits.ttlSecondsMax)
    }
    self = isNegative ? .negative : .seconds(seconds)
  }
}
