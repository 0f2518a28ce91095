internal import BelfryWire
internal import WebPush

/// The parts of an endpoint's URL that a request needs.
struct WebPushAddress: Sendable {
  /// The origin, which the sender's token must name (RFC 8292 section 2).
  let origin: WebPushOrigin
  /// The host and port to connect to.
  let service: ProviderEndpoint
  /// The path with the query, which is never empty.
  let path: String

  /// Parses an `https:` URL without user information; a fragment is ignored.
  ///
  /// Returns nil for any other text.
  init?(_ text: Span<UInt8>) {
    guard text.count <= Limits.endpointBytesMax, text.count > Self.schemeBytes,
      text.extracting(0..<Self.schemeBytes).equalsIgnoringCase("https://")
    else { return nil }
    var end = Self.schemeBytes
    while end < text.count, !Self.endsAuthority(text[end]) { end += 1 }
    guard let origin = WebPushOrigin(text.extracting(0..<end)),
      let service = Self.service(of: origin)
    else { return nil }
    var path: [UInt8] = []
    for index in end..<text.count {
      if text[index] == UInt8(ascii: "#") { break }
      guard (0x21..<0x7F).contains(text[index]) else { return nil }
      path.append(text[index])
    }
    if path.first != UInt8(ascii: "/") { path.insert(UInt8(ascii: "/"), at: 0) }
    assert(path.first == UInt8(ascii: "/"), "a path begins with a slash")
    self.origin = origin
    self.service = service
    self.path = String(decoding: path, as: UTF8.self)
  }

  /// The number of bytes in `https://`.
  private static let schemeBytes = 8
  private static let defaultPort: UInt16 = 443

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Returns the host and port of an origin in its normal form.
  private static func service(of origin: WebPushOrigin) -> ProviderEndpoint? {
    let authority = Array(origin.text.utf8.dropFirst(schemeBytes))
    assert(!authority.isEmpty, "an origin has a host")
    let isBracketed = authority.first == UInt8(ascii: "[")
    // An IPv6 address contains colons itself, and ends with a bracket.
    let hostEnd =
      isBracketed
      ? authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
      : authority.firstIndex(of: UInt8(ascii: ":"))
    let end = hostEnd ?? authority.count
    var host = authority[..<end]
    if isBracketed { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else { return nil }
    let digits = String(decoding: authority[end...].dropFirst(), as: UTF8.self)
    guard let port = digits.isEmpty ? defaultPort : UInt16(digits), port > 0 else { return nil }
    return ProviderEndpoint(host: String(decoding: host, as: UTF8.self), port: port)
  }
}
