import TestSupport
import Testing

@testable import Transport

@Suite struct HTTP1ServerSessionTests {
  @Test func `every status that the gateway sends has a reason phrase`() {
    let statuses = [
      200, 201, 204, 400, 401, 403, 404, 405, 408, 410, 413, 421, 429, 431, 500, 501, 503,
    ]
    for status in statuses { #expect(!HTTP1ReasonPhrase.of(status).isEmpty, "\(status)") }
  }

  private final class Recorder: HTTP2RequestHandler {
    var events: [String] = []
    var session: HTTP1ServerSession?
    /// True if the handler answers each request immediately.
    var answers = true
    /// True if the handler answers before the body is complete.
    var answersEarly = false

    func requestBegan(_ streamID: Int32) { events.append("\(streamID)") }

    func requestField(
      _ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) {
      let name = unsafe String(decoding: name, as: UTF8.self)
      let value = unsafe String(decoding: value, as: UTF8.self)
      events.append("\(name)=\(value)")
    }

    func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {
      events.append(unsafe "<\(String(decoding: bytes, as: UTF8.self))>")
      if answersEarly { answer(streamID, 413) }
    }

    func requestEnded(_ streamID: Int32) {
      events.append("end")
      if answers { answer(streamID, 200) }
    }

    func requestReset(_ streamID: Int32, errorCode: UInt32) { events.append("reset") }

    func answer(_ streamID: Int32, _ status: Int, body: String? = nil) {
      let name = Array("apns-id".utf8)
      let value = Array("X".utf8)
      unsafe name.withUnsafeBytes { name in
        unsafe value.withUnsafeBytes { value in
          let field = unsafe HTTP2FieldView(name: name, value: value)
          unsafe withUnsafePointer(to: field) { field in
            let fields = unsafe UnsafeBufferPointer(start: field, count: 1)
            var text = body ?? ""
            text.withUTF8 { bytes in
              unsafe session?.respond(
                streamID, status: status, fields: fields,
                body: body == nil ? nil : UnsafeRawBufferPointer(bytes))
            }
          }
        }
      }
    }
  }

  @Test
  func `while it is paused the next request waits`() {
    let recorder = Recorder()
    let session = HTTP1ServerSession()
    recorder.session = session
    session.pause()
    let requests = Array(String(repeating: "GET / HTTP/1.1\r\nHost: t\r\n\r\n", count: 2).utf8)
    _ = unsafe requests.withUnsafeBytes { unsafe session.receive($0, recorder) }
    #expect(recorder.events.isEmpty && session.openStreams == 0)
    session.resume()
    session.receive(recorder)
    #expect(recorder.events.filter { $0 == "end" }.count == 2)
    session.resume()
    session.receive(recorder)
    #expect(session.endedStreams == 2 && !session.isFinished)
  }

  private struct Run {
    var events: [String]
    var output: String
    var isOpen: Bool
  }

  private func run(_ text: String, slice: Int = .max, answers: Bool = true) -> Run {
    let recorder = Recorder()
    recorder.answers = answers
    let session = HTTP1ServerSession()
    recorder.session = session
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(slice))
      rest = rest.dropFirst(part.count)
      _ = unsafe part.withUnsafeBytes { unsafe session.receive($0, recorder) }
    }
    var output = ""
    session.takeOutput { output += unsafe String(decoding: $0, as: UTF8.self) }
    return Run(events: recorder.events, output: output, isOpen: !session.isFinished)
  }

  private static let push =
    "POST /3/device/00 HTTP/1.1\r\nHost: h\r\nAPNS-Topic:  t \r\nContent-Length: 2\r\n\r\n{}"
  private static let pushEvents = [
    ":method=POST", ":scheme=http", ":path=/3/device/00", "host=h", "apns-topic=t",
    "content-length=2", "<{}>", "end",
  ]
  private static let accepted = "HTTP/1.1 200 OK\r\napns-id: X\r\ncontent-length: 0\r\n\r\n"

  private func joined(_ events: [String]) -> [String] {
    var joined: [String] = []
    for event in events {
      if event.hasPrefix("<"), let last = joined.last, last.hasPrefix("<") {
        joined[joined.count - 1] = String(last.dropLast() + event.dropFirst())
      } else {
        joined.append(event)
      }
    }
    return joined
  }

  @Test(arguments: [Int.max, 1, 7])
  func `requests follow each other on one connection, however they are sliced`(_ slice: Int) {
    let run = run(Self.push + Self.push, slice: slice)
    #expect(joined(run.events) == ["1"] + Self.pushEvents + ["3"] + Self.pushEvents)
    #expect(run.output == Self.accepted + Self.accepted)
    #expect(run.isOpen)
  }

  @Test func `the next request waits for the answer to this one`() {
    let recorder = Recorder()
    recorder.answers = false
    let session = HTTP1ServerSession()
    recorder.session = session
    let bytes = Array((Self.push + Self.push).utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe session.receive($0, recorder) }
    #expect(recorder.events.count { $0 == "end" } == 1)
    recorder.answer(1, 400, body: "{\"reason\":\"x\"}")
    session.receive(recorder)
    #expect(recorder.events.count { $0 == "end" } == 2)
    recorder.answer(1, 200)
    recorder.answer(3, 200)
    var output = ""
    session.takeOutput { output += unsafe String(decoding: $0, as: UTF8.self) }
    #expect(
      output
        == "HTTP/1.1 400 Bad Request\r\napns-id: X\r\ncontent-length: 14\r\n\r\n{\"reason\":\"x\"}"
        + Self.accepted)
  }

  @Test(arguments: ["Content-Length: 5\r\n\r\nab", "Transfer-Encoding: chunked\r\n\r\n5\r\nab"])
  func `an answer before the end of the request ends the connection`(_ body: String) {
    let recorder = Recorder()
    recorder.answersEarly = true
    let session = HTTP1ServerSession()
    recorder.session = session
    let bytes = Array("POST / HTTP/1.1\r\nHost: h\r\n\(body)".utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe session.receive($0, recorder) }
    #expect(session.isFinished)
    #expect(session.endedStreams == 1)
    _ = unsafe Array("cde".utf8).withUnsafeBytes { unsafe session.receive($0, recorder) }
    #expect(!recorder.events.contains("end"))
  }

  @Test(arguments: [Int.max, 1])
  func `a body can be sent in chunks`(_ slice: Int) {
    let run = run(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "1;x=y\r\n{\r\n00a\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n" + Self.push, slice: slice)
    #expect(joined(run.events).contains("<{0123456789>"))
    #expect(run.events.count { $0 == "end" } == 2)
  }

  @Test func `a request that ends the connection is answered first`() {
    let close = run("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + Self.push)
    #expect(close.output.hasSuffix("connection: close\r\n\r\n"))
    #expect(close.events.count { $0 == "end" } == 1)
    #expect(!close.isOpen)
    #expect(!run("GET / HTTP/1.0\r\n\r\n").isOpen)
    for value in ["foo,\tclose", "foo \t,\tClose \t, bar", "close,foo", ",close"] {
      let last = run("GET / HTTP/1.1\r\nHost: h\r\nConnection: \(value)\r\n\r\n" + Self.push)
      #expect(!last.isOpen, "\(value)")
    }
    for value in ["closed", "cl ose", "\"close\""] {
      let open = run("GET / HTTP/1.1\r\nHost: h\r\nConnection: \(value)\r\n\r\n")
      #expect(open.isOpen, "\(value)")
    }
  }

  @Test func `a client that expects 100 Continue gets it, except with HTTP/1.0`() {
    let text = "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    #expect(run(text).output == "HTTP/1.1 100 Continue\r\n\r\n")
    // HTTP/1.0 has no interim responses.
    let old = "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    #expect(run(old).output.isEmpty)
    #expect(run(old + "{}").output.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `a proxy's form of the target is read`() {
    for scheme in ["http", "HTTP", "https", "hTTpS"] {
      let run = run("GET \(scheme)://localhost:1/3/device/aa HTTP/1.1\r\nHost: h\r\n\r\n")
      #expect(run.events.contains(":path=/3/device/aa"), "\(scheme)")
    }
  }

  @Test(arguments: [
    "GET /\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET x HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-0\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0 junk\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;a\rb\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nx: y\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno field\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nx : y\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 9\r\n\r\n",
    "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    "POST / HTTP/1.0\r\nTransfer-Encoding: gzip\r\n\r\n",
    "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
  ])
  func `invalid requests are refused and close the connection`(_ text: String) {
    let run = run(text + Self.push)
    #expect(run.output.hasPrefix("HTTP/1.1 400 "), "\(run.output)")
    #expect(!run.events.contains("end"))
    #expect(!run.isOpen)
  }

  /// Checks requests whose end, host, or target a proxy in front of the server might interpret differently.
  @Test(arguments: [
    // These lines end with a bare line feed or contain a carriage return.
    "GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\nHost: h\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\nx: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\n",
    "GET / HTTP/1.1\r\nHost: h\n\r\n", "GET / HTTP/1.1\r\nHost: h\rx: y\r\n\r\n",
    "GET / HTTP/1.1\rHost: h\r\n\r\n", "GET / HTTP/1.1\r\r\nHost: h\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\r\r\n",
    "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "\r\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
    "\r\n\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
    // These targets and methods are invalid.
    "GET /é HTTP/1.1\r\nHost: h\r\n\r\n", "GET /\u{80} HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /\u{7F} HTTP/1.1\r\nHost: h\r\n\r\n", "GET /\t HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /#a HTTP/1.1\r\nHost: h\r\n\r\n", "GET / x HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /\u{0} HTTP/1.1\r\nHost: h\r\n\r\n", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n",
    "G\u{E9}T / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
    "GET / http/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/01.1\r\nHost: h\r\n\r\n",
    "GET / HTTP/1.2\r\nHost: h\r\n\r\n", "GET /\r\nHost: h\r\n\r\n",
    " GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET http://h\\x/ HTTP/1.1\r\nHost: h\r\n\r\n",
    // These hosts are invalid.
    "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: u@h\r\n\r\n", "GET / HTTP/1.1\r\nHost: é\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nhost: g\r\n\r\n",
    // These fields are invalid.
    "GET / HTTP/1.1\r\n Host: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\tx: y\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nx\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n: y\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nx\u{0}: y\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nx: \u{0}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nx: \u{1B}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\né: y\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nx\t: y\r\n\r\n",
    // These lengths are invalid.
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2, 2\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +2\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x2\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2 \u{B}\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1_0\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ٢\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length : 2\r\n\r\n{}",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\n chunked\r\n\r\n0\r\n\r\n",
  ])
  func `a request that can be read in two ways is refused`(_ text: String) {
    let run = run(text + Self.push)
    #expect(run.output.hasPrefix("HTTP/1.1 400 "), "\(run.output)")
    #expect(!run.events.contains("end") && !run.isOpen)
  }

  @Test(arguments: [
    "1;\r\na", "1;;x\r\na", "1;=y\r\na", "1;x=\r\na", "1;x=y;\r\na", "1; x\r\na", "1;x =y\r\na",
    "1;x= y\r\na", "1 ;x\r\na", "1;x\ty\r\na", "1;x=\"y\r\na", "1;x=\"\\\r\na", "1;x=\"y\"z\r\na",
    "1;x=\"\u{0}\"\r\na", "1;x=é\r\na", "1;é\r\na", "1;x\ny\r\na", "1;x\na", "1;a\rb\r\na",
    "1,x\r\na",
    "0x1\r\na", "+1\r\na", "1_0\r\na", " 1\r\na", "\r\n1\r\na", "10000000\r\na", "１\r\na",
    ";x\r\na",
    "1\r\na0\r\n\r\n", "1\r\na\n0\r\n\r\n", "1\r\na\r0\r\n\r\n", "1\r\na\r\r\n0\r\n\r\n",
    "0\r\nx: y\rz\r\n\r\n", "0\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n x: y\r\n\r\n",
  ])
  func `a chunk that is framed in another way is refused`(_ chunk: String) {
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    let run = run(head + chunk + "\r\n0\r\n\r\n" + Self.push)
    #expect(run.output.hasPrefix("HTTP/1.1 400 "), "\(run.output)")
    #expect(!run.events.contains("end") && !run.isOpen)
  }

  @Test(arguments: [
    "1;x\r\na", "1;x=y\r\na", "1;x;y=z;w\r\na", "1;x=\"y; \\\"z\\\"\té\"\r\na", "01\r\na",
    "A\r\n0123456789",
    "a;x\r\n0123456789",
  ])
  func `a chunk may have extensions`(_ chunk: String) {
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    let run = run(head + chunk + "\r\n0\r\n\r\n" + Self.push)
    #expect(run.events.count { $0 == "end" } == 2 && run.isOpen, "\(run.output)")
  }

  @Test(
    arguments: [
      "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a_b.example:8080\r\n\r\n",
      "GET /a%00%C3%A9?x={|}&y=\\ HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nx: é \t y\r\nempty:\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nX_y-z!#$%&'*+.^`|~: 1\r\n\r\n",
    ], [Int.max, 1])
  func `unusual but valid requests are accepted`(_ text: String, slice: Int) {
    let run = run(text + Self.push, slice: slice)
    #expect(run.events.count { $0 == "end" } == 2 && run.isOpen, "\(run.output)")
  }

  @Test(arguments: [
    ("", 0, 0), ("PUSH", 1, 1), ("PUSHPUSH", 2, 2), ("PUSHGET", 1, 1),
    ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{", 1, 0),
    ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", 1, 0),
    ("\r\n", 0, 0),
  ])
  func `complete requests are answered after the client ends its input`(
    text: String, began: Int, answered: Int
  ) {
    let text = text.split(separator: "PUSH", omittingEmptySubsequences: false)
      .joined(separator: Self.push)
    for answersAtOnce in [true, false] {
      let recorder = Recorder()
      recorder.answers = answersAtOnce
      let session = HTTP1ServerSession()
      recorder.session = session
      _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe session.receive($0, recorder) }
      session.endInput()
      session.receive(recorder)
      var number: Int32 = 1
      while !session.isFinished, number < 9 {
        recorder.answer(number, 200)
        session.receive(recorder)
        number += 2
      }
      #expect(session.isFinished && session.endedStreams == UInt64(answered))
      #expect(recorder.events.count { ["1", "3"].contains($0) } == began)
      #expect(recorder.events.count { $0 == "reset" } == began - answered)
    }
  }

  @Test func `fields without end, and other codings, are refused`() {
    let long = run("GET / HTTP/1.1\r\nHost: h\r\nx: " + String(repeating: "a", count: 9_000))
    #expect(long.output.hasPrefix("HTTP/1.1 431 "))
    let chunks = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    let trailers = run(
      chunks + String(repeating: "x: \(String(repeating: "a", count: 90))\r\n", count: 100))
    #expect(trailers.output.hasPrefix("HTTP/1.1 431 "))
    #expect(!trailers.isOpen)
    let begin = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunk = "1;x=\(String(repeating: "a", count: 90))\r\nb\r\n"
    let extensions = run(begin + String(repeating: chunk, count: 100))
    #expect(extensions.output.hasPrefix("HTTP/1.1 431 ") && !extensions.isOpen)
    // Each request has its own allowance.
    let half = begin + String(repeating: chunk, count: 50) + "0\r\n\r\n"
    #expect(run(half + half).events.count { $0 == "end" } == 2)
    let coded = run("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
    #expect(coded.output.hasPrefix("HTTP/1.1 501 "))
  }

  @Test func `requests beyond the limit of pipelining make the owner stop reading`() {
    let session = HTTP1ServerSession()
    func receive(_ text: String) {
      let bytes = Array(text.utf8)
      unsafe bytes.withUnsafeBytes {
        var rest = unsafe $0
        while unsafe session.next(&rest) != nil {}
      }
    }
    receive(Self.push)
    #expect(!session.isInputFull)
    let more = Limits.http1PipelinedBytes / Self.push.utf8.count + 1
    receive(String(repeating: Self.push, count: more))
    #expect(session.isInputFull && !session.isFinished)
    for number in 0...more {
      #expect(session.openStreams == 1)
      session.respond(Int32(2 * number + 1), status: 200, fields: [], body: [])
      receive("")
    }
    #expect(!session.isInputFull && session.endedStreams == UInt64(more) + 1)
  }

  @Test func `a drained connection ends with the answer that is awaited`() {
    let recorder = Recorder()
    recorder.answers = false
    let session = HTTP1ServerSession()
    recorder.session = session
    let bytes = Array(Self.push.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe session.receive($0, recorder) }
    session.goAway(lastStreamID: nil, errorCode: 0, debugData: [])
    #expect(!session.isFinished)
    recorder.answer(1, 200)
    #expect(session.isFinished)
    let idle = HTTP1ServerSession()
    idle.goAway(lastStreamID: nil, errorCode: 0, debugData: [])
    #expect(idle.isFinished)
  }
}
