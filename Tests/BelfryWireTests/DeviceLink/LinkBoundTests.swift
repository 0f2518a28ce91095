import Testing

@testable import PushWire

/// Tests of the values at and just beyond the link's limits.
@Suite struct LinkBoundTests {
  private func decoded(_ type: LinkFrameType, _ body: [UInt8]) throws -> LinkFrame? {
    try body.withUnsafeBytes { try LinkFrame(type: type.rawValue, body: $0) }
  }

  private func body(of frame: LinkFrame) -> [UInt8] {
    var bytes: [UInt8] = []
    frame.encode(to: &bytes)
    return Array(bytes.dropFirst(LinkLimits.headerBytes))
  }

  private func notification(collapseBytes: Int = 0, lowercase: Bool = false) -> LinkNotification {
    LinkNotification(
      handle: 1, id: NotificationID(high: 0xABCD, low: 4, isLowercase: lowercase),
      uniqueID: NotificationID(high: 1, low: 2), acceptedMilliseconds: 5, expiration: 6,
      isFromStorage: false, priority: 10, pushTypeCode: 1,
      collapseID: [UInt8](repeating: 0x61, count: collapseBytes), payload: [0x7B, 0x7D])
  }

  @Test
  func `deliveries that were never sent cannot be acknowledged or discarded`() {
    var deliveries = DeliveriesInFlight()
    deliveries.append(7)
    let refusesAcknowledgement = !deliveries.acknowledge(through: 2)
    let discarded = deliveries.takeDiscarded(2)
    #expect(refusesAcknowledgement)
    #expect(discarded == nil)
    deliveries.checkInvariants()
  }

  @Test
  func `an acknowledged delivery cannot be discarded before it is settled`() {
    var deliveries = DeliveriesInFlight()
    for reference in 7...8 as ClosedRange<UInt64> { deliveries.append(reference) }
    let isAcknowledged = deliveries.acknowledge(through: 1)
    let first = deliveries.takeDiscarded(1)
    let second = deliveries.takeDiscarded(2)
    let settled = deliveries.takeAcknowledged()
    #expect(isAcknowledged)
    #expect(first == nil)
    #expect(second == 8)
    #expect(settled == 7)
    deliveries.checkInvariants()
  }

  @Test
  func `deliveries are settled in order, even if one is always in flight`() {
    var deliveries = DeliveriesInFlight()
    deliveries.append(1)
    for number in 2...1_000 as ClosedRange<UInt64> {
      deliveries.append(number)
      let isAcknowledged = deliveries.acknowledge(through: UInt32(number - 1))
      let settled = deliveries.takeAcknowledged()
      let next = deliveries.takeAcknowledged()
      let count = deliveries.count
      #expect(isAcknowledged && count == 1)
      #expect(settled == number - 1)
      #expect(next == nil)
      deliveries.checkInvariants()
    }
  }

  @Test
  func `greetings may be longer than they are known, and no other frame`() throws {
    let hello = LinkFrame.Hello(state: DeviceState(rawValue: 0), window: 1)
    let greeting = body(of: .hello(hello))
    #expect(try decoded(.hello, greeting + [0]) == .hello(hello))
    #expect(throws: LinkFault.self) { try decoded(.ping, body(of: .ping(1)) + [0]) }
  }

  @Test
  func `a greeting of version 0, or without a window, is refused`() throws {
    let greeting = body(of: .hello(.init(state: DeviceState(rawValue: 0), window: 1)))
    var version = greeting
    version[0] = 0
    #expect(throws: LinkFault.self) { try decoded(.hello, version) }
    var window = greeting
    (window[3], window[4]) = (0, 0)
    #expect(throws: LinkFault.self) { try decoded(.hello, window) }
    // The first byte is the version. The interval follows the version and the maximum body size.
    let welcome: [UInt8] = [1, 32, 0, 0, 60] + [UInt8](repeating: 7, count: 16)
    #expect(try decoded(.welcome, welcome) != nil)
    #expect(throws: LinkFault.self) { try decoded(.welcome, [0] + welcome.dropFirst()) }
    #expect(throws: LinkFault.self) {
      try decoded(.welcome, Array(welcome[..<3]) + [0, 0] + welcome[5...])
    }
  }

  @Test
  func `a collapse id of the longest is taken, and the case of an id is kept`() throws {
    for lowercase in [true, false] {
      var sent = notification(
        collapseBytes: LinkLimits.collapseIDBytesMax, lowercase: lowercase)
      sent.delivery = 1
      guard
        case .notification(let read)? = try decoded(
          .notification, body(of: .notification(sent)))
      else {
        Issue.record("not a notification")
        return
      }
      #expect(read == sent)
      #expect(read.id.text == sent.id.text)
      #expect((read.id.text == read.id.text.lowercased()) == lowercase)
    }
    var output: [UInt8] = []
    let long = notification(collapseBytes: LinkLimits.collapseIDBytesMax + 1)
    #expect(!long.encode(to: &output))
    #expect(output.isEmpty)
  }

  @Test
  func `a renewed certificate is well formed if a frame can contain it with its authorities`() {
    func renewed(_ certificateBytes: Int, _ authorityBytes: [Int]) -> LinkFrame.Renewed {
      LinkFrame.Renewed(
        certificate: [UInt8](repeating: 1, count: certificateBytes),
        authorities: authorityBytes.map { [UInt8](repeating: 2, count: $0) })
    }
    // Each length has two bytes.
    let largest = LinkLimits.gatewayBodyBytesMax - 2 - 2 - 3
    for value in [renewed(largest, [3]), renewed(1, [2]), renewed(1, [2, 3, 4, 5])] {
      #expect(value.isWellFormed)
      #expect(value.bodyBytes == body(of: .renewed(value)).count)
    }
    for value in [
      renewed(largest + 1, [3]), renewed(0, [2]), renewed(1, []), renewed(1, [2, 0]),
      renewed(1, [2, 3, 4, 5, 6]),
    ] {
      #expect(!value.isWellFormed, "\(value.bodyBytes) bytes")
    }
  }

  @Test
  func `a full memory of ids forgets the oldest first, again and again`() {
    var memory = ReceivedMemory(capacity: 3)
    for number in 1...11 as ClosedRange<UInt64> {
      memory.insert(NotificationID(high: 0, low: number))
      memory.checkInvariants()
      let expected = (max(1, Int(number) - 2)...Int(number)).map { UInt64($0) }
      #expect(memory.ids.map(\.low) == expected)
    }
  }

  @Test
  func `a device fails as often as it may`() {
    var pause = ReconnectPause()
    for _ in 0..<600 { #expect(pause.next(random: 1) <= pause.most) }
  }

  @Test
  func `only tryLater and tooMany are temporary refusals`() {
    let temporary = LinkEnrollmentRefusal.all.filter(\.isTemporary)
    #expect(Set(temporary) == [.tryLater, .tooMany])
  }

  @Test
  func `the reason for a wrong code says if the device has no code`() {
    #expect(LinkEnrollmentRefusal.wrongCode.reason(hasCode: true) == "wrong code")
    #expect(LinkEnrollmentRefusal.wrongCode.reason(hasCode: false) == "no code given")
    #expect(LinkEnrollmentRefusal.badKey.reason(hasCode: false) == "bad key")
  }

  @Test
  func `a frame is the same in pieces of every size`() throws {
    var bytes: [UInt8] = []
    for number in 1...3 as ClosedRange<UInt32> { LinkFrame.ping(number).encode(to: &bytes) }
    for size in 1...bytes.count {
      var splitter = LinkFrameSplitter(bodyBytesMax: 64)
      var read: [LinkFrame?] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Array(bytes[start..<min(bytes.count, start + size)])
        try piece.withUnsafeBytes { piece in
          var input = piece
          while let frame = try splitter.next(&input) {
            read.append(try LinkFrame(type: frame.type, body: frame.body))
          }
        }
      }
      #expect(read == [.ping(1), .ping(2), .ping(3)], "pieces of \(size)")
    }
  }

  @Test func `a device has as many open requests as it may, and no more`() {
    func register(_ numbers: ClosedRange<UInt16>) -> [UInt8] {
      numbers.flatMap { LinkFrame.topic(.register, request: $0, LinkPair.topic).encoded }
    }
    let pair = LinkPair()
    pair.serverSettings.requestsMax = 2
    _ = pair.client.goOnline()
    pair.open()
    pair.exchange()
    for number: UInt16 in 1...5 {
      pair.toServer = register(number...number)
      pair.feedServer()
    }
    #expect(!pair.isServerClosed, "an answered request is no longer open")
    var actions: [DeviceLinkServer.Action] = []
    register(6...8).withUnsafeBytes { raw in
      var input = raw
      while let action = pair.server.next(&input, at: pair.now, output: &pair.toClient) {
        actions.append(action)
      }
    }
    #expect(actions.count == 3)
    #expect(actions.last == .close(LinkFault(.tooManyRequests, frameType: 0x10)))
  }

  @Test func `a delivery whose number is not the next ends the link`() {
    for number: UInt32 in [0, 2] {
      let pair = LinkPair.up()
      var sent = notification()
      sent.delivery = number
      pair.toClient = LinkFrame.notification(sent).encoded
      pair.feedClient()
      #expect(pair.received.isEmpty)
      let fault = LinkFault(.badValue, frameType: 0x20)
      #expect(pair.clientActions.last == "\(DeviceLinkClient.Action.disconnect(fault))")
    }
  }

  @Test func `a proof signs each field preceded by its length`() {
    let enrollment = LinkFrame.Enrollment(
      publicKey: [UInt8](repeating: 0x30, count: 0x102), proof: [], code: "K7", name: "")
    let nonce = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] as [UInt8]
    let label = Array("belfry-link/1 enrol".utf8) + [0]
    let id = NotificationID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
    #expect(
      enrollment.signedBytes(nonce: id)
        == label + nonce + [1, 2] + enrollment.publicKey + [0, 2, 0x4B, 0x37, 0, 0])
  }

  @Test
  func `a device that is asked to leave learns the deadline and acknowledges deliveries at once`() {
    let pair = LinkPair.up()
    let hint = LinkFrame.ReconnectHint(afterMilliseconds: 5, jitterMilliseconds: 6)
    _ = pair.server.drain(hint: hint, milliseconds: 500, at: pair.now, output: &pair.toClient)
    let draining = LinkFrame.draining(milliseconds: 500).encoded
    #expect(pair.toClient == draining + LinkFrame.reconnect(hint).encoded)
    let other = LinkPair.up()
    _ = other.deliver(1)
    other.toClient += draining
    other.exchange()
    #expect(other.settled == [1])
  }
}
