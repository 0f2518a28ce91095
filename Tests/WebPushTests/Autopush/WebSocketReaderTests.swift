import Testing

@testable import WebPush

@Suite struct WebSocketReaderTests {
  private enum Outcome: Equatable {
    case event(WebSocketReader.Event)
    case fault(WebSocketCloseCode)
  }

  /// Reads bytes in pieces of a size, and returns the events and the fault.
  private func read(_ bytes: [UInt8], pieces: Int = .max, bytesMax: Int = 1_000) -> [Outcome] {
    var reader = WebSocketReader(messageBytesMax: bytesMax)
    var outcomes: [Outcome] = []
    var rest = bytes[...]
    do throws(WebSocketFault) {
      while !rest.isEmpty {
        var piece = rest.prefix(pieces)
        rest = rest.dropFirst(piece.count)
        while let event = try reader.next(&piece) { outcomes.append(.event(event)) }
        #expect(piece.isEmpty)
      }
    } catch {
      outcomes.append(.fault(error.code))
      #expect(reader.isEnded)
    }
    return outcomes
  }

  private func read(_ frames: [ClientFrame]) -> [Outcome] { read(frames.flatMap(\.bytes)) }

  private func text(_ text: String) -> Outcome { .event(.text(utf8(text))) }

  @Test func `the masked examples of RFC 6455 section 5_7 are read`() {
    #expect(read(hex("818537fa213d7f9f4d5158")) == [text("Hello")])
    #expect(read(hex("8a8537fa213d7f9f4d5158")) == [.event(.pong(utf8("Hello")))])
  }

  @Test func `the unmasked examples of RFC 6455 section 5_7 are written`() {
    var output: [UInt8] = []
    WebSocketFrame.append(.text, utf8("Hello"), to: &output)
    #expect(output == hex("810548656c6c6f"))
    output = []
    WebSocketFrame.append(.ping, utf8("Hello"), to: &output)
    #expect(output == hex("890548656c6c6f"))
    for (count, head) in [
      (125, "817d"), (126, "817e007e"), (256, "817e0100"), (65_535, "817effff"),
      (65_536, "817f0000000000010000"),
    ] {
      output = []
      WebSocketFrame.append(.text, [UInt8](repeating: 1, count: count), to: &output)
      #expect(Array(output.prefix(head.utf8.count / 2)) == hex(head))
      #expect(output.count == head.utf8.count / 2 + count)
    }
  }

  @Test func `a Close frame is written with its code, and its reason is cut off`() {
    var output: [UInt8] = []
    WebSocketFrame.appendClose(.staysAway, "caf\u{E9}", to: &output)
    #expect(output == hex("8807" + "12a6") + utf8("caf??"))
    output = []
    WebSocketFrame.appendClose(.normal, String(repeating: "x", count: 500), to: &output)
    #expect(output.count == 127)
  }

  @Test func `the events do not depend on the pieces in which the bytes arrive`() {
    let frames = [
      ClientFrame.text("{}"), ClientFrame(opcode: 0x1, payload: utf8("caf\u{C3}"), isFinal: false),
      .ping(utf8("p")), ClientFrame(opcode: 0x0, payload: [], isFinal: false),
      ClientFrame(opcode: 0xA, payload: []), ClientFrame(opcode: 0x0, payload: utf8("!")),
      .text(String(repeating: "y", count: 300)), .text(""), .close(1_000, "bye"),
    ]
    let expected: [Outcome] = [
      text("{}"), .event(.ping(utf8("p"))), .event(.pong([])), text("caf\u{C3}!"),
      text(String(repeating: "y", count: 300)), text(""), .event(.close(.normal)),
    ]
    let bytes = frames.flatMap(\.bytes)
    for pieces in [1, 2, 3, 5, 7, 64, 1_000] { #expect(read(bytes, pieces: pieces) == expected) }
  }

  @Test func `a character can be divided between two frames of a message`() {
    let first = ClientFrame(opcode: 0x1, payload: [0xC3], isFinal: false)
    #expect(read([first, ClientFrame(opcode: 0x0, payload: [0xA9])]) == [text("\u{E9}")])
  }

  @Test func `a violation of the protocol ends the connection with 1002`() {
    let start = ClientFrame(opcode: 0x1, payload: utf8("a"), isFinal: false)
    let long = [UInt8](repeating: 0, count: 126)
    let violations: [[ClientFrame]] = [
      [ClientFrame(opcode: 0x1, payload: utf8("a"), mask: nil)],
      [ClientFrame(opcode: 0x1, payload: utf8("a"), extensionBits: 0x40)],
      [ClientFrame(opcode: 0x9, payload: [], extensionBits: 0x20)],
      [ClientFrame(opcode: 0x1, payload: [], extensionBits: 0x10)],
      [ClientFrame(opcode: 0x3, payload: [])], [ClientFrame(opcode: 0xB, payload: [])],
      [ClientFrame(opcode: 0xF, payload: [])], [ClientFrame(opcode: 0x7, payload: [])],
      [ClientFrame(opcode: 0x9, payload: [], isFinal: false)],
      [ClientFrame(opcode: 0x8, payload: [], isFinal: false)],
      [ClientFrame(opcode: 0x9, payload: long)], [ClientFrame(opcode: 0x8, payload: long)],
      [ClientFrame(opcode: 0x0, payload: utf8("a"))], [start, start], [start, .text("b")],
      [start, ClientFrame(opcode: 0x0, payload: []), ClientFrame(opcode: 0x0, payload: [])],
      [ClientFrame(opcode: 0x1, payload: utf8("a"), lengthBytes: 2)],
      [ClientFrame(opcode: 0x1, payload: utf8("a"), lengthBytes: 8)],
      [ClientFrame(opcode: 0x1, payload: long, lengthBytes: 8)],
      [ClientFrame(opcode: 0x1, payload: [], announcedBytes: 1 << 63)],
      [ClientFrame(opcode: 0x8, payload: [3])], [.close(1_005)], [.close(1_006)], [.close(1_015)],
      [.close(999)], [.close(1_004)], [.close(2_999)], [.close(5_000)], [.close(0)],
    ]
    for (index, frames) in violations.enumerated() {
      #expect(read(frames).last == .fault(.protocolError), "violation \(index)")
    }
  }

  @Test func `each code that a client may send is read`() {
    for code in [1_000, 1_001, 1_003, 1_007, 1_011, 1_014, 3_000, 4_774, 4_999] as [UInt16] {
      #expect(read([.close(code)]) == [.event(.close(WebSocketCloseCode(rawValue: code)))])
    }
    #expect(read([ClientFrame(opcode: 0x8, payload: [])]) == [.event(.close(nil))])
  }

  @Test func `nothing after a Close frame is read`() {
    #expect(read([.close(1_000), .text("a")]) == [.event(.close(.normal))])
  }

  @Test func `binary data ends the connection with 1003 before it arrives`() {
    let head = ClientFrame(opcode: 0x2, payload: [], announcedBytes: 900).bytes.prefix(2)
    #expect(read(Array(head)) == [.fault(.unsupportedData)])
  }

  @Test func `text that is not UTF-8 ends the connection with 1007`() {
    for payload in [[0xC3], [0xFF], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]] {
      #expect(read([ClientFrame(opcode: 0x1, payload: payload)]) == [.fault(.invalidText)])
    }
    let close = ClientFrame(opcode: 0x8, payload: [0x03, 0xE8, 0xFF])
    #expect(read([close]) == [.fault(.invalidText)])
  }

  @Test func `a message of the maximum size is read, and a longer one ends with 1009`() {
    let most = String(repeating: "z", count: 1_000)
    #expect(read([.text(most)]) == [text(most)])
    #expect(read([.text(most + "z")]) == [.fault(.messageTooBig)])
    let half = [UInt8](repeating: 0x7A, count: 500)
    let first = ClientFrame(opcode: 0x1, payload: half, isFinal: false)
    #expect(read([first, ClientFrame(opcode: 0x0, payload: half)]) == [text(most)])
    #expect(
      read([first, ClientFrame(opcode: 0x0, payload: half + [0x7A])]) == [.fault(.messageTooBig)])
  }

  @Test func `a frame that is too long is refused before its payload arrives`() {
    for announced in [1_001, 65_536, 1 << 62] as [UInt64] {
      let head = ClientFrame(opcode: 0x1, payload: [], announcedBytes: announced)
      #expect(read([head]) == [.fault(.messageTooBig)])
    }
  }

  @Test func `a fault in the longest head leaves nothing behind`() throws {
    var reader = WebSocketReader(messageBytesMax: 1_000)
    let head = ClientFrame(opcode: 0x1, payload: [], announcedBytes: 1 << 40)
    var input = head.bytes[...]
    #expect(head.bytes.count == 14)
    #expect(throws: WebSocketFault.self) { () throws(WebSocketFault) in try reader.next(&input) }
    input = [1, 2, 3]
    #expect(try reader.next(&input) == nil)
    #expect(input.isEmpty)
    #expect(!reader.hasPartialMessage)
  }

  @Test func `a message is partial from its first byte to its last`() throws {
    var reader = WebSocketReader(messageBytesMax: 1_000)
    let first = ClientFrame(opcode: 0x1, payload: utf8("a"), isFinal: false).bytes
    let bytes = first + ClientFrame.ping().bytes + ClientFrame(opcode: 0x0, payload: [0x62]).bytes
    #expect(!reader.hasPartialMessage)
    for (index, byte) in bytes.enumerated() {
      var input = [byte][...]
      _ = try reader.next(&input)
      #expect(reader.hasPartialMessage == (index < bytes.count - 1), "byte \(index)")
    }
  }

  @Test func `a message of many small frames is read`() {
    var frames = [ClientFrame(opcode: 0x1, payload: [], isFinal: false)]
    for _ in 0..<2_000 {
      frames.append(ClientFrame(opcode: 0x0, payload: [], isFinal: false))
    }
    frames.append(ClientFrame(opcode: 0x0, payload: utf8("a")))
    #expect(read(frames) == [text("a")])
  }

  @Test func `arbitrary bytes end the connection or are read, but never trap`() {
    var generator = SeededGenerator(state: 30)
    for _ in 0..<300 {
      let count = Int.random(in: 0...200, using: &generator)
      _ = read(generator.bytes(count), pieces: Int.random(in: 1...20, using: &generator))
    }
  }
}
