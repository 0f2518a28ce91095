import PushWire
import Testing

@Suite struct BinaryFrameTests {
  private static let token = [UInt8](repeating: 0xAB, count: 32)
  private static let payload = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)

  private func simple(token: [UInt8] = token, payload: [UInt8] = payload) -> [UInt8] {
    [0, 0, UInt8(token.count)] + token + [UInt8(payload.count >> 8), UInt8(payload.count & 255)]
      + payload
  }

  private func enhanced(_ identifier: UInt8) -> [UInt8] {
    [1, 0, 0, 0, identifier, 0x7F, 0, 0, 0] + simple().dropFirst()
  }

  private func item(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
    [number, UInt8(value.count >> 8), UInt8(value.count & 255)] + value
  }

  private func framed(_ items: [[UInt8]]) -> [UInt8] {
    let data = items.flatMap { $0 }
    return [2, 0, 0, UInt8(data.count >> 8), UInt8(data.count & 255)] + data
  }

  private func outcomes(_ bytes: [UInt8], slice: Int = .max) -> [BinaryFrameParser.Outcome] {
    var parser = BinaryFrameParser()
    var outcomes: [BinaryFrameParser.Outcome] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(slice))
      rest = rest.dropFirst(part.count)
      parser.append(part.span)
      reading: while true {
        let outcome = parser.next()
        switch outcome {
        case .incomplete: break reading
        case .fault: return outcomes + [outcome]
        case .notification: outcomes.append(outcome)
        }
      }
    }
    return outcomes
  }

  private var expected: BinaryNotification {
    var notification = BinaryNotification()
    notification.token = Self.token
    notification.payload = Self.payload
    return notification
  }

  @Test func `L01 L02 L03 the three commands are understood`() {
    var second = expected
    second.identifier = 7
    second.expiration = 0x7F00_0000
    var third = second
    third.priority = 5
    let frame = framed([
      item(1, Self.token), item(2, Self.payload), item(3, [0, 0, 0, 7]),
      item(4, [0x7F, 0, 0, 0]), item(5, [5]),
    ])
    #expect(
      outcomes(simple() + enhanced(7) + frame)
        == [.notification(expected), .notification(second), .notification(third)])
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func `any slices of the stream give the same frames`(slice: Int) {
    let stream = simple() + enhanced(1) + framed([item(3, [0, 0, 0, 2]), item(1, Self.token)])
    #expect(outcomes(stream, slice: slice) == outcomes(stream))
    #expect(outcomes(stream).count == 3)
  }

  @Test func `L15 an unknown command is a protocol error`() {
    #expect(outcomes([7, 0, 0]) == [.fault(.protocolError, identifier: 0)])
    #expect(BinaryStatus.protocolError.packet(identifier: 0) == [8, 128, 0, 0, 0, 0])
  }

  @Test func `a malformed frame is reported with its identifier, wherever the identifier is`() {
    let broken = [
      framed([item(1, Self.token), item(1, Self.token), item(3, [0, 0, 0, 9])]),
      framed([item(5, [7]), item(3, [0, 0, 0, 9])]),
      framed([item(4, [1]), item(3, [0, 0, 0, 9])]),
      framed([item(3, [0, 0, 0, 9]), [2, 0]]),
    ]
    for frame in broken {
      #expect(outcomes(frame) == [.fault(.protocolError, identifier: 9)])
    }
  }

  @Test func `Sizes are judged token first`() {
    func fault(token: Int, payload: Int) -> BinaryStatus? {
      var notification = BinaryNotification()
      notification.token = [UInt8](repeating: 1, count: token)
      notification.payload = [UInt8](repeating: 1, count: payload)
      return notification.sizeFault
    }
    #expect(fault(token: 0, payload: 0) == .missingDeviceToken)
    #expect(fault(token: 1, payload: 1) == .invalidTokenSize)
    #expect(fault(token: 32, payload: 0) == .missingPayload)
    #expect(fault(token: 32, payload: 2_048) == nil)
    #expect(fault(token: 32, payload: 2_049) == .invalidPayloadSize)
  }

  @Test func `A payload of 2,048 bytes is taken with each of the commands, a longer one with none`()
  {
    for (count, fault) in [(256, nil), (257, nil), (2_048, nil), (2_049, .invalidPayloadSize)]
      as [(Int, BinaryStatus?)]
    {
      let payload = [UInt8](repeating: 0x20, count: count)
      let old = simple(payload: payload)
      let stream =
        old + [1, 0, 0, 0, 7, 0x7F, 0, 0, 0] + old.dropFirst()
        + framed([item(1, Self.token), item(2, payload)])
      let faults = outcomes(stream).compactMap { outcome -> BinaryStatus?? in
        if case .notification(let notification) = outcome {
          .some(notification.sizeFault)
        } else {
          nil
        }
      }
      // S1-34 part 2 of 2: each command of the binary interface
      #expect(faults == [fault, fault, fault], "\(count) bytes")
    }
  }

  @Test func `arbitrary bytes never trap`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let count = Int.random(in: 1...60, using: &random)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes[0] = UInt8.random(in: 0...3, using: &random)
      _ = outcomes(bytes, slice: Int.random(in: 1...9, using: &random))
    }
  }

  @Test func `M01 a feedback tuple has 38 bytes`() {
    let tuple = FeedbackTuple(seconds: 0x6553_F100, token: Self.token)
    #expect(tuple.bytes == [0x65, 0x53, 0xF1, 0x00, 0, 32] + Self.token)
  }
}
