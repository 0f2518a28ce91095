internal import BelfryWire

/// The origin of an endpoint's URL in its normal form: scheme, host, and the port if it is not the default (RFC 6454
/// section 6.2).
///
/// A token's `aud` must contain this origin (RFC 8292 section 2). Two origins are equal if their normal forms have the
/// same bytes.
public struct WebPushOrigin: Hashable, Sendable {
  private let bytes: [UInt8]

  /// The normal form, such as `https://push.example.org` or `http://127.0.0.1:9160`.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Parses the origin of a URL with the scheme `https` or `http`.
  ///
  /// Scheme and host can be in uppercase or lowercase, the port can be the default, and a slash can follow. Returns nil
  /// for any other text, such as a URL with a path.
  public init?(_ text: Span<UInt8>) {
    guard text.count <= WebPushLimits.originBytesMax else { return nil }
    let isSecure: Bool
    if text.count > 8, text.extracting(0..<8).equalsIgnoringCase("https://") {
      isSecure = true
    } else if text.count > 7, text.extracting(0..<7).equalsIgnoringCase("http://") {
      isSecure = false
    } else {
      return nil
    }
    let start = isSecure ? 8 : 7
    let end = text[text.count - 1] == UInt8(ascii: "/") ? text.count - 1 : text.count
    guard let hostEnd = Self.endOfHost(text, from: start, to: end),
      let port = Self.port(text, from: hostEnd, to: end)
    else { return nil }
    var bytes = Array((isSecure ? "https://" : "http://").utf8)
    for index in start..<hostEnd {
      let byte = text[index]
      bytes.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
    }
    if let port = port.number, port != (isSecure ? 443 : 80) { bytes += Array(":\(port)".utf8) }
    self.bytes = bytes
  }

  /// Returns the end of a domain name, an IPv4 address, or an IPv6 address in brackets.
  private static func endOfHost(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    guard start < end else { return nil }
    var index = start
    if text[index] == UInt8(ascii: "[") {
      index += 1
      while index < end, Hexadecimal.value(text[index]) != nil || isAddressMark(text[index]) {
        index += 1
      }
      guard index < end, text[index] == UInt8(ascii: "]"), index > start + 1 else { return nil }
      return index + 1
    }
    while index < end, text[index].isBase64URL || text[index] == UInt8(ascii: ".") { index += 1 }
    return index > start ? index : nil
  }

  private static func isAddressMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
  }

  /// A port, or the absence of one.
  private struct Port { var number: Int? }

  private static func port(_ text: Span<UInt8>, from start: Int, to end: Int) -> Port? {
    guard start < end else { return Port() }
    guard text[start] == UInt8(ascii: ":"), end - start <= 6 else { return nil }
    guard start + 1 < end else { return Port() }
    var number = 0
    for index in (start + 1)..<end {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number * 10 + Int(digit)
    }
    return number <= 0xFFFF ? Port(number: number) : nil
  }
}
