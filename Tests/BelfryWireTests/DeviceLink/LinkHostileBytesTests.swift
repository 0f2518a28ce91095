import BelfryWire
import PushWire
import TestSupport
import Testing

/// Tests with bytes that a correct peer never sends.
///
/// Each input is refused for the documented reason, and no input causes a trap.
@Suite struct LinkHostileBytesTests {
  typealias Example = (name: String, bytes: [UInt8])
  static var examples: [Example] {
    LinkDocumentTests.examples.filter { $0.key != "unknown" && $0.key != "skippable" }
      .map { ($0.key, $0.value) }.sorted { $0.name < $1.name }
  }

  @Test func `every truncation is refused as truncated or is a shorter frame`() {
    // If the last part of a body is the payload, the chain, or the authorities, the body contains no length for it. The
    // frame's length determines its length.
    let open: Set<String> = ["notification", "broadcast", "enrolled", "renewed"]
    for (name, bytes) in Self.examples {
      let body = bytes.dropFirst(LinkLimits.headerBytes)
      for count in 0..<body.count {
        let outcome = Self.decode(type: bytes[2], Array(body.prefix(count)))
        if open.contains(name), case .success = outcome { continue }
        // The environment and the features are fields of a later version, so they can be absent.
        if ["welcome", "hello-renews"].contains(name), count == body.count - 1,
          case .success = outcome
        {
          continue
        }
        #expect(
          outcome == .failure(LinkFault(.truncated, frameType: bytes[2])),
          "\(name) truncated to \(count)"
        )
      }
    }
  }

  @Test func `bytes after the last field are refused save in the greetings`() {
    let open: Set<String> = [
      "notification", "broadcast", "enrolled", "hello", "hello-renews", "welcome",
    ]
    for (name, bytes) in Self.examples {
      let body = Array(bytes.dropFirst(LinkLimits.headerBytes)) + [0]
      let outcome = Self.decode(type: bytes[2], body)
      let expected: Result<Bool, LinkFault> =
        open.contains(name)
        ? .success(true)
        // In `renewed`, the additional byte is half of the length field of another authority.
        : .failure(
          LinkFault(name == "renewed" ? .truncated : .trailingBytes, frameType: bytes[2]))
      #expect(outcome == expected, "\(name)")
    }
  }

  @Test func `every change of every byte is a frame or a fault`() {
    for (_, bytes) in Self.examples {
      var changed = bytes
      for index in LinkLimits.headerBytes..<max(bytes.count, LinkLimits.headerBytes) {
        for value in UInt8.min...UInt8.max {
          changed[index] = value
          _ = Self.decode(type: bytes[2], Array(changed.dropFirst(LinkLimits.headerBytes)))
        }
        changed[index] = bytes[index]
      }
    }
  }

  @Test(arguments: [
    ("hello window 0", 0x01, "0101000000000000", LinkCloseReason.badValue),
    ("hello versions crossed", 0x01, "020100004000000000", .badValue),
    ("hello version 0", 0x01, "000100004000000000", .badValue),
    ("welcome interval 0", 0x02, "010400000000000000000000000000000000000000", .badValue),
    ("enroll key of 0 bytes", 0x03, "0000", .badValue),
    ("enroll key of 257 bytes", 0x03, "0101", .badValue),
    ("register kind 0", 0x10, "0001000161", .badValue),
    ("register kind 12", 0x10, "00010c0161", .badValue),
    ("register empty bundle id", 0x10, "00010100", .badValue),
    ("register bundle id with a line end", 0x10, "0001010261" + "0a", .badValue),
    ("register bundle id of broken UTF-8", 0x10, "00010102c328", .badValue),
    ("token of 0 bytes", 0x11, "00010000000100", .badValue),
    ("token of 101 bytes", 0x11, "00010000000165", .badValue),
    ("channel of 0 bytes", 0x16, "0001016100", .badValue),
    ("channel of 65 bytes", 0x16, "0001016141", .badValue),
    ("reconnect with a host of 254 bytes", 0x38, "0000000000000000fe", .badValue),
    ("type 0", 0x00, "", .unknownFrame),
    ("type 0x7f", 0x7F, "", .unknownFrame),
  ])
  func `values outside their range are refused`(
    _ name: String, type: Int, body: String, reason: LinkCloseReason
  ) {
    let expected: Result<Bool, LinkFault> = .failure(
      LinkFault(name == "hello window 0" ? .truncated : reason, frameType: UInt8(type)))
    #expect(Self.decode(type: UInt8(type), Hexadecimal.decode(body) ?? []) == expected, "\(name)")
  }

  @Test func `a notification outside the limits is refused by both codecs`() throws {
    let example = try #require(LinkDocumentTests.examples["notification"])
    var body = Array(example.dropFirst(LinkLimits.headerBytes))
    // The first four bytes are the delivery number, which counts from 1.
    let numbered = [0, 0, 0, 0] + body[4...]
    #expect(Self.decode(type: 0x20, numbered) == .failure(LinkFault(.badValue, frameType: 0x20)))
    body[57] = 7
    #expect(Self.decode(type: 0x20, body) == .failure(LinkFault(.badValue, frameType: 0x20)))
    body[57] = 10
    body[59] = 65
    #expect(Self.decode(type: 0x20, body) == .failure(LinkFault(.badValue, frameType: 0x20)))
    body[59] = 5
    body += [UInt8](repeating: 0x20, count: LinkLimits.payloadBytesMax)
    #expect(Self.decode(type: 0x20, body) == .failure(LinkFault(.oversize, frameType: 0x20)))
    let pair = LinkPair.up()
    let largest = String(repeating: "x", count: LinkLimits.payloadBytesMax)
    #expect(pair.deliver(1, payload: largest))
    #expect(!pair.deliver(2, payload: largest + "x"))
    pair.exchange()
    #expect(pair.received.map(\.payload.count) == [LinkLimits.payloadBytesMax])
  }

  @Test(arguments: [
    "123e4567-e89b-12d3-a456-42661417400f", "123E4567-E89B-12D3-A456-42661417400F",
  ])
  func `an id reads on the device as its provider wrote it`(text: String) throws {
    let read = NotificationID(Array(text.utf8).span)
    let id = try #require(read)
    let frame = LinkFrame.notification(
      LinkNotification(
        delivery: 1, handle: 1, id: id, uniqueID: id, acceptedMilliseconds: 0, expiration: 0,
        isFromStorage: false, priority: 10, pushTypeCode: 1, collapseID: [], payload: [])
    ).encoded
    try frame.withUnsafeBytes { raw in
      let body = UnsafeRawBufferPointer(rebasing: raw[LinkLimits.headerBytes...])
      guard case .notification(let decoded) = try LinkFrame(type: raw[2], body: body) else {
        Issue.record("not a notification")
        return
      }
      #expect(decoded.id.text == text)
      #expect(!decoded.isFromStorage)
    }
  }

  @Test func `a splitter gives the same frames however the bytes arrive`() throws {
    var stream: [UInt8] = []
    for (_, bytes) in Self.examples { stream += bytes }
    stream += try #require(LinkDocumentTests.examples["skippable"])
    let whole = try Self.split(stream, by: stream.count)
    #expect(whole.count == Self.examples.count + 1)
    for size in 1...70 { #expect(try Self.split(stream, by: size) == whole, "\(size)") }
  }

  @Test func `a splitter returns a frame with the largest body`() throws {
    let bytes: [UInt8] = [0x04, 0x00, 0x31] + [UInt8](repeating: 7, count: 1_024)
    var splitter = LinkFrameSplitter(bodyBytesMax: 1_024)
    try bytes.withUnsafeBytes { raw in
      var input = raw
      let frame = try #require(try splitter.next(&input))
      #expect(frame.body.count == 1_024 && input.isEmpty)
    }
  }

  @Test func `a splitter holds nothing between frames and refuses a long one before its body`()
    throws
  {
    var splitter = LinkFrameSplitter(bodyBytesMax: 1_024)
    let header: [UInt8] = [0x04, 0x01, 0x31]
    #expect(throws: LinkFault(.oversize, frameType: 0x31)) {
      try header.withUnsafeBytes { raw in
        var input = raw
        _ = try splitter.next(&input)
      }
    }
    var other = LinkFrameSplitter(bodyBytesMax: 1_024)
    let pieces: [[UInt8]] = [[0, 4, 0x31, 1], [2, 3, 4], []]
    var held: [Int] = []
    for piece in pieces {
      try piece.withUnsafeBytes { raw in
        var input = raw
        while try other.next(&input) != nil {}
      }
      held.append(other.heldBytes)
    }
    #expect(held == [4, 0, 0])
  }

  @Test func `every frame in every phase is handled or closes the link with its reason`() {
    for (name, bytes) in Self.examples {
      for phase in 0..<3 {
        let pair = phase == 2 ? LinkPair.up() : LinkPair()
        if phase == 1 {
          pair.toServer = LinkFrame.hello(LinkFrame.Hello(state: [], window: 1)).encoded
          pair.exchange()
        }
        pair.serverActions = []
        pair.toServer = bytes
        pair.feedServer()
        let allowed: Set<String>
        switch phase {
        case 0: allowed = ["hello", "hello-renews", "close"]
        case 1: allowed = ["connect", "close"]
        default:
          allowed = [
            "register", "unregister", "disable", "enable", "subscribe", "unsubscribe", "state",
            "ping", "pong", "close",
          ]
        }
        let reason: LinkCloseReason =
          phase == 2 && (name == "ack" || name == "discard")
          ? .badAcknowledgement : .unexpectedFrame
        let close = DeviceLinkServer.Action.close(LinkFault(reason, frameType: bytes[2]))
        #expect(
          pair.serverActions.contains("\(close)") == !allowed.contains(name), "\(name) in \(phase)")
        #expect(pair.isServerClosed == (!allowed.contains(name) || name == "close"))
      }
    }
  }

  @Test func `random bytes and random frames trap neither end`() {
    var random = SeededGenerator(seed: 20_261_121)
    for round in 0..<2_000 {
      let pair = LinkPair.up()
      for number in 1...3 { _ = pair.deliver(UInt64(number)) }
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        if round.isMultiple(of: 2), let example = Self.examples.randomElement(using: &random) {
          var frame = example.bytes
          if Bool.random(using: &random) {
            let index = Int.random(in: 0..<frame.count, using: &random)
            frame[index] = UInt8.random(in: 0...255, using: &random)
          }
          bytes += frame
        } else {
          bytes += (0..<Int.random(in: 0...40, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
          }
        }
      }
      if Bool.random(using: &random) { pair.toServer = bytes } else { pair.toClient += bytes }
      pair.exchange()
      pair.advance(seconds: 100)
    }
  }

  @Test func `one notification costs no allocation on the gateways side`() {
    let pair = LinkPair.up()
    var output: [UInt8] = []
    output.reserveCapacity(16_384)
    let payload = [UInt8](repeating: 0x61, count: 1_000)
    var number: UInt32 = 0
    let collapseID = [UInt8](repeating: 0x62, count: 9)
    expectAllocations(atMost: 0) {
      number += 1
      output.removeAll(keepingCapacity: true)
      let notification = LinkNotification(
        handle: 1, id: NotificationID(high: 1, low: 2),
        uniqueID: NotificationID(high: 3, low: UInt64(number)), acceptedMilliseconds: 1,
        expiration: 2, isFromStorage: false, priority: 10, pushTypeCode: 1,
        collapseID: collapseID, payload: payload)
      _ = pair.server.deliver(notification, reference: 1, at: pair.now, output: &output)
      let through = number.bigEndian
      withUnsafeTemporaryAllocation(byteCount: 7, alignment: 4) { ack in
        ack[0] = 0
        ack[1] = 4
        ack[2] = LinkFrameType.acknowledge.rawValue
        ack.storeBytes(of: through, toByteOffset: 3, as: UInt32.self)
        var input = UnsafeRawBufferPointer(ack)
        while pair.server.next(&input, at: pair.now, output: &output) != nil {
          while pair.server.takeSettled() != nil {}
        }
      }
    }
    #expect(number == 1_001)
    #expect(pair.server.unsettled == 0)
  }

  static func decode(type: UInt8, _ body: [UInt8]) -> Result<Bool, LinkFault> {
    body.withUnsafeBytes { raw in
      do throws(LinkFault) {
        return .success(try LinkFrame(type: type, body: raw) != nil)
      } catch {
        return .failure(error)
      }
    }
  }

  static func split(_ stream: [UInt8], by size: Int) throws -> [[UInt8]] {
    var splitter = LinkFrameSplitter(bodyBytesMax: LinkLimits.gatewayBodyBytesMax)
    var frames: [[UInt8]] = []
    for start in stride(from: 0, to: stream.count, by: size) {
      try Array(stream[start..<min(start + size, stream.count)]).withUnsafeBytes { raw in
        var input = raw
        while let frame = try splitter.next(&input) { frames.append([frame.type] + frame.body) }
      }
    }
    return frames
  }
}
