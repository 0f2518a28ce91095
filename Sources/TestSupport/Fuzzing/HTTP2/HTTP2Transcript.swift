import Transport

/// A server session with an owner that answers requests, and a record of all that the session does.
final class HTTP2Transcript: HTTP2RequestHandler {
  typealias Field = FuzzField

  /// A request as the owner sees it.
  struct Request: Equatable {
    var fields: [Field] = []
    var body: [UInt8] = []
    var isEnded = false
    var resetCode: UInt32?
  }

  /// A response as the client sees it.
  struct Response: Equatable {
    var fields: [Field] = []
    var body: [UInt8] = []
    var isEnded = false
    var resetCodes: [UInt32] = []
  }

  let session: any HTTP2ServerSession
  private let answering: Int
  private(set) var requests: [Int32: Request] = [:]
  private(set) var order: [Int32] = []
  private(set) var responses: [Int32: Response] = [:]
  /// The credit that the client has received, by stream.
  private(set) var credit: [Int32: Int] = [:]
  /// Frames other than HEADERS, DATA, RST_STREAM, WINDOW_UPDATE, and GOAWAY, in order.
  private(set) var control: [[UInt8]] = []
  private(set) var goAwayCodes: [UInt32] = []
  private(set) var dataBytes = 0
  private var waiting: [(id: Int32, step: Int)] = []
  private var step = 0
  private var output: [UInt8] = []
  private var decoder = HPACKFieldDecoder(tableBytes: 4_096)

  init(_ codec: HTTP2Codec, answering: Int) {
    self.answering = answering
    session = codec.makeServerSession(settings: HTTP2Settings()) { 0 }
  }

  func run(_ next: HTTP2Script.Step) {
    step += 1
    switch next {
    case .bytes(let bytes): _ = bytes.withUnsafeBytes { session.receive($0, self) }
    case .goAway(let last): session.goAway(lastStreamID: last, errorCode: 0, debugData: [0x78])
    case .allowStreams(let count): session.allowConcurrentStreams(count)
    case .setWindow(let bytes): session.setInitialWindow(bytes)
    }
    session.receive(self)
    answer()
    session.takeOutput { output += $0 }
    session.receive(self)
    parse()
  }

  private func answer() {
    while let first = waiting.first, answering != 2 || first.step + 2 <= step {
      waiting.removeFirst()
      // Most answers have the size of an error, and a few are larger than a window.
      let body: [UInt8]? =
        switch first.id % 64 {
        case 33: [UInt8](repeating: 0x62, count: 70_000)
        case 3, 7, 11: nil
        default: [UInt8](repeating: 0x61, count: Int(first.id % 300))
        }
      let status = body == nil ? 200 : 400 + Int(first.id % 30)
      let (name, value) = (Array("apns-id".utf8), Array("f4121b12-\(first.id)".utf8))
      name.withUnsafeBytes { name in
        value.withUnsafeBytes { value in
          withUnsafePointer(to: HTTP2FieldView(name: name, value: value)) { field in
            (body ?? []).withUnsafeBytes {
              session.respond(
                first.id, status: status, fields: UnsafeBufferPointer(start: field, count: 1),
                body: body == nil ? nil : $0)
            }
          }
        }
      }
    }
  }

  // MARK: events

  func requestBegan(_ streamID: Int32) {
    precondition(requests[streamID] == nil, "a stream begins once")
    requests[streamID] = Request()
    order.append(streamID)
    if answering == 1 { waiting.append((streamID, step)) }
  }

  func requestField(_ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
  {
    requests[streamID]?.fields.append(Field(name: Array(name), value: Array(value)))
  }

  func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {
    requests[streamID]?.body += bytes
  }

  func requestEnded(_ streamID: Int32) {
    precondition(requests[streamID]?.isEnded == false, "a request ends once")
    requests[streamID]?.isEnded = true
    if answering != 1 { waiting.append((streamID, step)) }
  }

  func requestReset(_ streamID: Int32, errorCode: UInt32) {
    precondition(requests[streamID]?.resetCode == nil, "a stream closes once")
    requests[streamID]?.resetCode = errorCode
  }

  // MARK: output

  private func parse() {
    var offset = 0
    var blocks: [Int32: [UInt8]] = [:]
    while output.count - offset >= 9 {
      let length =
        Int(output[offset]) << 16 | Int(output[offset + 1]) << 8 | Int(output[offset + 2])
      guard output.count - offset - 9 >= length else { break }
      let (type, flags) = (output[offset + 3], output[offset + 4])
      let id = Int32(truncatingIfNeeded: Self.word(output, offset + 5))
      let payload = Array(output[(offset + 9)..<(offset + 9 + length)])
      offset += 9 + length
      switch type {
      case 0:
        precondition(responses[id]?.isEnded == false, "DATA follows HEADERS")
        responses[id]?.body += payload
        dataBytes += payload.count
        if flags & 1 != 0 { responses[id]?.isEnded = true }
      case 1, 9:
        blocks[id, default: []] += payload
        if type == 1 {
          precondition(responses[id]?.fields.isEmpty != false, "a response begins once")
          responses[id, default: Response()].isEnded = flags & 1 != 0
        }
        if flags & 4 != 0 {
          responses[id]?.fields = fields(of: blocks.removeValue(forKey: id) ?? [])
        }
      case 3: responses[id, default: Response()].resetCodes.append(Self.word(payload, 0))
      case 7: goAwayCodes.append(Self.word(payload, 4))
      case 8: credit[id, default: 0] += Int(Self.word(payload, 0))
      default: control.append([type, flags] + payload)
      }
    }
    output.removeFirst(offset)
    precondition(output.isEmpty && blocks.isEmpty, "the output consists of whole frames")
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func fields(of block: [UInt8]) -> [Field] {
    var fields: [Field] = []
    block.withUnsafeBytes { block in
      var offset = 0
      var field = HPACKField()
      while true {
        let step = decoder.next(block, at: &offset, &field)
        guard step == .field else {
          precondition(step == .end, "a response's fields are valid")
          break
        }
        fields.append(Field(name: Array(field.name), value: Array(field.value)))
      }
    }
    decoder.endBlock()
    return fields
  }
}
