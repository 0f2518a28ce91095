/// The request line and the fields of an HTTP/1.0 or 1.1 request (RFC 9112 sections 3 and 5).
struct HTTP1RequestHead {
  /// The transfer coding that frames the body if no length is specified.
  enum TransferCoding { case none, chunked, unknown }

  private(set) var method: [UInt8] = []
  /// The target without its scheme and host, if it was in absolute form.
  private(set) var path: [UInt8] = []
  /// The fields in order, with lowercase names.
  private(set) var fields: [(name: [UInt8], value: [UInt8])] = []
  private(set) var contentLength: Int?
  private(set) var transferCoding = TransferCoding.none
  /// True if the client requested that the connection be closed after the response.
  private(set) var isLast = false
  private(set) var expectsContinue = false
  private(set) var isHTTP10 = false
  private var hasHost = false
  /// The host and port of a target in absolute form, which take precedence over the Host field.
  private var authority: [UInt8]?

  /// A search for the end of a head, whose bytes can arrive in any pieces.
  ///
  /// Lines that end with a bare line feed are also recognized, so that a head with such lines is rejected as soon as it
  /// is complete.
  struct EndSearch {
    /// True if the current line has no bytes except carriage returns, and is not the first line.
    private var isLineEmpty = false

    /// Returns the index after the empty line that ends the head, or nil if `bytes`, which follow the bytes of the
    /// previous call, do not contain it.
    mutating func end(in bytes: ArraySlice<UInt8>) -> Int? {
      for index in bytes.indices {
        switch bytes[index] {
        case 0x0A:
          if isLineEmpty { return index + 1 }
          isLineEmpty = true
        case 0x0D: continue
        default: isLineEmpty = false
        }
      }
      return nil
    }
  }

  /// Returns the number of bytes of a head, including its empty line, or nil if the head hasn't fully arrived.
  static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
    var search = EndSearch()
    return search.end(in: bytes).map { end in end - bytes.startIndex }
  }

  /// Parses a head, or returns nil if `bytes` isn't a head or is ambiguous.
  init?(_ bytes: ArraySlice<UInt8>) {
    // RFC 9112 section 2.2: a line ends with CR LF. The RFC allows a server to accept a bare line feed as a line end,
    // and a bare carriage return as a space, but a proxy in front of this server might interpret them differently.
    var lines: [ArraySlice<UInt8>] = []
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      guard line.last == 0x0D, !line.dropLast().contains(0x0D) else { return nil }
      lines.append(line.dropLast())
    }
    guard lines.popLast()?.isEmpty == true, let first = lines.first, readRequestLine(first) else {
      return nil
    }
    for line in lines.dropFirst() {
      guard readField(line) else { return nil }
    }
    guard hasHost || isHTTP10, contentLength == nil || transferCoding == .none else { return nil }
    // RFC 9112 section 6.1: HTTP/1.0 has no transfer codings, so the end of a body with a transfer coding is unknown.
    guard !isHTTP10 || transferCoding == .none else { return nil }
    if let authority {
      // RFC 9112 section 3.2.2: the host in the target takes precedence over the Host field, which might differ.
      fields.removeAll { $0.name == Array("host".utf8) }
      fields.append((Array("host".utf8), authority))
    }
    // RFC 9110 section 10.1.1: an HTTP/1.0 client doesn't understand the interim response.
    if isHTTP10 { expectsContinue = false }
  }

  /// Returns true if a line of a trailer section is a permitted field, which excludes fields that frame or route the
  /// request (RFC 9110 section 6.5.1).
  static func isTrailer(_ line: ArraySlice<UInt8>) -> Bool {
    guard let (name, _) = field(line) else { return false }
    return !["content-length", "transfer-encoding", "host"].contains(
      String(decoding: name, as: UTF8.self))
  }

  private mutating func readRequestLine(_ line: ArraySlice<UInt8>) -> Bool {
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(Self.isTokenByte),
      parts[1].allSatisfy(Self.isTargetByte)
    else { return false }
    switch String(decoding: parts[2], as: UTF8.self) {
    case "HTTP/1.1": break
    case "HTTP/1.0":
      isHTTP10 = true
      isLast = true
    default: return false
    }
    method = Array(parts[0])
    path = Array(parts[1])
    guard path.first != 0x2F else { return true }
    // This is the absolute form, which a client sends to a proxy.
    let target = String(decoding: path, as: UTF8.self)
    // Schemes are case-insensitive (RFC 3986 section 3.1).
    let start = target.prefix(8).lowercased()
    guard start.hasPrefix("http://") || start == "https://" else { return target == "*" }
    let rest = target.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)[2]
    let host = rest.prefix { $0 != "/" && $0 != "?" }
    // RFC 9110 sections 4.2.1 and 4.2.4: the target must have a host and no user name.
    guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else { return false }
    authority = Array(host.utf8)
    path = Array((host.endIndex == rest.endIndex ? "/" : rest[host.endIndex...]).utf8)
    if path.first == 0x3F { path.insert(0x2F, at: 0) }
    return true
  }

  private mutating func readField(_ line: ArraySlice<UInt8>) -> Bool {
    guard let (name, value) = Self.field(line) else { return false }
    fields.append((name, Array(value)))
    return interpret(String(decoding: name, as: UTF8.self), value)
  }

  /// Returns a field line's name in lowercase and its value, or nil if the line isn't a field line.
  private static func field(
    _ line: ArraySlice<UInt8>
  ) -> (name: [UInt8], value: ArraySlice<UInt8>)? {
    guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { return nil }
    let name = line[..<colon]
    guard name.allSatisfy(isTokenByte) else { return nil }
    let value = trimmed(line[(colon + 1)...])
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
    return (name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, value)
  }

  /// Returns false for a field that makes the end of the request ambiguous.
  private mutating func interpret(_ name: String, _ value: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: value, as: UTF8.self).lowercased()
    switch name {
    case "host":
      // RFC 9112 section 3.2: several Host fields or an invalid one must be rejected.
      guard !hasHost, value.allSatisfy(Self.isHostByte) else { return false }
      hasHost = true
    case "content-length":
      guard (1...18).contains(value.count), value.allSatisfy({ (0x30...0x39).contains($0) }),
        let length = Int(text), contentLength == nil
      else { return false }
      contentLength = length
    case "transfer-encoding":
      guard transferCoding == .none else { return false }
      transferCoding = text == "chunked" ? .chunked : .unknown
    case "connection":
      // Spaces and tabs can surround an option (RFC 9110 section 5.6.1).
      let options = value.split(separator: UInt8(ascii: ",")).map(Self.trimmed)
      if options.contains(where: { String(decoding: $0, as: UTF8.self).lowercased() == "close" }) {
        isLast = true
      }
    case "expect":
      expectsContinue = text == "100-continue"
    default: break
    }
    return true
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var value = value.drop(while: isSpace)
    while let last = value.last, isSpace(last) { value.removeLast() }
    return value
  }

  /// Returns true if a byte is valid in a target: visible ASCII except "#", which begins a fragment.
  private static func isTargetByte(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#")
  }

  /// Returns true if a byte is valid in a host with its port (RFC 3986 sections 3.2.2 and 3.2.3).
  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // Unreserved bytes, the "%" of an escape, sub-delims, and the bytes of an IPv6 address and a port.
    case 0x2D, 0x2E, 0x5F, 0x7E, 0x25, 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D, 0x3A, 0x5B, 0x5D: true
    default: false
    }
  }

  /// Returns true if a byte is valid in a token (RFC 9110 section 5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}
