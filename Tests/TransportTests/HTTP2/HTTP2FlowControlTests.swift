import Testing

@testable import Transport

/// Tests of the windows of both directions, with both codecs.
@Suite struct HTTP2FlowControlTests {
  private func dataBytes(_ frames: [WireFrame]) -> Int {
    frames.filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count }
  }

  private func headers(_ stream: Int32) -> [UInt8] {
    WireFrame(1, flags: 4, stream: stream, ServerBench.block(ServerBench.push)).bytes
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `DATA beyond the connection's window closes the connection`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    // All in one read, so that no credit can be sent in the meantime: 32,767 are credited at once, and 65,535 are not.
    let frames = (0..<7).map {
      WireFrame(0, stream: Int32($0 * 2 + 1), .init(repeating: 1, count: 16_384))
    }
    bench.send((0..<7).flatMap { headers(Int32($0 * 2 + 1)) } + frames.flatMap(\.bytes))
    #expect(bench.session.failure == HTTP2ErrorCode.flowControlError)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `DATA beyond a stream's window resets the stream`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.session.setInitialWindow(1_000)
    _ = bench.output()
    bench.send(WireFrame(4, flags: 1))
    bench.send(headers(1) + WireFrame(0, stream: 1, .init(repeating: 1, count: 1_001)).bytes)
    #expect(bench.recorder.requests[1]?.resetCode == HTTP2ErrorCode.flowControlError)
    bench.send(ServerBench.request(3, body: String(repeating: "x", count: 1_000)))
    #expect(bench.recorder.requests[3]?.isEnded == true)
    #expect(bench.session.failure == nil)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `A window that is not acknowledged yet does not apply`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.session.setInitialWindow(10)
    bench.send(ServerBench.request(1, body: String(repeating: "x", count: 1_000)))
    #expect(bench.recorder.requests[1]?.isEnded == true)
    bench.respond(1, 200)
    bench.send(headers(3) + WireFrame(0, stream: 3, [1, 2, 3, 4, 5]).bytes)
    _ = bench.output()
    // With the acknowledgment, half of the new window is used up.
    bench.send(WireFrame(4, flags: 1))
    #expect(bench.output() == [WireFrame(8, stream: 3, [0, 0, 0, 5])])
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `Credit is returned for content, padding, and DATA of closed streams`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(headers(1))
    let padded = [255] + [UInt8](repeating: 1, count: 16_128) + [UInt8](repeating: 0, count: 255)
    bench.send(WireFrame(0, flags: 8, stream: 1, padded))
    bench.send(WireFrame(0, flags: 8, stream: 1, padded))
    #expect(bench.recorder.requests[1]?.body.count == 2 * 16_128)
    // The credit is due at half of the window, 32,767 bytes, and pad lengths count.
    let credit: [UInt8] = [0, 0, 0x80, 0]
    #expect(bench.output() == [WireFrame(8, credit), WireFrame(8, stream: 1, credit)])
    bench.send(WireFrame(3, stream: 1, [0, 0, 0, 8]))
    bench.send(WireFrame(0, stream: 1, .init(repeating: 1, count: 16_384)))
    bench.send(WireFrame(0, stream: 1, .init(repeating: 1, count: 16_384)))
    #expect(bench.output() == [WireFrame(8, credit)])
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `No credit is returned to a stream that has ended`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(headers(1) + WireFrame(0, stream: 1, .init(repeating: 1, count: 16_384)).bytes)
    bench.send(WireFrame(0, flags: 1, stream: 1, .init(repeating: 1, count: 16_384)))
    #expect(bench.output().map(\.streamID) == [0])
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `A body waits for the stream's window, which may become negative`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    bench.send(WireFrame(4, [0, 4, 0, 0, 0, 100]))
    _ = bench.output()
    bench.send(ServerBench.request(1) + ServerBench.request(3))
    bench.respond(1, 400, body: String(repeating: "x", count: 300))
    bench.respond(3, 400, body: String(repeating: "y", count: 100))
    let first = bench.output()
    #expect(dataBytes(first.filter { $0.streamID == 1 }) == 100)
    #expect(first.last { $0.streamID == 3 }?.flags == 1)
    #expect(bench.session.openStreams == 1)
    #expect(bench.session.holdsLargeBody)
    // The window is now 60 below zero, and 70 bytes of credit allow 10 bytes.
    bench.send(WireFrame(4, [0, 4, 0, 0, 0, 40]))
    #expect(dataBytes(bench.output()) == 0)
    bench.send(WireFrame(8, stream: 1, [0, 0, 0, 60]))
    #expect(dataBytes(bench.output()) == 0)
    bench.send(WireFrame(8, stream: 1, [0, 0, 0, 10]))
    #expect(dataBytes(bench.output()) == 10)
    bench.send(WireFrame(4, [0, 4, 0, 0, 0, 140]))
    #expect(dataBytes(bench.output()) == 100)
    bench.send(WireFrame(8, stream: 1, [0, 0, 1, 0]))
    let last = bench.output()
    #expect(dataBytes(last) == 90)
    #expect(last.last?.flags == 1)
    #expect(bench.session.openStreams == 0)
    #expect(!bench.session.holdsLargeBody)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `Bodies share the connection's window, and all of them arrive`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    var bodies: [Int32: Int] = [:]
    for stream: Int32 in [1, 3, 5] {
      bench.send(ServerBench.request(stream))
      bench.respond(stream, 200, body: String(repeating: "x", count: 50_000))
    }
    for _ in 0..<20 {
      let frames = bench.output()
      for frame in frames where frame.type == 0 {
        #expect(frame.payload.count <= 16_384)
        bodies[frame.streamID, default: 0] += frame.payload.count
      }
      bench.send(WireFrame(8, [0, 0, 0x40, 0]))
    }
    #expect(bodies == [1: 50_000, 3: 50_000, 5: 50_000])
    #expect(bench.session.openStreams == 0)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `A reset stream's body is dropped, and the others continue`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    for stream: Int32 in [1, 3] {
      bench.send(ServerBench.request(stream))
      bench.respond(stream, 200, body: String(repeating: "x", count: 60_000))
    }
    _ = bench.output()
    bench.send(WireFrame(3, stream: 1, [0, 0, 0, 8]))
    for _ in 0..<4 {
      bench.send(WireFrame(8, [0, 0, 0x40, 0]))
      #expect(!bench.output().contains { $0.type == 0 && $0.streamID == 1 })
    }
    #expect(bench.session.openStreams == 0)
    #expect(!bench.session.holdsLargeBody)
  }

  @Test(arguments: HTTP2Codec.allCases)
  func `A response to HEAD has no content`(codec: HTTP2Codec) {
    let bench = ServerBench(codec)
    bench.begin()
    let head = ServerBench.push.map { $0.0 == ":method" ? (":method", "HEAD") : $0 }
    bench.send(ServerBench.request(1, head, body: nil))
    bench.respond(1, 400, body: "x")
    #expect(bench.output().map(\.flags) == [5])
  }
}
