import Testing

@testable import Transport

/// Tests of the errors of RFC 9113 sections 4 to 8, with both codecs.
@Suite struct HTTP2ErrorTests {
  enum Outcome: Equatable {
    case accepted
    case reset(UInt32)
    case closed(UInt32)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var outcome: Outcome
    var bytes: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ outcome: Outcome, _ frames: WireFrame...) {
      (self.name, self.outcome, bytes) = (name, outcome, frames.flatMap(\.bytes))
    }
  }

  private static let block = ServerBench.block(ServerBench.push)
  private static func headers(_ stream: Int32, flags: UInt8 = 5, _ fields: [(String, String)])
    -> WireFrame
  { WireFrame(1, flags: flags, stream: stream, ServerBench.block(fields)) }
  private static func headers(_ stream: Int32, flags: UInt8 = 5) -> WireFrame {
    WireFrame(1, flags: flags, stream: stream, block)
  }
  private static let reset = WireFrame(3, stream: 1, [0, 0, 0, 8])

  static let frames: [Case] = [
    // Section 4: the frames' sizes, and field blocks.
    Case(
      "a frame above the maximum size", .closed(6),
      WireFrame(0, stream: 1, .init(repeating: 0, count: 16_385))),
    Case("an unknown frame", .accepted, WireFrame(0x16, flags: 0xff, stream: 9, [1, 2, 3])),
    Case("an unknown frame within a block", .closed(1), headers(1, flags: 1), WireFrame(0x16)),
    Case(
      "PING within a block", .closed(1), headers(1, flags: 1),
      WireFrame(6, .init(repeating: 0, count: 8))),
    Case(
      "CONTINUATION of another stream", .closed(1), headers(1, flags: 1),
      WireFrame(9, flags: 4, stream: 3)),
    Case("CONTINUATION without HEADERS", .closed(1), WireFrame(9, flags: 4, stream: 1)),
    Case(
      "CONTINUATION after a complete block", .closed(1), headers(1, flags: 4),
      WireFrame(9, flags: 4, stream: 1)),
    Case(
      "CONTINUATION after DATA", .closed(1), headers(1, flags: 4), WireFrame(0, stream: 1),
      WireFrame(9, flags: 4, stream: 1)),
    Case("an invalid block", .closed(9), WireFrame(1, flags: 5, stream: 1, [0x80])),
    Case("a block without its end", .closed(9), WireFrame(1, flags: 5, stream: 1, block + [0x40])),
    // Section 5.1: states of streams.
    Case("DATA on an idle stream", .closed(1), WireFrame(0, stream: 1, [0])),
    Case("RST_STREAM on an idle stream", .closed(1), reset),
    Case("WINDOW_UPDATE on an idle stream", .closed(1), WireFrame(8, stream: 1, [0, 0, 0, 1])),
    Case("PRIORITY on an idle stream", .accepted, WireFrame(2, stream: 1, [0, 0, 0, 0, 1])),
    Case("DATA after END_STREAM", .closed(5), headers(1), WireFrame(0, stream: 1, [0])),
    Case("HEADERS after END_STREAM", .closed(5), headers(1), headers(1)),
    Case("RST_STREAM after END_STREAM", .reset(8), headers(1), reset),
    Case(
      "DATA after RST_STREAM", .reset(8), headers(1, flags: 4), reset, WireFrame(0, stream: 1, [0])),
    Case("HEADERS after RST_STREAM", .reset(8), headers(1, flags: 4), reset, headers(1)),
    Case(
      "WINDOW_UPDATE after RST_STREAM", .reset(8), headers(1, flags: 4), reset,
      WireFrame(8, stream: 1, [0, 0, 0, 1])),
    Case("an even stream", .closed(1), headers(2)),
    Case("a stream below an earlier one", .accepted, headers(5), headers(3)),
    Case("HEADERS on stream 0", .closed(1), headers(0)),
    Case(
      "a stream that depends on itself", .closed(1),
      WireFrame(1, flags: 0x25, stream: 1, [0, 0, 0, 1, 9] + block)),
    Case("PRIORITY on itself", .closed(1), WireFrame(2, stream: 3, [0x80, 0, 0, 3, 9])),
    // Section 6.1: DATA.
    Case("DATA on stream 0", .closed(1), WireFrame(0, [0])),
    Case(
      "padding longer than DATA", .closed(1), headers(1, flags: 4),
      WireFrame(0, flags: 8, stream: 1, [3, 0, 0])),
    Case(
      "padded DATA without a length", .closed(1), headers(1, flags: 4),
      WireFrame(0, flags: 8, stream: 1)),
    Case(
      "DATA that is only padding", .accepted, headers(1, flags: 4),
      WireFrame(0, flags: 9, stream: 1, [2, 0, 0])),
    // Section 6.2: HEADERS.
    Case(
      "padding longer than HEADERS", .closed(1), WireFrame(1, flags: 0xd, stream: 1, [200] + block)),
    Case("padded HEADERS without a length", .closed(1), WireFrame(1, flags: 0xd, stream: 1)),
    Case(
      "HEADERS shorter than a priority", .closed(6),
      WireFrame(1, flags: 0x25, stream: 1, [0, 0, 0, 0])),
    Case(
      "HEADERS with padding and priority", .accepted,
      WireFrame(1, flags: 0x2d, stream: 1, [2, 0, 0, 0, 0, 1] + block + [0, 0])),
    Case("an empty block", .reset(1), WireFrame(1, flags: 5, stream: 1)),
    // Section 6.3 to 6.9: other frames.
    Case("PRIORITY of four bytes", .closed(6), WireFrame(2, stream: 1, [0, 0, 0, 0])),
    Case("PRIORITY on stream 0", .closed(1), WireFrame(2, [0, 0, 0, 1, 1])),
    Case("RST_STREAM on stream 0", .closed(1), WireFrame(3, [0, 0, 0, 1])),
    Case("RST_STREAM of three bytes", .closed(6), headers(1), WireFrame(3, stream: 1, [0, 0, 0])),
    Case("SETTINGS on a stream", .closed(1), WireFrame(4, stream: 1)),
    Case("SETTINGS of five bytes", .closed(6), WireFrame(4, [0, 1, 0, 0, 0])),
    Case(
      "an acknowledgment with settings", .closed(6), WireFrame(4, flags: 1, [0, 1, 0, 0, 0, 0])),
    Case("an acknowledgment of nothing", .closed(1), WireFrame(4, flags: 1)),
    Case("ENABLE_PUSH of 2", .closed(1), WireFrame(4, [0, 2, 0, 0, 0, 2])),
    Case("an initial window of 32 bits", .closed(3), WireFrame(4, [0, 4, 0x80, 0, 0, 0])),
    Case("MAX_FRAME_SIZE below the minimum", .closed(1), WireFrame(4, [0, 5, 0, 0, 0x3f, 0xff])),
    Case("MAX_FRAME_SIZE above the maximum", .closed(1), WireFrame(4, [0, 5, 1, 0, 0, 0])),
    Case("an unknown setting", .accepted, WireFrame(4, [0, 0x99, 1, 2, 3, 4])),
    Case("33 settings", .closed(11), WireFrame(4, .init(repeating: 0, count: 33 * 6))),
    Case("NO_RFC7540_PRIORITIES that changes", .closed(1), WireFrame(4, [0, 9, 0, 0, 0, 1])),
    Case("PUSH_PROMISE", .closed(1), WireFrame(5, flags: 4, stream: 1, [0, 0, 0, 2])),
    Case("PUSH_PROMISE of three bytes", .closed(6), WireFrame(5, flags: 4, stream: 1, [0, 0, 2])),
    Case("PING on a stream", .closed(1), WireFrame(6, stream: 1, .init(repeating: 0, count: 8))),
    Case("PING of seven bytes", .closed(6), WireFrame(6, .init(repeating: 0, count: 7))),
    Case(
      "an acknowledgment of PING", .accepted, WireFrame(6, flags: 1, .init(repeating: 0, count: 8))),
    Case("GOAWAY on a stream", .closed(1), WireFrame(7, stream: 1, .init(repeating: 0, count: 8))),
    Case("GOAWAY of seven bytes", .closed(6), WireFrame(7, .init(repeating: 0, count: 7))),
    Case("GOAWAY with a client's stream", .closed(1), WireFrame(7, [0, 0, 0, 1, 0, 0, 0, 0])),
    Case(
      "a second GOAWAY with a later stream", .closed(1), headers(1),
      WireFrame(7, .init(repeating: 0, count: 8)), WireFrame(7, [0, 0, 0, 2, 0, 0, 0, 0])),
    Case("WINDOW_UPDATE of zero", .closed(1), WireFrame(8, [0, 0, 0, 0])),
    Case(
      "WINDOW_UPDATE of zero on a stream", .closed(1), headers(1),
      WireFrame(8, stream: 1, [0x80, 0, 0, 0])),
    Case("WINDOW_UPDATE of three bytes", .closed(6), WireFrame(8, [0, 0, 1])),
    Case("a window above 31 bits", .closed(3), WireFrame(8, [0x7f, 0xff, 0xff, 0xff])),
    Case(
      "a stream's window above 31 bits", .reset(3), headers(1),
      WireFrame(8, stream: 1, [0x7f, 0xff, 0xff, 0xff])),
    Case(
      "a stream's window above 31 bits after SETTINGS", .reset(3), headers(1),
      WireFrame(8, stream: 1, [0x7f, 0xff, 0, 0]), WireFrame(4, [0, 4, 0x7f, 0xff, 0xff, 0xff])),
  ]

  /// Requests that consist of HEADERS with END_STREAM.
  static let requests: [(String, Outcome, [(String, String)])] = {
    let push = ServerBench.push
    func with(_ name: String, _ value: String) -> [(String, String)] {
      push.map { $0.0 == name ? (name, value) : $0 }
    }
    func without(_ name: String) -> [(String, String)] { push.filter { $0.0 != name } }
    return [
      ("a name in uppercase", .reset(1), push + [("X-y", "z")]),
      ("a name with a space", .reset(1), push + [("x y", "z")]),
      ("an empty name", .reset(1), push + [("", "z")]),
      ("a value with a line feed", .reset(1), push + [("x", "a\nb")]),
      ("a value with spaces around it", .accepted, push + [("x", " a ")]),
      ("a value that isn't ASCII", .accepted, push + [("x", "é")]),
      ("an unknown pseudo-header field", .reset(1), [(":x", "y")] + push),
      ("a response's pseudo-header field", .reset(1), [(":status", "200")] + push),
      ("a pseudo-header field after others", .reset(1), without(":path") + [(":path", "/")]),
      ("two paths", .reset(1), [(":path", "/")] + push),
      ("no method", .reset(1), without(":method")), ("no path", .reset(1), without(":path")),
      ("no scheme", .reset(1), without(":scheme")),
      ("no authority", .reset(1), without(":authority")),
      ("no authority, but a host", .accepted, without(":authority") + [("host", "a")]),
      ("two hosts", .reset(1), push + [("host", "a"), ("host", "a")]),
      ("an empty path", .reset(1), with(":path", "")),
      ("a path with a space", .reset(1), with(":path", "/a b")),
      ("a relative path", .reset(1), with(":path", "a")),
      (
        "a path of another scheme", .accepted,
        with(":path", "a").map { $0.0 == ":scheme" ? (":scheme", "x") : $0 }
      ),
      ("an asterisk with POST", .reset(1), with(":path", "*")),
      (
        "an asterisk with OPTIONS", .accepted,
        with(":path", "*").map { $0.0 == ":method" ? (":method", "OPTIONS") : $0 }
      ),
      ("CONNECT with a path", .reset(1), with(":method", "CONNECT")),
      ("CONNECT", .accepted, [(":method", "CONNECT"), (":authority", "a:1")]),
      ("an invalid method", .reset(1), with(":method", "A B")),
      ("an invalid scheme", .reset(1), with(":scheme", "1")),
      ("an invalid authority", .reset(1), with(":authority", "a b")),
      ("connection", .reset(1), push + [("connection", "close")]),
      ("keep-alive", .reset(1), push + [("keep-alive", "1")]),
      ("proxy-connection", .reset(1), push + [("proxy-connection", "close")]),
      ("transfer-encoding", .reset(1), push + [("transfer-encoding", "chunked")]),
      ("upgrade", .reset(1), push + [("upgrade", "h2c")]),
      ("te: trailers", .accepted, push + [("te", "Trailers")]),
      ("te: gzip", .reset(1), push + [("te", "gzip")]),
      ("a content-length of 0", .accepted, push + [("content-length", "0")]),
      ("a content-length of 1", .reset(1), push + [("content-length", "1")]),
      (
        "two content-lengths", .reset(1), push + [("content-length", "0"), ("content-length", "0")]
      ),
      ("a content-length that isn't a number", .reset(1), push + [("content-length", "-0")]),
      (
        "a content-length of 64 bits", .reset(1), push + [("content-length", "9223372036854775808")]
      ),
      ("a list of 8,001 bytes", .reset(11), push + [("x", String(repeating: "v", count: 7_728))]),
      ("a list of 8,000 bytes", .accepted, push + [("x", String(repeating: "v", count: 7_727))]),
    ]
  }()

  static let trailers: [Case] = [
    Case("trailers", .accepted, headers(1, flags: 4), headers(1, [("x", "y")])),
    Case(
      "trailers without END_STREAM", .reset(1), headers(1, flags: 4),
      headers(1, flags: 4, [("x", "y")])),
    Case(
      "trailers with a pseudo-header field", .reset(1), headers(1, flags: 4),
      headers(1, [(":path", "/")])),
    Case("invalid trailers", .reset(1), headers(1, flags: 4), headers(1, [("X", "y")])),
    Case(
      "trailers above the limit", .reset(11), headers(1, flags: 4),
      headers(1, [("x", String(repeating: "v", count: 8_000))])),
    Case(
      "less content than promised", .reset(1),
      headers(1, flags: 4, ServerBench.push + [("content-length", "3")]),
      WireFrame(0, flags: 1, stream: 1, [1, 2])),
    Case(
      "more content than promised", .reset(1),
      headers(1, flags: 4, ServerBench.push + [("content-length", "3")]),
      WireFrame(0, stream: 1, [1, 2, 3, 4])),
    Case(
      "the promised content", .accepted,
      headers(1, flags: 4, ServerBench.push + [("content-length", "3")]),
      WireFrame(0, stream: 1, [1, 2]), WireFrame(0, flags: 1, stream: 1, [3])),
    Case(
      "content that trailers end early", .reset(1),
      headers(1, flags: 4, ServerBench.push + [("content-length", "3")]),
      WireFrame(0, stream: 1, [1]), headers(1, [("x", "y")])),
  ]

  private func outcome(_ codec: HTTP2Codec, _ bytes: [UInt8], slice: Int) -> (Outcome, [Int32]) {
    let bench = ServerBench(codec)
    bench.begin()
    var rest = bytes[...]
    while !rest.isEmpty {
      bench.send(Array(rest.prefix(slice)))
      rest = rest.dropFirst(slice)
    }
    let output = bench.output()
    (bench.session as? BelfryServerSession)?.checkInvariants()
    if let code = bench.session.failure {
      #expect(output.last?.errorCode == code)
      #expect(bench.session.failureReason?.isEmpty == false)
      return (.closed(code), bench.recorder.order)
    }
    if let code = bench.recorder.requests[1]?.resetCode {
      // A peer's own reset isn't answered.
      #expect(output.contains { $0.type == 3 } == (code != 8))
      return (.reset(code), bench.recorder.order)
    }
    #expect(!output.contains { $0.type == 3 || $0.type == 7 })
    return (.accepted, bench.recorder.order)
  }

  @Test(arguments: HTTP2Codec.allCases, frames + trailers)
  func `Frames that violate RFC 9113 close the connection or their stream`(
    codec: HTTP2Codec, frames: Case
  ) {
    #expect(outcome(codec, frames.bytes, slice: .max).0 == frames.outcome)
    // The outcome must not depend on how the bytes are split: here, each arrives separately.
    #expect(outcome(codec, frames.bytes, slice: 1).0 == frames.outcome)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `Malformed requests close their stream`(codec: HTTP2Codec) {
    for (name, expected, fields) in Self.requests {
      let bytes = ServerBench.request(1, fields, body: nil)
      #expect(outcome(codec, bytes, slice: .max).0 == expected, "\(name)")
      #expect(outcome(codec, bytes, slice: 1).0 == expected, "\(name), byte by byte")
    }
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `The first frame must be SETTINGS, after the preface`(codec: HTTP2Codec) {
    for (bytes, code) in [
      (ServerBench.preface + WireFrame(6, .init(repeating: 0, count: 8)).bytes, 1),
      (ServerBench.preface + WireFrame(4, flags: 1).bytes, 1), (Array("PRI * HTTP/2.1".utf8), 1),
    ] as [([UInt8], UInt32)] {
      let bench = ServerBench(codec)
      bench.send(bytes)
      #expect(bench.session.failure == code)
      #expect(bench.output().last?.errorCode == code)
    }
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `Streams beyond the limit are refused, and are an error once the limit is acknowledged`(
    codec: HTTP2Codec
  ) {
    let settings = HTTP2Settings(initialConcurrentStreams: 1, servedConcurrentStreams: 3)
    let early = ServerBench(codec, settings)
    early.send(ServerBench.preface + WireFrame(4).bytes)
    for stream: Int32 in [1, 3, 5, 7] { early.send(ServerBench.request(stream)) }
    #expect(early.recorder.order == [1, 3, 5])
    #expect(early.output().filter { $0.type == 3 } == [WireFrame(3, stream: 7, [0, 0, 0, 7])])
    #expect(early.session.failure == nil)
    let late = ServerBench(codec, settings)
    late.begin()
    for stream: Int32 in [1, 3, 5, 7] { late.send(ServerBench.request(stream)) }
    #expect(late.session.failure == HTTP2ErrorCode.protocolError)
    let answered = ServerBench(codec, settings)
    answered.begin()
    for stream: Int32 in [1, 3, 5] { answered.send(ServerBench.request(stream)) }
    answered.respond(3, 200)
    _ = answered.output()
    answered.send(ServerBench.request(7))
    #expect(answered.recorder.order == [1, 3, 5, 7])
  }
}
