import AppWire
import Testing

@Suite("Frames of the app link")
struct AppFrameTests {
  @Test
  func `a frame is two lengths, JSON and the attached bytes`() {
    let frame = AppFrame(["a": 1], attached: [0xFF, 0xFE])
    #expect(
      frame.encoded == [0, 0, 0, 13, 0, 0, 0, 7] + Array(#"{"a":1}"#.utf8) + [0xFF, 0xFE])
  }

  @Test
  func `frames are found however the stream is cut`() throws {
    let frames = [
      AppFrame(["a": 1]), AppFrame([:], attached: [1, 2, 3]), AppFrame(["b": ["c": "é"]]),
    ]
    let stream = frames.flatMap(\.encoded)
    for size in 1...stream.count {
      var decoder = AppFrameDecoder(limit: 1_000)
      var found: [AppFrame] = []
      var start = 0
      while start < stream.count {
        decoder.append(stream[start..<min(start + size, stream.count)])
        while let frame = try decoder.next() { found.append(frame) }
        start += size
      }
      #expect(found == frames)
      #expect(decoder.isAtFrameStart)
    }
  }

  @Test(
    arguments: [
      ([0, 1, 0, 0], AppFrameFailure.tooLong(bytes: 65_536, limit: 1_000)),
      ([0, 0, 0, 3, 0, 0, 0], .badLength),
      ([0, 0, 0, 6, 0, 0, 0, 3, 0x7B, 0x7D], .badLength),
      ([0, 0, 0, 6, 0, 0, 0, 2, 0x7B, 0x7B], .badJSON(.endedEarly)),
      ([0, 0, 0, 6, 0, 0, 0, 2, 0x5B, 0x5D], .notAnObject),
    ] as [([UInt8], AppFrameFailure)])
  func `wrong lengths and wrong JSON end the stream with their reason`(
    bytes: [UInt8], failure: AppFrameFailure
  ) {
    var decoder = AppFrameDecoder(limit: 1_000)
    decoder.append(bytes)
    if case .badJSON = failure {
      #expect(throws: AppFrameFailure.self) { try decoder.next() }
    } else {
      #expect(throws: failure) { try decoder.next() }
    }
  }
}
