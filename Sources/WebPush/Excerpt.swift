extension Span<UInt8> {
  /// The beginning of a sender's text for a message: quoted, printable, and not longer than a limit.
  var excerpt: String {
    var text: [UInt8] = [UInt8(ascii: "'")]
    for index in 0..<Swift.min(count, WebPushLimits.excerptBytesMax) {
      let byte = self[index]
      text.append((0x20..<0x7F).contains(byte) ? byte : UInt8(ascii: "?"))
    }
    if count > WebPushLimits.excerptBytesMax { text += Array("...".utf8) }
    text.append(UInt8(ascii: "'"))
    return String(decoding: text, as: UTF8.self)
  }
}

/// Spans of time in the words of a message.
enum TimeText {
  /// Returns the time in its two largest units, such as `25 hours` or `24 hours 6 minutes`.
  static func text(seconds: Int64) -> String {
    let seconds = seconds.magnitude
    if seconds < 60 { return count(seconds, "second") }
    if seconds < 3_600 { return joined(seconds / 60, "minute", seconds % 60, "second") }
    if seconds < 30 * 86_400 {
      return joined(seconds / 3_600, "hour", seconds % 3_600 / 60, "minute")
    }
    return count(seconds / 86_400, "day")
  }

  private static func joined(
    _ large: UInt64, _ largeUnit: String, _ small: UInt64, _ smallUnit: String
  ) -> String {
    let text = count(large, largeUnit)
    return small == 0 ? text : text + " " + count(small, smallUnit)
  }

  private static func count(_ number: UInt64, _ unit: String) -> String {
    "\(number) \(unit)\(number == 1 ? "" : "s")"
  }
}
