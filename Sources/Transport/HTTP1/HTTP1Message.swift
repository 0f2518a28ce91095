/// A whole request to the console, the admin API or the metrics.
public struct HTTP1Request: Sendable {
  /// The method, such as "GET"; any token that the client sent.
  public let method: String
  /// The path with percent escapes decoded, without the query.
  public let path: String
  /// The query's pairs, decoded, in order.
  public let query: [(name: String, value: String)]
  /// Header fields in order; names as sent.
  public let fields: [(name: String, value: String)]
  /// The body, whole.
  public let body: [UInt8]
  /// The client's address such as "127.0.0.1:50000".
  public let peer: String

  /// A request; for tests of handlers.
  public init(
    method: String, path: String, query: [(name: String, value: String)] = [],
    fields: [(name: String, value: String)] = [], body: [UInt8] = [], peer: String = ""
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.peer = peer
  }

  /// The first field of this name, whatever its case.
  public func field(_ name: String) -> String? {
    let wanted = name.lowercased()
    return fields.first { $0.name.lowercased().utf8.elementsEqual(wanted.utf8) }?.value
  }

  /// The body's pairs, decoded, where it is a form as HTML sends it.
  public var form: [(name: String, value: String)] { HTTP1Target([0x2F, 0x3F] + body).query }

  /// The first value of this name in the query.
  public func queryValue(_ name: String) -> String? {
    query.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }
}

/// The response to a request.
public struct HTTP1Response: Sendable {
  /// What follows the header.
  public enum Body: Sendable {
    /// Bytes, sent with their length.
    case bytes([UInt8])
    /// Chunks as they are written, until `finish`: for a log that is followed.
    case stream(HTTP1BodyStream)
  }

  /// The status code.
  public var status: Int
  /// Header fields; content-length and date are added.
  public var fields: [(name: String, value: String)]
  /// What follows the header.
  public var body: Body

  /// A response.
  public init(status: Int, fields: [(name: String, value: String)] = [], body: Body = .bytes([])) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A response with a content type.
  public init(status: Int, contentType: String, body: [UInt8]) {
    self.init(status: status, fields: [("content-type", contentType)], body: .bytes(body))
  }
}
