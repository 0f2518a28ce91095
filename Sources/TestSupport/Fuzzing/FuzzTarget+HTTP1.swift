import Transport

extension FuzzTarget {
  /// Parses a client's bytes.
  ///
  /// The first two bytes determine how requests are answered and how the input is sliced; the rest is the client's
  /// input. Slicing must not change the result. A valid request that is rewritten in its plainest form must be parsed
  /// as the same request, so that an intermediate proxy cannot interpret it differently.
  static func runHTTP1(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let manner = HTTP1Reader.Manner(rawValue: input.choice(4)) ?? .atOnce
    let slice = Int(input.byte()) + 1
    let body = input.remainder()
    let whole = HTTP1Reader(manner).read(body, slice: .max)
    let sliced = HTTP1Reader(manner).read(body, slice: slice)
    // The limit on the bytes that a client can send ahead of a response counts only the bytes received so far. The
    // limit therefore depends on the slices if the answers are sent later.
    if manner != .later { precondition(whole == sliced, "slicing does not change what is read") }
    for request in whole where request.isWhole && manner == .atOnce { checkPlainForm(request) }
    _ = HTTP1Target(body).query
    _ = HTTP1Request(method: "POST", path: "/", body: body).form
  }

  private static func checkPlainForm(_ request: HTTP1Reader.Request) {
    let pseudo = request.fields.prefix(3)
    let names = pseudo.map { String(decoding: $0.name, as: UTF8.self) }
    precondition(
      names == [":method", ":scheme", ":path"], "the first fields are the method, scheme, and path")
    var text = pseudo[0].value + [0x20] + pseudo[2].value + Array(" HTTP/1.1\r\n".utf8)
    var fields: [HTTP1Reader.Field] = []
    for field in request.fields.dropFirst(3) {
      precondition(field.name.first != 0x3A, "a client's fields contain no pseudo-header fields")
      let name = String(decoding: field.name, as: UTF8.self)
      let isFraming = ["transfer-encoding", "content-length", "connection", "expect"].contains(name)
      if !isFraming, name != "host" { fields.append(field) }
    }
    fields.append(.init(name: Array("host".utf8), value: Array("plain".utf8)))
    let length = Array("\(request.body.count)".utf8)
    fields.append(.init(name: Array("content-length".utf8), value: length))
    for field in fields { text += field.name + [0x3A, 0x20] + field.value + [0x0D, 0x0A] }
    text += [0x0D, 0x0A] + request.body
    // The plain form of a head that is near the limit can exceed the limit.
    guard text.count - request.body.count <= 8_192 else { return }
    let again = HTTP1Reader(.atOnce).read(text, slice: .max)
    precondition(
      again.count == 1 && again[0].isWhole, "one request is read as one complete request")
    precondition(again[0].body == request.body, "the body is the same")
    precondition(
      again[0].fields == Array(request.fields.prefix(3)) + fields, "the fields are the same")
  }
}

/// A reader that parses and answers requests as the console does.
private final class HTTP1Reader: HTTP2RequestHandler {
  enum Manner: Int {
    /// Answers each request as soon as it is complete.
    case atOnce
    /// Answers before the request's body is received.
    case early
    /// Answers after all bytes are received.
    case later
    /// Answers in pieces.
    case pieces
  }

  typealias Field = FuzzField

  struct Request: Equatable {
    var fields: [Field] = []
    var body: [UInt8] = []
    var isWhole = false
    var isReset = false
  }

  private let manner: Manner
  private var requests: [Request] = []
  private var waiting: [Int32] = []
  private var session: HTTP1ServerSession?

  init(_ manner: Manner) { self.manner = manner }

  func read(_ bytes: [UInt8], slice: Int) -> [Request] {
    let session = HTTP1ServerSession()
    self.session = session
    defer { self.session = nil }
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(slice))
      rest = rest.dropFirst(slice)
      let status = piece.withUnsafeBytes { session.receive($0, self) }
      session.takeOutput { output in precondition(!output.isEmpty) }
      if status == .closing { break }
    }
    while let next = waiting.popLast() {
      answer(next, 200)
      session.receive(self)
    }
    session.checkInvariants()
    precondition(
      session.endedStreams <= UInt64(requests.count), "no more streams ended than requests began")
    return requests
  }

  private func answer(_ stream: Int32, _ status: Int) {
    guard let session else { return }
    let fields = [(name: "apns-id", value: "X"), (name: "bad", value: "a\r\nb: c")]
    guard manner == .pieces else {
      return session.respond(stream, status: status, fields: fields, body: [1, 2, 3])
    }
    guard session.beginResponse(stream, status: status, fields: fields) else { return }
    session.sendBody([])
    session.sendBody([1, 2])
    session.endBody()
  }

  func requestBegan(_ stream: Int32) {
    requests.append(Request())
    precondition(stream == Int32(requests.count) * 2 - 1, "stream IDs are consecutive odd numbers")
    if manner == .early { answer(stream, 413) }
  }

  func requestField(_ stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    requests[requests.count - 1].fields.append(Field(name: Array(name), value: Array(value)))
  }

  func requestBody(_ stream: Int32, bytes: UnsafeRawBufferPointer) {
    requests[requests.count - 1].body += bytes
  }

  func requestEnded(_ stream: Int32) {
    requests[requests.count - 1].isWhole = true
    if manner == .later { waiting.append(stream) } else { answer(stream, 200) }
  }

  func requestReset(_ stream: Int32, errorCode: UInt32) {
    requests[requests.count - 1].isReset = true
  }
}
