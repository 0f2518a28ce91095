/// The head of an HTTP/1.1 request to upgrade the connection to another protocol (RFC 9110 section 7.8).
public struct HTTP1UpgradeHead {
  /// The method, in the case in which the client sent it.
  public let method: [UInt8]
  /// The path with its query.
  public let target: [UInt8]
  /// The fields in order, with lowercase names.
  public let fields: [(name: [UInt8], value: [UInt8])]
  /// The number of bytes in the head; the bytes of the other protocol follow.
  public let byteCount: Int
}

/// A reader that determines whether the first request on a connection is a request to upgrade the connection.
///
/// The bytes are untrusted and can arrive in any pieces; the work is linear in their number.
public struct HTTP1UpgradeReader {
  /// The result for the bytes that have arrived.
  public enum Outcome {
    /// The head is incomplete.
    case incomplete
    /// The request does not ask for another protocol, or is not a valid request: an HTTP session must handle it.
    case ordinary
    /// The client asks for another protocol.
    case upgrade(HTTP1UpgradeHead)
  }

  /// The number of bytes that were searched for the end of the head.
  private var searched = 0
  private var search = HTTP1RequestHead.EndSearch()

  /// Creates the reader of a new connection.
  public init() {}

  /// Reads all bytes that have arrived so far.
  public mutating func read(_ bytes: [UInt8]) -> Outcome {
    assert(searched <= bytes.count, "bytes are only added")
    let end = search.end(in: bytes[searched...])
    searched = bytes.count
    guard let byteCount = end else {
      return bytes.count > Limits.http1HeadBytes ? .ordinary : .incomplete
    }
    guard byteCount <= Limits.http1HeadBytes, let head = HTTP1RequestHead(bytes[..<byteCount]),
      !head.isHTTP10, head.contentLength ?? 0 == 0, head.transferCoding == .none,
      head.fields.contains(where: { field in field.name == Array("upgrade".utf8) })
    else { return .ordinary }
    return .upgrade(
      HTTP1UpgradeHead(
        method: head.method, target: head.path, fields: head.fields, byteCount: byteCount))
  }
}
