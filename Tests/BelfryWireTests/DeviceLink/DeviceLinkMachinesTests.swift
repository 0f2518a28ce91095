import PushWire
import Testing

/// Tests of both ends of the link, connected to each other (`docs/device-link.md` 3).
@Suite struct DeviceLinkMachinesTests {
  /// A regression test for a fault that `make simulate` found: the device kept the topic forever.
  @Test func `a switch of a topic that is not wanted is forgotten once it was heard`() {
    let pair = LinkPair.up()
    let other = LinkTopic(bundleID: "com.example.other")
    pair.client.setEnabled(true, other, at: pair.now, output: &pair.toServer)
    pair.exchange()
    #expect(pair.clientActions.last?.hasPrefix("switched") == true)
    #expect(pair.client.wanted == [.topic(LinkPair.topic)])
    pair.client.checkInvariants()
  }

  @Test func `a device with a certificate is up and registered after one flight each way`() {
    let pair = LinkPair()
    pair.client.register(.topic(LinkPair.topic), at: pair.now, output: &pair.toServer)
    #expect(pair.toServer.isEmpty)
    #expect(pair.client.goOnline() == .connect(host: "", port: 0))
    pair.open()
    pair.feedServer()
    pair.feedClient()
    #expect(pair.isUp)
    #expect(pair.toServer.isEmpty)
    #expect(pair.server.freeWindow == 64)
    #expect(
      pair.clientActions == [
        "connected(device: 42, unixMilliseconds: 1700000000000)",
        "\(DeviceLinkClient.Action.registered(.topic(LinkPair.topic), token: LinkPair.token))",
      ])
  }

  @Test func `an unenrolled device enrolls and reconnects at once`() throws {
    let enrollment = LinkFrame.Enrollment(publicKey: [1, 2], proof: [], code: "code", name: "name")
    let pair = LinkPair(peer: .unenrolled, enrollment: enrollment)
    _ = pair.client.goOnline()
    pair.open(peer: .unenrolled)
    pair.exchange()
    let signed = enrollment.signedBytes(nonce: NotificationID(high: 1, low: 2))
    #expect(pair.clientActions == ["\(DeviceLinkClient.Action.sign(signed))"])
    pair.client.signed([UInt8](repeating: 5, count: 64), at: pair.now, output: &pair.toServer)
    pair.exchange()
    var expected = enrollment
    expected.proof = [UInt8](repeating: 5, count: 64)
    #expect(
      pair.serverActions == [
        "\(DeviceLinkServer.Action.enroll(expected, signedBytes: signed))"
      ])
    let action = pair.server.answerEnrollment(
      .enrolled(device: 9, chainPEM: [1, 2, 3]), output: &pair.toClient)
    #expect(action == .close(LinkFault(.enrolled)))
    pair.exchange()
    #expect(
      pair.clientActions.suffix(2) == [
        "enrolled(device: 9, chainPEM: [1, 2, 3])",
        "\(DeviceLinkClient.Action.disconnect(LinkFault(.enrolled)))",
      ])
    pair.lose()
    #expect(pair.client.deadline == pair.now)
    #expect(
      pair.client.timerFired(at: pair.now, output: &pair.toServer) == .connect(host: "", port: 0))
  }

  @Test func `an enrollment whose certificate cannot be used is tried again, more and more seldom`()
  {
    let enrollment = LinkFrame.Enrollment(publicKey: [1], proof: [], code: "x", name: "")
    let pair = LinkPair(peer: .unenrolled, enrollment: enrollment)
    _ = pair.client.goOnline()
    var pauses: [Int64] = []
    for _ in 0..<5 {
      pair.open(peer: .unenrolled)
      pair.exchange()
      pair.client.signed(
        [UInt8](repeating: 5, count: LinkLimits.proofBytes), at: pair.now, output: &pair.toServer)
      pair.feedServer()
      let frame = LinkFrame.enrolled(device: 9, chainPEM: [])
      var bytes: [UInt8] = []
      frame.encode(to: &bytes)
      var action: DeviceLinkClient.Action?
      bytes.withUnsafeBytes { raw in
        var input = raw
        action = pair.client.next(&input, at: pair.now, output: &pair.toServer)
      }
      #expect(action == .enrolled(device: 9, chainPEM: []))
      let failed = pair.client.enrollmentFailed(enrollment, at: pair.now, output: &pair.toServer)
      let fault = LinkFault(.badValue, frameType: LinkFrameType.enrolled.rawValue)
      #expect(failed == .disconnect(fault))
      pair.client.lost(at: pair.now, random: .max)
      let isWaiting = pair.client.isWaiting
      #expect(isWaiting)
      pauses.append(pair.client.deadline - pair.now)
      pair.now = pair.client.deadline
      let next = pair.client.timerFired(at: pair.now, output: &pair.toServer)
      #expect(next == .connect(host: "", port: 0))
    }
    #expect(pauses[0] > 0 && pauses[4] >= pauses[0] * 8, "\(pauses)")
  }

  @Test func `a refused enrollment is not tried again`() {
    let enrollment = LinkFrame.Enrollment(publicKey: [1], proof: [], code: "x", name: "")
    let pair = LinkPair(peer: .unenrolled, enrollment: enrollment)
    _ = pair.client.goOnline()
    pair.open(peer: .unenrolled)
    pair.exchange()
    pair.client.signed([UInt8](repeating: 5, count: 64), at: pair.now, output: &pair.toServer)
    pair.exchange()
    _ = pair.server.answerEnrollment(.refused(.wrongCode), output: &pair.toClient)
    pair.exchange()
    pair.lose()
    #expect(pair.isStopped)
    #expect(pair.client.deadline == .max)
  }

  @Test func `connect without a certificate is refused`() {
    let pair = LinkPair()
    _ = pair.client.goOnline()
    pair.open(peer: .unenrolled)
    pair.exchange()
    #expect(pair.isServerClosed)
    #expect(
      pair.serverActions == [
        "\(DeviceLinkServer.Action.close(LinkFault(.certificateRequired, frameType: 6)))"
      ])
  }

  @Test func `notifications are handed out in order and acknowledged together`() {
    let pair = LinkPair.up()
    for number in 1...3 { #expect(pair.deliver(UInt64(number), payload: "{\"n\":\(number)}")) }
    #expect(pair.server.unsettled == 3)
    pair.exchange()
    #expect(
      pair.received.map { String(decoding: $0.payload, as: UTF8.self) } == [
        "{\"n\":1}", "{\"n\":2}", "{\"n\":3}",
      ])
    #expect(pair.settled.isEmpty)
    pair.advance(seconds: 0.2)
    #expect(pair.settled == [1, 2, 3])
    #expect(pair.server.unsettled == 0)
  }

  @Test func `an acknowledgement covers nothing that is not kept`() {
    let pair = LinkPair.up()
    pair.persistsAtOnce = false
    for number in 1...3 { _ = pair.deliver(UInt64(number)) }
    pair.exchange()
    pair.client.onPersisted(NotificationID(high: 8, low: 2), at: pair.now)
    pair.advance(seconds: 1)
    #expect(pair.settled.isEmpty)
    pair.client.onPersisted(NotificationID(high: 8, low: 1), at: pair.now)
    pair.advance(seconds: 1)
    #expect(pair.settled == [1, 2])
  }

  @Test func `the window holds back and reopens with the acknowledgement`() {
    var settings = DeviceLinkClient.Settings()
    settings.window = 4
    let pair = LinkPair.up(settings: settings)
    for number in 1...4 { #expect(pair.deliver(UInt64(number))) }
    #expect(!pair.deliver(5))
    #expect(pair.server.freeWindow == 0)
    pair.exchange()
    #expect(pair.settled == [1, 2, 3, 4])
    #expect(pair.deliver(5))
  }

  @Test func `a device that answers pings and acknowledges nothing is given up`() {
    let pair = LinkPair.up()
    pair.persistsAtOnce = false
    for number in 1...2 { #expect(pair.deliver(UInt64(number))) }
    pair.exchange()
    pair.advance(seconds: 150)
    // An acknowledgment is progress, so the time limit of the other notification restarts.
    pair.client.onPersisted(NotificationID(high: 8, low: 1), at: pair.now)
    pair.advance(seconds: 170)
    #expect(pair.settled == [1])
    #expect(!pair.isServerClosed)
    pair.advance(seconds: 20)
    #expect(pair.isServerClosed)
    #expect(pair.serverActions.last?.contains("too slow") == true)
  }

  @Test func `a repetition is acknowledged and not handed out`() {
    let pair = LinkPair.up()
    _ = pair.deliver(1)
    pair.feedClient()
    pair.lose()
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    for number: UInt64 in 1...2 {
      _ = pair.deliver(number)
      pair.exchange()
      pair.advance(seconds: 1)
      #expect(pair.settled.last == number)
    }
    #expect(pair.received.map(\.id.low) == [1, 2])
    #expect(pair.settled == [1, 2])
  }

  @Test func `a repetition of what is still being kept waits for the keeping`() {
    let pair = LinkPair.up()
    pair.persistsAtOnce = false
    _ = pair.deliver(1)
    pair.exchange()
    pair.lose()
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    _ = pair.deliver(1)
    pair.exchange()
    pair.advance(seconds: 1)
    #expect(pair.received.count == 1)
    #expect(pair.settled.isEmpty)
    pair.client.onPersisted(NotificationID(high: 8, low: 1), at: pair.now)
    pair.advance(seconds: 1)
    #expect(pair.settled == [1])
  }

  @Test func `a push that arrives twice is not acknowledged before it is kept`() {
    let pair = LinkPair.up()
    pair.persistsAtOnce = false
    for _ in 0..<2 { _ = pair.deliver(1) }
    pair.exchange()
    pair.advance(seconds: 1)
    #expect(pair.received.count == 1)
    #expect(pair.settled.isEmpty)
    #expect(pair.server.unsettled == 2)
    pair.client.onPersisted(NotificationID(high: 8, low: 1), at: pair.now)
    pair.advance(seconds: 1)
    #expect(pair.server.unsettled == 0)
  }

  @Test func `both copies of a push that arrives twice are discarded`() {
    let pair = LinkPair.up()
    pair.persistsAtOnce = false
    for _ in 0..<2 { _ = pair.deliver(1) }
    pair.exchange()
    let id = NotificationID(high: 8, low: 1)
    pair.client.onDiscarded(id, .noRoom, at: pair.now, output: &pair.toServer)
    pair.exchange()
    #expect(pair.serverActions.contains("\(DeviceLinkServer.Action.discarded(1, .noRoom))"))
    #expect(pair.server.unsettled == 0)
    #expect(pair.settled.isEmpty)
  }

  @Test func `a push that was discarded for lack of room is new when it is sent again`() {
    let pair = LinkPair.up()
    pair.persistsAtOnce = false
    _ = pair.deliver(1)
    pair.exchange()
    let id = NotificationID(high: 8, low: 1)
    pair.client.onDiscarded(id, .noRoom, at: pair.now, output: &pair.toServer)
    pair.exchange()
    _ = pair.deliver(1)
    pair.exchange()
    #expect(pair.received.map(\.id.low) == [1, 1])
    #expect(pair.settled.isEmpty)
  }

  @Test func `pushes discarded for lack of room do not make the device forget those that it kept`()
  {
    var settings = DeviceLinkClient.Settings()
    settings.window = 2
    settings.memory = 2
    let pair = LinkPair.up(settings: settings)
    _ = pair.deliver(1)
    pair.exchange()
    pair.persistsAtOnce = false
    for number: UInt64 in 2...3 { _ = pair.deliver(number) }
    pair.feedClient()
    for number: UInt64 in 2...3 {
      let id = NotificationID(high: 8, low: number)
      pair.client.onDiscarded(id, .noRoom, at: pair.now, output: &pair.toServer)
    }
    pair.lose()
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    _ = pair.deliver(1)
    pair.exchange()
    #expect(pair.received.map(\.id.low) == [1, 2, 3])
  }

  @Test func `pushes for an unknown handle or a disabled topic are discarded with the reason`() {
    let pair = LinkPair.up()
    _ = pair.deliver(1, handle: 0x99)
    pair.exchange()
    pair.client.setEnabled(false, LinkPair.topic, at: pair.now, output: &pair.toServer)
    pair.exchange()
    _ = pair.deliver(2)
    pair.exchange()
    #expect(pair.received.isEmpty)
    #expect(pair.serverActions.contains("\(DeviceLinkServer.Action.discarded(1, .unknownHandle))"))
    #expect(pair.serverActions.contains("\(DeviceLinkServer.Action.discarded(2, .disabled))"))
    #expect(pair.server.unsettled == 0)
  }

  @Test func `a discard frees its place in the window also out of order`() {
    var settings = DeviceLinkClient.Settings()
    settings.window = 2
    let pair = LinkPair.up(settings: settings)
    pair.persistsAtOnce = false
    #expect(pair.deliver(1))
    #expect(pair.deliver(2, handle: 0x99))
    #expect(!pair.deliver(3))
    pair.exchange()
    #expect(pair.server.unsettled == 1)
    #expect(pair.deliver(3))
    #expect(!pair.deliver(4))
    pair.exchange()
    for number in [1, 3] as [UInt64] {
      pair.client.onPersisted(NotificationID(high: 8, low: number), at: pair.now)
    }
    pair.advance(seconds: 1)
    #expect(pair.settled == [1, 3])
    #expect(pair.server.freeWindow == 2)
  }

  @Test(arguments: [false, true])
  func `a topic that the user turned off stays off when its app registers again`(
    isCancelAnswered: Bool
  ) {
    let pair = LinkPair.up()
    let topic = LinkPair.topic
    pair.client.setEnabled(false, topic, at: pair.now, output: &pair.toServer)
    pair.client.cancel(.topic(topic), at: pair.now, output: &pair.toServer)
    if isCancelAnswered { pair.exchange() }
    pair.client.register(.topic(topic), at: pair.now, output: &pair.toServer)
    pair.exchange()
    let verbs = pair.serverActions.filter { $0.hasPrefix("request") }.suffix(2)
    #expect(verbs.first?.contains("register") == true && verbs.last?.contains("disable") == true)
    // The device also sends the switch on its next connection.
    pair.lose()
    pair.serverActions = []
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    #expect(pair.serverActions.contains { $0.contains("disable") })
  }

  @Test func `draining makes the device acknowledge leave and wait`() {
    let pair = LinkPair.up()
    _ = pair.deliver(1)
    let hint = LinkFrame.ReconnectHint(
      afterMilliseconds: 2_000, jitterMilliseconds: 1_000, host: "other", port: 99)
    #expect(
      pair.server.drain(hint: hint, milliseconds: 500, at: pair.now, output: &pair.toClient) == nil)
    #expect(!pair.deliver(2))
    pair.exchange()
    #expect(pair.settled == [1])
    #expect(pair.isServerClosed)
    pair.lose(random: 250_000_000)
    #expect(pair.client.deadline == pair.now + 2_250_000_000)
    #expect(
      pair.client.timerFired(at: pair.client.deadline, output: &pair.toServer)
        == .connect(host: "other", port: 99))
  }

  /// A regression test for a hint with the maximum value in both fields, which kept a device from reconnecting for
  /// fifty days.
  @Test func `a reconnect hint is limited to ten minutes plus up to ten minutes of jitter`() {
    let pair = LinkPair.up()
    let hint = LinkFrame.ReconnectHint(afterMilliseconds: .max, jitterMilliseconds: .max)
    _ = pair.server.drain(hint: hint, milliseconds: 500, at: pair.now, output: &pair.toClient)
    pair.exchange()
    pair.lose(random: 600_000_000_000 - 1)
    #expect(pair.client.deadline == pair.now + 1_200 * LinkPair.second - 1)
  }

  @Test func `a device that does not leave is closed when the drain ends`() {
    let pair = LinkPair.up()
    let hint = LinkFrame.ReconnectHint(afterMilliseconds: 0, jitterMilliseconds: 0)
    _ = pair.server.drain(hint: hint, milliseconds: 500, at: pair.now, output: &pair.toClient)
    #expect(pair.server.deadline == pair.now + 500_000_000)
    let action = pair.server.timerFired(at: pair.server.deadline, output: &pair.toClient)
    #expect(action == .close(LinkFault(.draining)))
  }

  @Test func `a revoked device stays away`() {
    let pair = LinkPair.up()
    pair.server.close(.revoked, output: &pair.toClient)
    pair.exchange()
    pair.lose()
    #expect(pair.isStopped)
  }

  @Test func `a replaced device waits a minute`() {
    let pair = LinkPair.up()
    pair.server.close(.replaced, output: &pair.toClient)
    pair.exchange()
    pair.lose()
    #expect(pair.client.deadline == pair.now + 60 * LinkPair.second)
  }

  @Test func `the interval grows while keep alives are answered`() {
    let pair = LinkPair.up()
    #expect(pair.server.intervalSeconds == 60)
    pair.advance(seconds: 121)
    #expect(pair.server.intervalSeconds == 91)
    pair.advance(seconds: 6 * 3_600)
    #expect(pair.server.intervalSeconds == 1_800)
    #expect(pair.client.provedSeconds >= 900)
    #expect(pair.isUp)
  }

  @Test func `a silent death is noticed by both ends and shortens the interval`() {
    let pair = LinkPair.up()
    pair.advance(seconds: 4_000)
    let before = pair.server.intervalSeconds
    // From this point, every byte is lost.
    let start = pair.now
    var action: DeviceLinkClient.Action?
    while action == nil {
      pair.now = pair.client.deadline
      action = pair.client.timerFired(at: pair.now, output: &pair.toServer)
    }
    #expect(action == .disconnect(LinkFault(.silent)))
    #expect(pair.now - start <= (Int64(before) + 15) * LinkPair.second)
    #expect(pair.server.deadline <= start + (Int64(before) * 5 / 4 + 16) * LinkPair.second)
    pair.now = pair.server.deadline
    #expect(
      pair.server.timerFired(at: pair.now, output: &pair.toClient) == .close(LinkFault(.silent)))
    pair.lose()
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    #expect(pair.isUp)
    #expect(pair.server.intervalSeconds <= before * 3 / 4)
    pair.advance(seconds: 24 * 3_600)
    #expect(pair.server.intervalSeconds <= before * 3 / 4)
  }

  @Test func `a late acknowledgement makes the gateway ping and a dead device is closed`() {
    let pair = LinkPair.up()
    pair.persistsAtOnce = false
    _ = pair.deliver(1)
    pair.exchange()
    pair.now = pair.server.deadline
    #expect(pair.server.timerFired(at: pair.now, output: &pair.toClient) == nil)
    #expect(pair.toClient.count == 7)
    // The device answers before the connection counts as lost; it is only slow.
    pair.exchange()
    #expect(!pair.isServerClosed)
    pair.now = pair.server.deadline
    #expect(pair.server.timerFired(at: pair.now, output: &pair.toClient) == nil)
    pair.toClient = []
    pair.now = pair.server.deadline
    #expect(
      pair.server.timerFired(at: pair.now, output: &pair.toClient) == .close(LinkFault(.silent)))
  }

  @Test func `reconnect pauses double, have jitter and start over after a stable link`() {
    let pair = LinkPair.up()
    var pauses: [Int64] = []
    for attempt in 0..<12 {
      pair.lose(random: attempt.isMultiple(of: 2) ? 0 : UInt64.max)
      pauses.append(pair.client.deadline - pair.now)
      pair.now = pair.client.deadline
      _ = pair.client.timerFired(at: pair.now, output: &pair.toServer)
    }
    for (attempt, pause) in pauses.enumerated() {
      let whole = min(60 * LinkPair.second, 250_000_000 << Int64(attempt))
      #expect(pause >= whole / 2 && pause <= whole)
    }
    pair.open()
    pair.exchange()
    pair.advance(seconds: 31)
    pair.lose()
    #expect(pair.client.deadline - pair.now == 125_000_000)
  }

  @Test func `a state change is sent at once and again in the next greeting`() {
    let pair = LinkPair.up()
    pair.client.setState([.asleep], at: pair.now, output: &pair.toServer)
    pair.exchange()
    #expect(
      pair.serverActions.last == "\(DeviceLinkServer.Action.stateChanged(.asleep))")
    pair.lose()
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    #expect(pair.serverActions.last == "\(DeviceLinkServer.Action.ready(.asleep))")
  }

  @Test func `slow peers are closed in each phase`() {
    let pair = LinkPair()
    #expect(pair.server.deadline == pair.now + 10 * LinkPair.second)
    #expect(
      pair.server.timerFired(at: pair.server.deadline, output: &pair.toClient)
        == .close(LinkFault(.tooSlow)))
    _ = pair.client.goOnline()
    pair.open()
    #expect(
      pair.client.timerFired(at: pair.client.deadline, output: &pair.toServer)
        == .disconnect(LinkFault(.tooSlow)))
  }

  @Test func `going offline says goodbye and stays`() {
    let pair = LinkPair.up()
    let action = pair.client.goOffline(at: pair.now, output: &pair.toServer)
    #expect(action == .disconnect(LinkFault(.goodbye)))
    pair.exchange()
    #expect(pair.isServerClosed)
    pair.lose()
    #expect(pair.client.deadline == .max)
    #expect(pair.client.goOnline() == .connect(host: "", port: 0))
  }

  @Test func `intervals learned on another network are sent in the next greeting`() {
    let pair = LinkPair.up()
    pair.client.networkChanged(provedSeconds: 300, failedSeconds: 400)
    pair.lose()
    #expect(!pair.isOffline)
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    #expect(pair.server.intervalSeconds == 300)
    #expect(pair.client.provedSeconds == 300 && pair.client.failedSeconds == 400)
    pair.server.close(.revoked, output: &pair.toClient)
    pair.exchange()
    #expect(!pair.isOffline)
    pair.lose()
    #expect(pair.isOffline)
  }
}
