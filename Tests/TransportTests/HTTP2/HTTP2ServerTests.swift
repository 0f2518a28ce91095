import Testing

@testable import Transport

@Suite struct HTTP2ServerTests {
  @Test(arguments: HTTP2Codec.allCases)
  func `the first SETTINGS are Apple's, and say one stream`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    let frames = bench.output()
    #expect(frames.count == 1)
    #expect(frames.first?.settings == [1: 4_096, 3: 1, 4: 65_535, 5: 16_384, 6: 8_000])
    let certificate = ServerBench(codec, HTTP2Settings(initialConcurrentStreams: 1_000))
    #expect(certificate.output().first?.settings[3] == 1_000)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `all requests in the first flight are served, although one stream was announced (H25)`(
    codec: HTTP2Codec
  ) {
    let bench = ServerBench(codec)
    var flight = ServerBench.preface + WireFrame(4).bytes
    for stream in stride(from: Int32(1), through: 399, by: 2) {
      flight += ServerBench.request(stream)
    }
    #expect(bench.send(flight) == .open)
    #expect(bench.recorder.order.count == 200)
    #expect(bench.recorder.requests.values.allSatisfy { $0.isEnded && $0.resetCode == nil })
    #expect(bench.session.openStreams == 200)
    let frames = bench.output()
    #expect(!frames.contains { $0.type == 3 || $0.type == 7 })
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a new limit is announced in a SETTINGS of its own, as low or high as wanted`(
    codec: HTTP2Codec
  ) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.session.allowConcurrentStreams(1_000)
    #expect(bench.output().map(\.settings) == [[3: 1_000]])
    bench.session.allowConcurrentStreams(1)
    #expect(bench.output().map(\.settings) == [[3: 1]])
    bench.send(WireFrame(4, flags: 1), WireFrame(4, flags: 1))
    bench.send(ServerBench.request(1) + ServerBench.request(3))
    #expect(bench.recorder.requests.values.allSatisfy { $0.isEnded })
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `fields and body arrive as they were sent, in order`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1, body: "{\"aps\":{}}"))
    let request = bench.recorder.requests[1]
    #expect(request?.fields.map(\.name) == ServerBench.push.map(\.0))
    #expect(request?.value(":path") == "/3/device/00")
    #expect(request?.body == Array("{\"aps\":{}}".utf8))
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a request cut into single bytes is the same request`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    for byte in ServerBench.preface + WireFrame(4).bytes + ServerBench.request(1, body: "{\"a\":1}")
    {
      #expect(bench.send([byte]) == .open)
    }
    #expect(bench.recorder.requests[1]?.isEnded == true)
    #expect(bench.recorder.requests[1]?.body == Array("{\"a\":1}".utf8))
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `success is one HEADERS frame with END_STREAM and no DATA (1.7)`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1))
    bench.respond(1, 200, [("apns-id", "F4121B12-E0BF-3266-F079-D9253E98BF49")])
    let frames = bench.output().filter { $0.streamID == 1 }
    #expect(frames.map(\.type) == [1])
    #expect(frames.first?.flags == 5)
    #expect(bench.session.openStreams == 0)
    #expect(bench.recorder.requests[1]?.resetCode == nil)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `an error is HEADERS, then exactly one DATA frame with END_STREAM (1.8)`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1))
    bench.respond(1, 400, [("apns-id", "x")], body: "{\"reason\":\"BadDeviceToken\"}")
    let frames = bench.output().filter { $0.streamID == 1 }
    #expect(frames.map(\.type) == [1, 0])
    #expect(frames.map(\.flags) == [4, 1])
    #expect(frames.last?.payload == Array("{\"reason\":\"BadDeviceToken\"}".utf8))
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a large body follows the peer's window and frame size`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1))
    let body = String(repeating: "x", count: 100_000)
    bench.respond(1, 200, body: body)
    var got = bench.output().filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count }
    #expect(got == 65_535)
    bench.send(
      WireFrame(8, [0, 1, 0, 0]), WireFrame(8, stream: 1, [0, 1, 0, 0]))
    let rest = bench.output().filter { $0.type == 0 }
    got += rest.reduce(0) { $0 + $1.payload.count }
    #expect(got == 100_000)
    #expect(rest.last?.flags == 1)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `flow-control credit is returned before the peer's window is used up`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    var sent = 0
    var credit = 0
    for stream in stride(from: Int32(1), through: 99, by: 2) {
      bench.send(ServerBench.request(stream, body: String(repeating: "y", count: 4_000)))
      sent += 4_000
      bench.respond(stream, 200)
      for frame in bench.output() where frame.type == 8 && frame.streamID == 0 {
        credit += frame.payload.reduce(0) { $0 << 8 | Int($1) }
      }
      #expect(sent - credit <= 40_000)
    }
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `PING is answered with its own octets (H08), PRIORITY is ignored (H09)`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(WireFrame(6, [1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(bench.output() == [WireFrame(6, flags: 1, [1, 2, 3, 4, 5, 6, 7, 8])])
    for stream: Int32 in [1, 3, 5] {
      bench.send(WireFrame(2, stream: stream, [0, 0, 0, 0, 15]))
    }
    bench.send(ServerBench.request(7))
    #expect(bench.recorder.requests[7]?.isEnded == true)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a cancelled request is reported, and the next one is served (H17)`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(WireFrame(1, flags: 4, stream: 1, ServerBench.block(ServerBench.push)))
    bench.send(WireFrame(3, stream: 1, [0, 0, 0, 8]))
    #expect(bench.recorder.requests[1]?.resetCode == HTTP2ErrorCode.cancel)
    #expect(bench.session.openStreams == 0)
    bench.respond(1, 200)
    bench.send(ServerBench.request(3))
    bench.respond(3, 200)
    #expect(bench.output().map(\.streamID) == [3])
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a second answer to one request is dropped`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1))
    bench.respond(1, 200)
    bench.respond(1, 400, body: "late")
    #expect(bench.output().filter { $0.streamID == 1 }.count == 1)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `GOAWAY carries its reason; open streams are still answered, new ones are not (H11)`(
    codec: HTTP2Codec
  ) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1))
    let reason = Array("{\"reason\":\"Shutdown\"}".utf8)
    bench.session.goAway(lastStreamID: nil, errorCode: HTTP2ErrorCode.noError, debugData: reason)
    let frames = bench.output()
    #expect(frames.map(\.type) == [7])
    #expect(frames.first?.payload == [0, 0, 0, 1, 0, 0, 0, 0] + reason)
    #expect(!bench.session.isFinished)
    bench.send(ServerBench.request(3))
    #expect(bench.recorder.order == [1])
    bench.respond(1, 200)
    #expect(bench.output().map(\.type) == [1])
    #expect(bench.session.isFinished)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `requests after the last stream of a queued GOAWAY are not served`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1))
    bench.session.goAway(lastStreamID: nil, errorCode: HTTP2ErrorCode.noError, debugData: [])
    bench.send(ServerBench.request(3))
    #expect(bench.recorder.order == [1])
    #expect(bench.output().first?.payload == [0, 0, 0, 1, 0, 0, 0, 0])
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a request in whose handling a GOAWAY is sent is the last one served`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.recorder.onEnd = { streamID in
      guard streamID == 3 else { return }
      bench.session.goAway(lastStreamID: nil, errorCode: HTTP2ErrorCode.noError, debugData: [])
    }
    bench.send(ServerBench.request(1) + ServerBench.request(3) + ServerBench.request(5))
    #expect(bench.recorder.order == [1, 3])
    #expect(bench.output().first { $0.type == 7 }?.payload == [0, 0, 0, 3, 0, 0, 0, 0])
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `Answers that are ready go before a GOAWAY, with their bodies`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1) + ServerBench.request(3))
    bench.respond(1, 400, body: "{\"reason\":\"BadDeviceToken\"}")
    bench.session.goAway(lastStreamID: nil, errorCode: HTTP2ErrorCode.noError, debugData: [])
    bench.respond(3, 400, body: "{\"reason\":\"BadTopic\"}")
    // HEADERS, DATA, and GOAWAY are sent first, followed by the later answer.
    let frames = bench.output()
    #expect(frames.map(\.type) == [1, 0, 7, 1, 0])
    #expect(frames.map(\.streamID) == [1, 1, 0, 3, 3])
    #expect(bench.session.isFinished)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `Answers that are given while requests are read go before the GOAWAY of the same reading`(
    codec: HTTP2Codec
  ) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.recorder.onEnd = { streamID in
      bench.respond(streamID, 400, body: "{\"reason\":\"BadDeviceToken\"}")
      guard streamID == 3 else { return }
      bench.session.goAway(
        lastStreamID: nil, errorCode: HTTP2ErrorCode.enhanceYourCalm, debugData: [])
    }
    bench.send(ServerBench.request(1) + ServerBench.request(3) + ServerBench.request(5))
    let frames = bench.output()
    let goAway = frames.firstIndex { $0.type == 7 }
    #expect(frames.count { $0.type == 0 } == 2)
    #expect(goAway == frames.count - 1, "\(frames.map(\.type))")
    #expect(frames.last?.payload.prefix(4) == [0, 0, 0, 3])
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a wrong-environment certificate's GOAWAY is Apple's, byte for byte (G06)`(codec: HTTP2Codec)
  {
    let bench = ServerBench(codec)
    bench.begin()
    bench.session.goAway(
      lastStreamID: 0, errorCode: HTTP2ErrorCode.noError,
      debugData: Array("{\"reason\":\"BadCertificateEnvironment\"}".utf8))
    #expect(bench.output().first?.payload.count == 46)
    #expect(bench.session.isFinished)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a malformed request resets only its own stream`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    let upperCase = ServerBench.push + [("Apns-Id", "x")]
    bench.send(ServerBench.request(1, upperCase))
    bench.send(ServerBench.request(3, Array(ServerBench.push.dropFirst())))
    bench.send(ServerBench.request(5, ServerBench.push + [("content-length", "7")]))
    bench.send(ServerBench.request(7, ServerBench.push + [("x", "a\nb")]))
    let resets = bench.output().filter { $0.type == 3 }
    #expect(resets.map(\.streamID).sorted() == [1, 3, 5, 7])
    #expect(bench.recorder.requests.values.allSatisfy { $0.resetCode != nil })
    bench.send(ServerBench.request(9))
    #expect(bench.recorder.requests[9]?.isEnded == true)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a header list over the limit resets only its own stream`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    let value = String(repeating: "v", count: 1_000)
    let large = ServerBench.push + (0..<8).map { ("x-\($0)", value) }
    bench.send(ServerBench.request(1, large))
    #expect(bench.recorder.requests[1]?.resetCode == HTTP2ErrorCode.enhanceYourCalm)
    #expect(bench.recorder.requests[1]?.isEnded == false)
    bench.send(ServerBench.request(3))
    #expect(bench.recorder.requests[3]?.isEnded == true)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a body without length, trailers and padding are taken`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    let block = ServerBench.block(ServerBench.push)
    // Send HEADERS with a padding of 3 and a priority, CONTINUATION, padded DATA, and trailers.
    bench.send(
      WireFrame(1, flags: 0x28, stream: 1, [3, 0, 0, 0, 0, 15] + block.prefix(10) + [0, 0, 0]),
      WireFrame(9, flags: 4, stream: 1, Array(block.dropFirst(10))),
      WireFrame(0, flags: 8, stream: 1, [2, 0x7b, 0x7d, 0, 0]),
      WireFrame(1, flags: 5, stream: 1, ServerBench.block([("x-trailer", "1")])))
    let request = bench.recorder.requests[1]
    #expect(request?.isEnded == true)
    #expect(request?.body == Array("{}".utf8))
    #expect(request?.value("x-trailer") == nil)
  }
}
