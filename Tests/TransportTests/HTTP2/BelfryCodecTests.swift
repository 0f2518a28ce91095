import TestSupport
import Testing

@testable import Transport

/// Tests of Belfry's codec that don't apply to nghttp2.
@Suite struct BelfryCodecTests {
  @Test(arguments: 0..<40)
  func `Both codecs do the same with the same bytes`(part: UInt64) {
    for seed in (part * 10)..<(part * 10 + 10) {
      let difference = HTTP2Differential.difference(HTTP2Differential.input(seed: seed))
      #expect(difference == nil, "seed \(seed)")
    }
  }

  /// An owner that answers each request with an ID, as the gateway does.
  private final class Owner: HTTP2RequestHandler {
    let session = BelfryServerSession(settings: HTTP2Settings())
    let name = UnsafeMutableRawBufferPointer.allocate(byteCount: 7, alignment: 8)
    let id = UnsafeMutableRawBufferPointer.allocate(byteCount: 36, alignment: 8)
    var ended = 0
    var sent = 0

    init() {
      name.copyBytes(from: "apns-id".utf8)
      id.copyBytes(from: "f4121b12-e0bf-3266-f079-d9253e98bf49".utf8)
    }

    deinit {
      name.deallocate()
      id.deallocate()
    }

    func requestBegan(_ streamID: Int32) {}
    func requestField(
      _ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) {}
    func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {}
    func requestReset(_ streamID: Int32, errorCode: UInt32) {}

    func requestEnded(_ streamID: Int32) {
      ended += 1
      withUnsafeTemporaryAllocation(of: HTTP2FieldView.self, capacity: 1) { views in
        views.initializeElement(
          at: 0,
          to: HTTP2FieldView(
            name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(id)))
        session.respond(
          streamID, status: ended % 2 == 0 ? 200 : 400, fields: UnsafeBufferPointer(views),
          body: ended % 2 == 0 ? nil : UnsafeRawBufferPointer(id))
      }
    }

    func feed(_ bytes: [UInt8]) {
      _ = bytes.withUnsafeBytes { session.receive($0, self) }
      session.takeOutput { sent += $0.count }
      session.receive(self)
    }
  }

  @Test
  func `A request and its answer cost no allocation`() {
    let owner = Owner()
    owner.feed(ServerBench.preface + WireFrame(4).bytes)
    // With indexing, so that the dynamic table changes with each request.
    let requests = (0...1_001).map { index -> [UInt8] in
      let text = Array("\(10_000 + index)".utf8)
      let block = ServerBench.block(ServerBench.push) + [0x40, 1, 0x78, 5] + text
      let stream = Int32(2 * index + 1)
      return WireFrame(1, flags: 4, stream: stream, block).bytes
        + WireFrame(0, flags: 1, stream: stream, [0x7b, 0x7d]).bytes
    }
    for index in 0..<200 { owner.feed(requests[index]) }
    var next = 200
    expectAllocations(atMost: 0, times: 800) {
      owner.feed(requests[next])
      next += 1
    }
    #expect(owner.ended == 1_001)
    #expect(owner.session.failure == nil)
  }

  @Test
  func `A response's ID does not enter the client's table`() {
    let bench = ServerBench(.belfry)
    bench.begin()
    var sizes: Set<Int> = []
    for index in 0..<20 {
      let stream = Int32(2 * index + 1)
      bench.send(ServerBench.request(stream))
      bench.respond(stream, 200, [("apns-id", "f4121b12-e0bf-3266-f079-d9253e98bf49")])
      let payload = bench.output().first?.payload ?? []
      #expect(payload.first == 0x88)
      #expect(payload.dropFirst().first == 0)
      sizes.insert(payload.count)
    }
    #expect(sizes == [47])
  }

  @Test
  func `A client that lowers the limit of its table receives an empty table once`() {
    let bench = ServerBench(.belfry)
    bench.begin()
    bench.send(WireFrame(4, [0, 1, 0, 0, 0, 0]), WireFrame(4, [0, 1, 0, 0, 0x10, 0]))
    _ = bench.output()
    for stream: Int32 in [1, 3] {
      bench.send(ServerBench.request(stream))
      bench.respond(stream, 204)
      #expect(bench.output().map(\.payload) == [stream == 1 ? [0x20, 0x89] : [0x89]])
    }
  }

  @Test
  func `A response of many fields continues in CONTINUATION`() {
    let bench = ServerBench(.belfry)
    bench.begin()
    bench.send(ServerBench.request(1))
    bench.respond(1, 431, [("x", String(repeating: "v", count: 40_000))], body: "{}")
    let frames = bench.output()
    #expect(frames.map(\.type) == [1, 9, 9, 0])
    #expect(frames.map(\.flags) == [0, 0, 4, 1])
    #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
  }

  @Test
  func `CONTINUATION has the size of other frames, and there are at most eight`() {
    for (pieces, size, failure) in [(8, 10, nil), (9, 10, 1), (1, 16_385, 6)]
      as [(Int, Int, UInt32?)]
    {
      let bench = ServerBench(.belfry)
      bench.begin()
      let block = ServerBench.block(
        ServerBench.push + [("x", String(repeating: "v", count: pieces * size))])
      bench.send(WireFrame(1, flags: 1, stream: 1, Array(block.dropLast(pieces * size))))
      for piece in 1...pieces {
        bench.send(
          WireFrame(9, flags: piece == pieces ? 4 : 0, stream: 1, Array(block.suffix(size))))
      }
      #expect(bench.session.failure == failure)
      #expect(bench.recorder.requests[1]?.isEnded == (failure == nil))
    }
  }

  @Test
  func `A provider token that changes is not mistaken for the previous one`() {
    let bench = ServerBench(.belfry)
    bench.begin()
    // Never-indexed fields with the static name, of which the first two have codes of equal length.
    let codes: [[UInt8]] = [[0x1c, 0x64], [0x1c, 0x65], [0x1c, 0x64], [0xff, 0xff, 0xfe]]
    for (index, code) in codes.enumerated() {
      let stream = Int32(2 * index + 1)
      let block =
        ServerBench.block(ServerBench.push) + [0x1f, 8, 0x80 | UInt8(code.count)] + code
      bench.send(WireFrame(1, flags: 5, stream: stream, block))
    }
    let tokens = [1, 3, 5].map { bench.recorder.requests[Int32($0)]?.value("authorization") }
    #expect(tokens[0] == tokens[2])
    #expect(tokens[0] != nil && tokens[1] != nil && tokens[0] != tokens[1])
    #expect(bench.session.failure == HTTP2ErrorCode.compressionError)
  }

  @Test
  func `Streams are found after others were closed, in any order`() {
    var table = HTTP2StreamTable()
    var open: Set<Int32> = []
    var state: UInt64 = 3
    for round in 0..<4_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // Few distinct homes, so that the streams collide.
      let id = Int32(truncatingIfNeeded: (state >> 40 & 7) * 2_048 + (state >> 50 & 31) * 2 + 1)
      if let stream = table.find(id) {
        #expect(open.remove(id) != nil)
        table.remove(stream)
      } else {
        #expect(open.insert(id).inserted)
        table.insert(HTTP2Stream(id: id, sendWindow: Int32(round)))
      }
      if round % 50 == 0 { table.checkInvariants() }
    }
    #expect(Set(table.ids) == open)
  }

  @Test
  func `Streams that wait for a window do not accumulate after they are reset`() {
    let bench = ServerBench(.belfry)
    bench.begin()
    bench.send(ServerBench.request(1))
    bench.respond(1, 200, body: String(repeating: "x", count: 70_000))
    _ = bench.output()
    // The connection's window is used up, so the answers wait until the client resets their streams.
    for index in 1..<2_000 {
      let stream = Int32(2 * index + 1)
      bench.send(ServerBench.request(stream))
      bench.respond(stream, 400, body: "{}")
      bench.send(WireFrame(3, stream: stream, [0, 0, 0, 8]))
    }
    #expect(bench.session.openStreams == 1)
    bench.send(WireFrame(8, [0, 1, 0, 0]), WireFrame(8, stream: 1, [0, 1, 0, 0]))
    #expect(bench.output().last { $0.type == 0 }?.flags == 1)
    #expect(bench.session.openStreams == 0)
  }

  @Test(arguments: ["requests", "bytes", "strings", "references", "windows"])
  func `The cost of a byte does not grow with the input`(kind: String) {
    let ratio = CostGrowth.ratio(make: { Self.hostile(kind, $0) }) { pieces in
      let owner = Owner()
      owner.feed(ServerBench.preface + WireFrame(4).bytes)
      for piece in pieces { owner.feed(piece) }
    }
    #expect(ratio <= CostGrowth.most)
  }

  private static func hostile(_ kind: String, _ count: Int) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var bytes = 0
    var stream: Int32 = 1
    func add(_ piece: [UInt8]) {
      pieces.append(piece)
      bytes += piece.count
    }
    while bytes < count {
      switch kind {
      case "bytes": for byte in ServerBench.request(stream) { add([byte]) }
      case "strings":
        // A large string that arrives in small pieces.
        let string = [UInt8](repeating: 0x61, count: min(count, 15_000))
        let block = ServerBench.block(
          ServerBench.push + [("x", String(decoding: string, as: UTF8.self))])
        var rest = WireFrame(1, flags: 5, stream: stream, block).bytes[...]
        while !rest.isEmpty {
          add(Array(rest.prefix(64)))
          rest = rest.dropFirst(64)
        }
      case "references":
        // An entry, and references to it.
        let entry = [0x40, 1, 0x78, 100] + [UInt8](repeating: 0x61, count: 100)
        let block =
          ServerBench.block(ServerBench.push) + entry + [UInt8](repeating: 0xbe, count: 900)
        add(WireFrame(1, flags: 5, stream: stream, block).bytes)
      case "windows":
        add(
          ServerBench.request(stream) + WireFrame(8, [0, 0, 0, 1]).bytes
            + WireFrame(4, [0, 4, 0, 0, UInt8(stream & 0x7e), 1]).bytes)
      default: add(ServerBench.request(stream))
      }
      stream += 2
    }
    return pieces
  }
}
