import Testing

@testable import Transport

/// Tests with the floods from `docs/hostile-peers.md` that nghttp2 doesn't stop, and with bytes that aren't HTTP/2.
@Suite struct HTTP2HostilityTests {
  /// Sends `frame(n)` until the session closes, and returns the number of frames that were sent.
  private func flood(
    _ bench: ServerBench, limit: Int = 20_000, _ frame: (Int) -> [UInt8]
  ) -> Int? {
    for count in 1...limit {
      if bench.send(frame(count)) == .closing { return count }
      _ = bench.output()
    }
    return nil
  }

  private func expectCalm(_ bench: ServerBench, sourceLocation: SourceLocation = #_sourceLocation) {
    let last = bench.output().last
    #expect(last?.errorCode == HTTP2ErrorCode.enhanceYourCalm, sourceLocation: sourceLocation)
    #expect(bench.session.isFinished, sourceLocation: sourceLocation)
    #expect(bench.send([0]) == .closing, sourceLocation: sourceLocation)
  }

  @Test(
    arguments: HTTP2Codec.allCases,
    [
      WireFrame(2, stream: 1, [0, 0, 0, 0, 15]), WireFrame(4, []),
      WireFrame(6, [0, 0, 0, 0, 0, 0, 0, 0]), WireFrame(8, [0, 0, 0, 1]), WireFrame(0xee, [1]),
    ])
  func `frames that are no requests use the budget up`(codec: HTTP2Codec, frame: WireFrame) {
    let bench = ServerBench(codec)
    bench.begin()
    #expect(flood(bench) { _ in frame.bytes } != nil)
    expectCalm(bench)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `empty DATA frames use the budget up`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(WireFrame(1, flags: 4, stream: 1, ServerBench.block(ServerBench.push)))
    #expect(flood(bench) { _ in WireFrame(0, stream: 1).bytes } != nil)
    expectCalm(bench)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `DATA of streams that are gone uses the budget up`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1))
    bench.respond(1, 200)
    #expect(flood(bench) { _ in WireFrame(0, stream: 1, [1]).bytes } != nil)
    #expect(bench.output().last?.type == 7)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a session that saw the highest stream number ends at once`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(.max))
    #expect(bench.session.openStreams == 1)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `opening and resetting streams uses the budget up`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    let block = ServerBench.block(ServerBench.push)
    let count = flood(bench) { count in
      let stream = Int32(2 * count - 1)
      return WireFrame(1, flags: 4, stream: stream, block).bytes
        + WireFrame(3, stream: stream, [0, 0, 0, 8]).bytes
    }
    #expect((count ?? .max) < 200)
    expectCalm(bench)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `resetting answered streams is not penalized, because swift-nio does so under load`(
    codec: HTTP2Codec
  ) {
    let bench = ServerBench(codec)
    bench.begin()
    for count in 0..<20_000 {
      let stream = Int32(2 * count + 1)
      bench.send(ServerBench.request(stream))
      bench.respond(stream, 200)
      _ = bench.outputBytes()
      guard bench.send(WireFrame(3, stream: stream, [0, 0, 0, 8])) == .open else {
        Issue.record("closed after \(count) resets: \(bench.output())")
        return
      }
    }
    #expect(bench.recorder.order.count == 20_000)
    #expect(bench.session.failure == nil)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `resetting one answered stream again and again uses the budget up`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1))
    bench.respond(1, 200)
    _ = bench.outputBytes()
    let count = flood(bench) { _ in WireFrame(3, stream: 1, [0, 0, 0, 8]).bytes }
    #expect((count ?? .max) < 200)
    expectCalm(bench)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `resetting whole requests before their answer uses the budget up`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    let count = flood(bench) { count in
      let stream = Int32(2 * count - 1)
      return ServerBench.request(stream) + WireFrame(3, stream: stream, [0, 0, 0, 8]).bytes
    }
    #expect((count ?? .max) < 5_000)
    expectCalm(bench)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a GOAWAY for a flood or a broken protocol says why, and so can the log`(codec: HTTP2Codec) {
    let flooded = ServerBench(codec)
    flooded.begin()
    _ = flood(flooded) { _ in WireFrame(6, [0, 0, 0, 0, 0, 0, 0, 0]).bytes }
    #expect(flooded.output().last?.debugText == #"{"reason":"too many PING frames"}"#)
    #expect(flooded.session.failureReason == "too many PING frames")
    let settings = ServerBench(codec)
    settings.begin()
    _ = flood(settings) { _ in WireFrame(4).bytes }
    #expect(settings.output().last?.debugText == #"{"reason":"too many SETTINGS frames"}"#)
    for frame in [
      WireFrame(0, stream: 0, [1]), WireFrame(4, [1, 2, 3]), WireFrame(6, [1]),
      WireFrame(1, flags: 4, stream: 2, ServerBench.block(ServerBench.push)),
      WireFrame(1, flags: 4, stream: 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      WireFrame(8, [0, 0, 0, 0]), WireFrame(3, stream: 7, [0, 0, 0, 8]),
    ] {
      let bench = ServerBench(codec)
      bench.begin()
      bench.send(frame)
      let farewell = bench.output().last
      #expect(farewell?.type == 7 && bench.session.failure == farewell?.errorCode, "\(frame)")
      let reason = bench.session.failureReason ?? ""
      #expect(!reason.isEmpty, "\(frame)")
      #expect(farewell?.debugText == "{\"reason\":\"\(reason)\"}", "\(frame)")
    }
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a GOAWAY of the server's own is no fault of the peer`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(ServerBench.request(1))
    bench.session.goAway(
      lastStreamID: nil, errorCode: HTTP2ErrorCode.enhanceYourCalm, debugData: Array("why".utf8))
    #expect(bench.output().last?.debugText == "why")
    #expect(bench.session.failure == nil)
    bench.respond(1, 200)
    #expect(bench.output().contains { $0.type == 1 })
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `streams that this side is made to reset use the budget up`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    let block = ServerBench.block(ServerBench.push)
    let count = flood(bench) { count in
      let stream = Int32(2 * count - 1)
      // A window update that exceeds the maximum window is a stream error of its sender.
      return WireFrame(1, flags: 4, stream: stream, block).bytes
        + WireFrame(8, stream: stream, [0x7f, 0xff, 0xff, 0xff]).bytes
    }
    #expect((count ?? .max) < 200)
    expectCalm(bench)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `malformed and oversized header lists use the budget up`(codec: HTTP2Codec) {
    for fields in [
      ServerBench.push + [("X", "y")],
      ServerBench.push + [("x", String(repeating: "z", count: 9_000))],
    ] {
      let bench = ServerBench(codec)
      bench.begin()
      #expect(flood(bench) { ServerBench.request(Int32(2 * $0 - 1), fields) } != nil)
      expectCalm(bench)
    }
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a header block that unpacks to megabytes is stopped at the limit`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    let value = [UInt8](repeating: 0x61, count: 3_900)
    // The block contains one literal with indexing, followed by thousands of references to that literal.
    let entry: [UInt8] =
      [0x40, 1, 0x78, 0x7f, UInt8((3_900 - 127) % 128 + 128), UInt8((3_900 - 127) / 128)] + value
    let block =
      ServerBench.block(ServerBench.push) + entry + [UInt8](repeating: 0xbe, count: 10_000)
    bench.send(WireFrame(1, flags: 5, stream: 1, block))
    let bytes = bench.recorder.requests[1]?.fields.reduce(0) { $0 + $1.value.utf8.count } ?? 0
    #expect(bytes <= 8_000)
    #expect(bench.recorder.requests[1]?.resetCode == HTTP2ErrorCode.enhanceYourCalm)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `a CONTINUATION without end is stopped`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(WireFrame(1, stream: 1, ServerBench.block(ServerBench.push)))
    #expect(flood(bench) { _ in WireFrame(9, stream: 1).bytes } != nil)
    #expect(bench.output().last?.type == 7)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `whole requests pay for themselves, with a PING and window updates beside them`(
    codec: HTTP2Codec
  ) {
    let bench = ServerBench(codec)
    bench.begin()
    for count in 0..<5_000 {
      let stream = Int32(2 * count + 1)
      let sent = bench.send(
        ServerBench.request(stream) + WireFrame(8, [0, 0, 1, 0]).bytes
          + WireFrame(8, stream: stream, [0, 0, 1, 0]).bytes
          + WireFrame(6, [0, 0, 0, 0, 0, 0, 0, 1]).bytes)
      #expect(sent == .open)
      bench.respond(stream, 400, body: "{\"reason\":\"BadDeviceToken\"}")
      _ = bench.output()
    }
    #expect(bench.recorder.order.count == 5_000)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `one PING per second is allowed indefinitely`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    for _ in 0..<10_000 {
      bench.pass(seconds: 1)
      guard bench.send(WireFrame(6, [0, 0, 0, 0, 0, 0, 0, 1])) == .open else {
        Issue.record("closed")
        return
      }
      _ = bench.outputBytes()
    }
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `bytes that are no HTTP/2 get a GOAWAY`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    #expect(bench.send(Array("GET / HTTP/1.1\r\nhost: a\r\n\r\n".utf8)) == .closing)
    let frames = bench.output()
    #expect(frames.map(\.type) == [4, 7])
    #expect(frames.last?.errorCode == HTTP2ErrorCode.protocolError)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `frames that break the protocol get a GOAWAY and the close`(codec: HTTP2Codec) {
    for frame in [
      WireFrame(0, stream: 0, [1]), WireFrame(4, [1, 2, 3]), WireFrame(6, [1]),
      WireFrame(1, flags: 4, stream: 2, ServerBench.block(ServerBench.push)),
      WireFrame(1, flags: 4, stream: 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      WireFrame(8, [0, 0, 0, 0]),
    ] {
      let bench = ServerBench(codec)
      bench.begin()
      #expect(bench.send(frame) == .closing, "\(frame)")
      #expect(bench.output().last?.type == 7, "\(frame)")
    }
  }

  @Test(arguments: HTTP2Codec.allCases, 0..<8)
  func `no bytes whatever end the process`(codec: HTTP2Codec, seed: Int) {
    var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1
    func random() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    for _ in 0..<50 {
      let bench = ServerBench(codec)
      bench.begin()
      bench.recorder.onEnd = { bench.respond($0, 200, body: "x") }
      for _ in 0..<50 {
        var bytes = ServerBench.request(Int32(truncatingIfNeeded: random() % 20))
        for _ in 0..<3 { bytes[Int(random() % UInt64(bytes.count))] = UInt8(random() & 0xff) }
        bench.send(bytes)
        _ = bench.outputBytes()
      }
      bench.recorder.onEnd = { _ in }
    }
  }
}
