/// The steps of a client and of the owner of a server session, which a fuzz input determines.
struct HTTP2Script {
  enum Step {
    /// The client's next bytes, after which the owner answers and sends its output.
    case bytes([UInt8])
    case goAway(last: Int32?)
    case allowStreams(UInt32)
    case setWindow(UInt32)
  }

  private(set) var steps: [Step] = []
  /// The manner in which the owner answers: 0, requests that have ended; 1, requests that have begun; 2, requests that
  /// ended at least two steps ago.
  let answering: Int
  private var input: FuzzInput
  private var bytes: [UInt8] = []
  private var encoder = ClientFieldEncoder()
  private var nextStream: Int32 = 1
  private let slice: Int

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  /// The maximum number of operations in one script.
  private static let operationsMax = 200

  init(_ bytes: [UInt8]) {
    input = FuzzInput(bytes)
    let form = input.byte()
    answering = Int(form >> 2) % 3
    // Half of the scripts are sent frame by frame, and the others in slices of up to 256 bytes.
    slice = form & 1 == 0 ? 0 : Int(input.byte()) + 1
    if form & 2 == 0 {
      self.bytes = Self.preface
      frame(4, settings())
    }
    if form & 0x80 != 0 {
      // The client's bytes as they are.
      self.bytes += input.remainder()
    } else {
      var operations = 0
      while !input.isEmpty, operations < Self.operationsMax {
        operate()
        operations += 1
      }
    }
    cut()
  }

  /// Appends the frames since the last step as steps.
  private mutating func cut() {
    guard !bytes.isEmpty else { return }
    var rest = bytes[...]
    while slice > 0, rest.count > slice {
      steps.append(.bytes(Array(rest.prefix(slice))))
      rest = rest.dropFirst(slice)
    }
    steps.append(.bytes(Array(rest)))
    bytes = []
  }

  private mutating func operate() {
    switch input.choice(26) {
    case 0...7: request(Self.usual)
    case 8, 9: request(unusual())
    case 10: request(Self.usual.filter { _ in input.byte() > 40 })
    case 11: frame(3, stream: anyStream(), [0, 0, 0, UInt8(input.choice(12))])
    case 12: frame(8, stream: input.byte() < 128 ? 0 : anyStream(), increment())
    case 13: frame(6, flags: UInt8(input.choice(2)), input.bytes(input.choice(20) > 0 ? 8 : 7))
    case 14: frame(4, settings())
    case 15: frame(4, flags: 1, [])
    case 16:
      let last = UInt8(input.choice(3))
      frame(7, [0, 0, 0, last, 0, 0, 0, 0] + input.bytes(input.choice(8)))
    case 17: data(anyStream(), input.choice(600))
    case 18: trailers(anyStream())
    case 19: frame(2, stream: anyStream(), [0, 0, 0, UInt8(input.choice(8)), 15])
    case 20:
      frame(
        input.byte() % 12, flags: input.byte(), stream: Int32(input.choice(40)),
        input.bytes(input.choice(30)))
    case 21: mutate()
    case 22: action()
    case 23: data(anyStream(), 16_384)
    case 24: header(length: Int(input.number(3)), input.byte() % 10, input.byte(), anyStream())
    default: cut()
    }
  }

  private mutating func action() {
    cut()
    switch input.choice(8) {
    case 0: steps.append(.goAway(last: nil))
    case 1: steps.append(.goAway(last: Int32(max(0, 2 * input.choice(10) - 1))))
    case 2...4: steps.append(.allowStreams(UInt32(input.choice(3)) * 500))
    default: steps.append(.setWindow(UInt32(input.choice(4)) * 30_000))
    }
  }

  /// Changes a byte of the frames since the last step.
  private mutating func mutate() {
    guard !bytes.isEmpty else { return }
    let index = bytes.count - 1 - Int(input.number(2)) % bytes.count
    bytes[index] = input.byte()
  }

  // MARK: frames

  private mutating func header(length: Int, _ type: UInt8, _ flags: UInt8, _ stream: Int32) {
    let id = UInt32(bitPattern: stream)
    bytes += [UInt8(length >> 16), UInt8(length >> 8 & 0xff), UInt8(length & 0xff), type, flags]
    for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: id >> shift)) }
  }

  private mutating func frame(
    _ type: UInt8, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8]
  ) {
    header(length: payload.count, type, flags, stream)
    bytes += payload
    if slice == 0, input.byte() & 1 == 0 { cut() }
  }

  private mutating func anyStream() -> Int32 {
    let back = Int32(input.choice(8)) * 2
    return max(1, nextStream - back) + (input.byte() == 0 ? 1 : 0)
  }

  private mutating func increment() -> [UInt8] {
    switch input.choice(4) {
    case 0: [0, 0, 0, input.byte()]
    case 1: [0x7f, 0xff, 0xff, input.byte()]
    default: [0, 0, input.byte(), input.byte()]
    }
  }

  private mutating func settings() -> [UInt8] {
    var payload: [UInt8] = []
    for _ in 0..<input.choice(4) {
      let (identifier, value): (UInt8, UInt32) =
        switch input.choice(12) {
        case 0: (1, UInt32(input.number(2)))
        case 1: (2, UInt32(input.choice(3)))
        case 2: (3, UInt32(input.byte()))
        case 3...6: (4, UInt32(input.choice(120)))
        case 7: (4, UInt32(input.number(4)))
        case 8: (5, UInt32(input.number(3)))
        case 9: (9, UInt32(input.choice(3)))
        default: (input.byte(), UInt32(input.byte()))
        }
      payload += [0, identifier]
      for shift: UInt32 in [24, 16, 8, 0] {
        payload.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    return payload
  }

  private mutating func data(_ stream: Int32, _ count: Int, last: Bool? = nil) {
    let flags = input.byte()
    var payload = [UInt8](repeating: 0x7b, count: count)
    if flags & 8 != 0 {
      let pad = Int(input.byte()) % 40
      payload = [UInt8(pad)] + payload.prefix(16_383 - pad) + [UInt8](repeating: 0, count: pad)
    }
    frame(0, flags: flags & 8 | (last ?? (flags & 1 != 0) ? 1 : 0), stream: stream, payload)
  }

  // MARK: requests

  private static let usual: [(String, String)] = [
    (":method", "POST"), (":scheme", "https"), (":path", "/3/device/"), (":authority", "localhost"),
    ("authorization", "bearer eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"),
    ("apns-topic", "com.example"),
    ("apns-push-type", "alert"), ("apns-priority", "10"), ("apns-expiration", "0"),
  ]

  private mutating func unusual() -> [(String, String)] {
    var fields = Self.usual
    let strange: [(String, String)] = [
      ("Upper", "x"), ("connection", "close"), ("te", "trailers"), ("te", "gzip"),
      ("content-length", "5"), ("content-length", "x"), ("content-length", "0"), (":path", "/"),
      (":status", "200"), (":method", "HEAD"), ("host", "a"), ("host", ""), ("host", "a b"),
      ("x", "a\nb"), ("x", " a "), ("x", "\u{7f}"), ("x", "é"), ("", "x"), (":", "x"), (":x", "y"),
      ("x y", "z"), ("upgrade", "h2c"), ("keep-alive", "1"), ("proxy-connection", "x"),
      ("transfer-encoding", "chunked"), ("priority", "u=1"), (":protocol", "websocket"),
      ("content-length", "99999999999999999999"), ("x", String(repeating: "v", count: 3_000)),
      ("x", String(repeating: "0", count: 9_000)), (":scheme", "http"), (":authority", ""),
    ]
    for _ in 0...input.choice(3) {
      let field = strange[input.choice(strange.count)]
      switch input.choice(3) {
      case 0: fields.insert(field, at: input.choice(fields.count + 1))
      case 1: fields.append(field)
      default:
        let values: [String: [String]] = [
          ":method": ["HEAD", "OPTIONS", "CONNECT", "GET", "", "PO ST"],
          ":scheme": ["http", "HTTPS", "ftp", "", "1x", "h_"],
          ":path": ["*", "", "x", "/a b", "/\u{7f}", "/é"],
          ":authority": ["", "a:1", "a b", "[::1]"],
        ]
        let index = input.choice(4)
        let others = values[fields[index].0] ?? ["x"]
        fields[index].1 = others[input.choice(others.count)]
      }
    }
    return fields
  }

  private mutating func block(_ fields: [(String, String)]) -> [UInt8] {
    var block: [UInt8] = []
    if input.byte() < 8 {
      block = ClientFieldEncoder.integer(input.choice(5) * 1_200, pattern: 0x20, prefix: 5)
    }
    for (name, value) in fields {
      let form = input.byte()
      let manner = ClientFieldEncoder.Manner(
        indexing: [0, 0, 1, 2][Int(form & 3)], isHuffman: form & 4 != 0, isNewName: form & 0x38 == 0
      )
      let value = name == ":path" && value == "/3/device/" ? value + "\(form)a1b2c3\(form)" : value
      block += encoder.encode(name, value, manner)
    }
    return block
  }

  private mutating func request(_ fields: [(String, String)]) {
    let stream = nextStream
    nextStream += 2
    let hasBody = input.byte() > 40
    headers(stream, block(fields), endsStream: !hasBody)
    guard hasBody else { return }
    let pieces = input.choice(20) == 0 ? input.choice(6) : 1
    for piece in 0..<pieces { data(stream, input.choice(200), last: piece == pieces - 1) }
    // Some requests remain open.
  }

  private mutating func trailers(_ stream: Int32) {
    let fields = [("x-trailer", "1"), ("content-length", "3"), (":path", "/"), ("x", "\n")]
    headers(
      stream, block(fields.filter { _ in input.byte() > 150 }), endsStream: input.byte() > 30)
  }

  private mutating func headers(_ stream: Int32, _ block: [UInt8], endsStream: Bool) {
    var flags: UInt8 = endsStream ? 1 : 0
    var rest = block[...]
    let pieces = input.choice(10) == 0 ? input.choice(11) : 0
    let cut = pieces == 0 ? rest.count : min(rest.count, Int(input.byte()))
    let first = rest.prefix(min(cut, 16_000))
    rest = rest.dropFirst(first.count)
    var payload = Array(first)
    let form = input.byte()
    if form & 0x20 != 0, form & 3 == 0 {
      flags |= 0x20
      payload = [0, 0, 0, UInt8(form == 0x24 ? stream & 0xff : 0), 15] + payload
    }
    if form & 0x40 != 0, form & 3 == 0 {
      flags |= 8
      payload = [form & 15] + payload + [UInt8](repeating: 0, count: Int(form & 15))
    }
    if rest.isEmpty { flags |= 4 }
    frame(1, flags: flags, stream: stream, payload)
    var left = pieces
    while !rest.isEmpty {
      let piece = left <= 1 ? rest.prefix(16_000) : rest.prefix(Int(input.byte()))
      rest = rest.dropFirst(piece.count)
      left -= 1
      frame(9, flags: rest.isEmpty ? 4 : 0, stream: stream, Array(piece))
    }
  }
}
