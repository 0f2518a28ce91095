internal import BelfryWire

/// The parts of a WebSocket's handshake that decide whether its client may enroll.
public struct AutopushOpening: Equatable, Sendable {
  /// The enrollment code from the path; empty if the path does not contain a code.
  public let code: [UInt8]
  /// True if a script on a web page opened the WebSocket.
  ///
  /// A browser lets the pages of every site open WebSockets to every host that the browser can reach, and names the
  /// page's site in `Origin`. The push client of a browser and other programs have no origin, or one that is not a
  /// site.
  public let isFromWebPage: Bool

  /// Reads a request; `fields` has lowercase names.
  public init(target: [UInt8], fields: [(name: [UInt8], value: [UInt8])]) {
    code = AutopushPath.enrollmentCode(target)
    isFromWebPage = fields.contains { field in
      field.name.span.equals("origin") && Self.isSite(field.value)
    }
  }

  /// Returns true if an origin is that of a website, or is hidden, as for a page in a sandbox (RFC 6454 section 6.2).
  private static func isSite(_ origin: [UInt8]) -> Bool {
    guard let colon = origin.firstIndex(of: UInt8(ascii: ":")) else {
      return origin.span.equalsIgnoringCase("null")
    }
    let scheme = Array(origin[..<colon])
    return scheme.span.equalsIgnoringCase("https") || scheme.span.equalsIgnoringCase("http")
  }
}
