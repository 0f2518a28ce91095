/// The reason for the end of a WebSocket: the code in a Close frame (RFC 6455 section 7.4).
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
  /// The code on the wire.
  public let rawValue: UInt16

  /// Creates the reason with this code, which might be one that must not be sent.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The connection has served its purpose.
  public static let normal = WebSocketCloseCode(rawValue: 1_000)
  /// The service shuts down, or the browser leaves the page.
  public static let goingAway = WebSocketCloseCode(rawValue: 1_001)
  /// The peer violated the protocol.
  public static let protocolError = WebSocketCloseCode(rawValue: 1_002)
  /// The peer sent data of a kind that the service does not accept.
  public static let unsupportedData = WebSocketCloseCode(rawValue: 1_003)
  /// A text message is not valid UTF-8.
  public static let invalidText = WebSocketCloseCode(rawValue: 1_007)
  /// A message is too long.
  public static let messageTooBig = WebSocketCloseCode(rawValue: 1_009)
  /// The service had an internal error.
  public static let internalError = WebSocketCloseCode(rawValue: 1_011)
  /// Firefox does not reconnect by itself after this code, which only Mozilla's push service defines.
  public static let staysAway = WebSocketCloseCode(rawValue: 4_774)

  /// True if a peer may send the code (RFC 6455 section 7.4, and the codes that were registered later).
  ///
  /// The codes 1005, 1006 and 1015 are only for programming interfaces, and 1004 and 1016 to 2999 have no meaning.
  public var isSendable: Bool {
    switch rawValue {
    case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
    default: false
    }
  }
}

/// A violation of the WebSocket protocol by the peer, after which the connection must be closed.
public struct WebSocketFault: Error, Equatable, Sendable {
  /// The code with which the connection is closed.
  public let code: WebSocketCloseCode
  /// A description of the violation with the values, in ASCII, which is sent to the peer.
  public let message: String  // text: this module wrote it

  /// Creates a fault with a description.
  public init(_ code: WebSocketCloseCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
