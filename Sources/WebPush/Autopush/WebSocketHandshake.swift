internal import BelfryWire
internal import Transport

/// The opening handshake of a WebSocket, from the server's side (RFC 6455 section 4.2).
///
/// The handshake does not negotiate extensions, so messages are not compressed.
public struct WebSocketHandshake: Equatable, Sendable {
  /// The reason that a request does not open a WebSocket.
  public enum Refusal: Error, Equatable, Sendable {
    /// The request is an ordinary one, and does not ask for a WebSocket.
    case notUpgrade
    /// The request asks for a WebSocket, but is malformed; the text is ASCII.
    case malformed(String)  // text: this module wrote it
    /// The request asks for a version of the protocol other than 13.
    case unsupportedVersion

    /// The answer to the request, after which the connection closes; empty for an ordinary request.
    public var response: [UInt8] {
      switch self {
      case .notUpgrade: []
      case .malformed(let text): WebSocketHandshake.refusal("400 Bad Request", text)
      case .unsupportedVersion:
        WebSocketHandshake.refusal(
          "426 Upgrade Required", "only version 13 of the WebSocket protocol is supported",
          fields: "sec-websocket-version: 13\r\n")
      }
    }
  }

  /// The value of `Sec-WebSocket-Accept`.
  public let acceptValue: String  // text: a hash in base64
  /// The subprotocol that the client offered and the server uses; nil if the client did not offer it.
  public let subprotocol: String?  // text: the server chose it

  /// The text that a server appends to the client's key (RFC 6455 section 1.3).
  private static let suffix = Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
  /// The number of characters in a client's key, which encodes 16 bytes.
  private static let keyBytes = 24

  /// Reads a request; `fields` has lowercase names, and `subprotocol` is the only one that the server supports.
  ///
  /// Throws the refusal.
  public init(
    method: [UInt8], fields: [(name: [UInt8], value: [UInt8])], subprotocol: StaticString
  ) throws(Refusal) {
    guard Self.contains(fields, "upgrade", "websocket") else { throw .notUpgrade }
    guard method.span.equals("GET") else {
      throw .malformed("the method of a WebSocket request must be GET")
    }
    guard Self.contains(fields, "connection", "upgrade") else {
      throw .malformed("the field Connection must contain Upgrade")
    }
    let versions = Self.values(fields, "sec-websocket-version")
    guard let version = versions.first, versions.count == 1 else {
      throw .malformed("the request must have one field Sec-WebSocket-Version")
    }
    guard version.span.equals("13") else { throw .unsupportedVersion }
    let keys = Self.values(fields, "sec-websocket-key")
    guard let key = keys.first, keys.count == 1, key.count == Self.keyBytes,
      Base64.decode(key.span)?.count == 16
    else {
      throw .malformed("the request must have one field Sec-WebSocket-Key: 16 bytes in base64")
    }
    acceptValue = Base64.encode(SHA1.hash(key + Self.suffix), url: false)
    // A client that did not offer a subprotocol does not expect one.
    let isOffered = Self.items(fields, "sec-websocket-protocol").contains { item in
      Array(item).span.equals(subprotocol)
    }
    self.subprotocol = isOffered ? "\(subprotocol)" : nil
  }

  /// The answer that opens the WebSocket.
  public var response: [UInt8] {
    var text =
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
      + "sec-websocket-accept: \(acceptValue)\r\n"
    if let subprotocol { text += "sec-websocket-protocol: \(subprotocol)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// Returns an answer that refuses a handshake and announces the end of the connection.
  public static func refusal(_ status: String, _ text: String, fields: String = "") -> [UInt8] {
    let body = text + "\n"
    let head =
      "HTTP/1.1 \(status)\r\ncontent-type: text/plain\r\ncontent-length: \(body.utf8.count)\r\n"
      + fields + "connection: close\r\n\r\n"
    return Array((head + body).utf8)
  }

  /// Returns the values of the fields with a name, in order.
  private static func values(
    _ fields: [(name: [UInt8], value: [UInt8])], _ name: StaticString
  ) -> [[UInt8]] {
    fields.filter { field in field.name.span.equals(name) }.map(\.value)
  }

  /// Returns the elements of the lists in the fields with a name (RFC 9110 section 5.6.1).
  private static func items(
    _ fields: [(name: [UInt8], value: [UInt8])], _ name: StaticString
  ) -> [ArraySlice<UInt8>] {
    values(fields, name).flatMap { value in value.split(separator: UInt8(ascii: ",")) }
      .map { item -> ArraySlice<UInt8> in
        var item = item.drop { byte in byte == 0x20 || byte == 0x09 }
        while let last = item.last, last == 0x20 || last == 0x09 { item.removeLast() }
        return item
      }
  }

  /// Returns true if a list contains a word, which is in lowercase, with letters of any case.
  private static func contains(
    _ fields: [(name: [UInt8], value: [UInt8])], _ name: StaticString, _ word: StaticString
  ) -> Bool {
    items(fields, name).contains { item in Array(item).span.equalsIgnoringCase(word) }
  }
}
