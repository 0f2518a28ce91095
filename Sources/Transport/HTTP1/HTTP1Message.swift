/// A complete request to the console, the admin API, or the metrics.
public struct HTTP1Request: Sendable {
  /// The method, such as "GET", or any other token that the client sent.
  public let method: String
  /// The path with percent escapes decoded, without the query.
  public let path: String
  /// The query's name-value pairs, decoded, in order.
  public let query: [(name: String, value: String)]
  /// The header fields in order, with the names as sent.
  public let fields: [(name: String, value: String)]
  /// The complete body of the request.
  public let body: [UInt8]
  /// The client's address and port, such as "127.0.0.1:50000".
  public let peer: String

  /// Creates a request.
  ///
  /// Tests of handlers use this initializer.
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

  /// Returns the first field with this name, ignoring case.
  public func field(_ name: String) -> String? {
    let wanted = name.lowercased()
    return fields.first { $0.name.lowercased().utf8.elementsEqual(wanted.utf8) }?.value
  }

  /// The decoded name-value pairs of a body that is an HTML form submission.
  public var form: [(name: String, value: String)] { HTTP1Target([0x2F, 0x3F] + body).query }

  /// Returns the first query value with this name.
  public func queryValue(_ name: String) -> String? {
    query.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }
}

/// The response to a request.
public struct HTTP1Response: Sendable {
  /// The content that follows the header.
  public enum Body: Sendable {
    /// The complete content, which is sent with its length.
    case bytes([UInt8])
    /// Content that is sent in chunks as it is written, until `finish` is called, such as the content of a followed
    /// log.
    case stream(HTTP1BodyStream)
  }

  /// The status code of the response.
  public var status: Int
  /// The header fields.
  ///
  /// Content-Length and Date are added automatically.
  public var fields: [(name: String, value: String)]
  /// The content that follows the header.
  public var body: Body

  /// Creates a response from its parts.
  public init(status: Int, fields: [(name: String, value: String)] = [], body: Body = .bytes([])) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Creates a response with a content type.
  public init(status: Int, contentType: String, body: [UInt8]) {
    self.init(status: status, fields: [("content-type", contentType)], body: .bytes(body))
  }
}
