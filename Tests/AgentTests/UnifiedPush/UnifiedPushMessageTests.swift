import AppWire
import BelfryWire
import PushWire
import Testing

@testable import Agent

@Suite struct UnifiedPushMessageTests {
  private let tooth = UnifiedPushBench.tooth
  private let fluffy = UnifiedPushBench.fluffy

  private func message(_ id: NotificationID, _ payload: [UInt8] = [7]) -> ConnectorCall.Content {
    .message(token: "t", payload: payload, id: id.text.lowercased())
  }

  @Test func `A message is stored, acknowledged to the gateway, and removed once its app has it`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    let id = bench.send(subject)
    #expect(bench.disk[.messages]?.count == 1)
    #expect(bench.acknowledged == [id])
    #expect(bench.contents == [message(id)])
    bench.deliver()
    #expect(bench.disk[.messages] == [:])
    #expect(bench.restarted().calls.isEmpty)
  }

  @Test func `The ID is the lowercase text of the message's unique ID`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    let id = NotificationID(high: 0xAB, low: 0xCD)
    if let subject {
      bench.handle(.received(ReceivedWebPush(subject: subject, id: id, payload: [1])))
    }
    #expect(
      bench.contents == [
        .message(token: "t", payload: [1], id: "00000000-0000-00ab-0000-0000000000cd")
      ])
  }

  @Test func `Messages for one app are serial, and an app that hangs delays no other`() {
    let bench = UnifiedPushBench()
    let first = bench.registered()
    let second = bench.registered("u", service: fluffy)
    let one = bench.send(first)
    let two = bench.send(first)
    bench.send(second)
    #expect(bench.calls.map(\.service) == [tooth, fluffy])
    bench.deliver(to: fluffy)
    #expect(bench.contents == [message(one)])
    bench.deliver(to: tooth)
    #expect(bench.contents == [message(two)])
  }

  @Test func `A message that an app does not acknowledge waits for the next one`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    let one = bench.send(subject)
    bench.fail(.unreachable(why: ""))
    #expect(bench.calls.isEmpty)
    #expect(bench.notes == [.notDelivered(tooth, .unreachable(why: ""))])
    let two = bench.send(subject)
    #expect(bench.contents == [message(one)])
    bench.deliver()
    #expect(bench.contents == [message(two)])
  }

  @Test func `A message that arrives during a call that fails is attempted`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    let one = bench.send(subject)
    bench.send(subject)
    bench.fail(.unreachable(why: ""))
    #expect(bench.contents == [message(one)])
    bench.fail(.unreachable(why: ""))
    #expect(bench.calls.isEmpty)
  }

  @Test func `A message waits for the app's name`() {
    let bench = UnifiedPushBench()
    let one = bench.send(bench.registered())
    bench.fail(.unreachable(why: ""))
    bench.handle(.nameAppeared(fluffy))
    #expect(bench.calls.isEmpty)
    bench.handle(.nameAppeared(tooth))
    #expect(bench.contents == [message(one)])
    bench.deliver()
    bench.handle(.nameAppeared(tooth))
    #expect(bench.calls.isEmpty)
  }

  @Test func `A message waits for a restart, also of the bus`() {
    let bench = UnifiedPushBench()
    let one = bench.send(bench.registered())
    bench.handle(.notServed(.noBus))
    // The result of a call on the lost bus is outdated.
    bench.deliver()
    #expect(bench.disk[.messages]?.count == 1)
    bench.handle(.served(bus: "other", names: [tooth]))
    #expect(bench.contents == [message(one)])
    let next = bench.restarted()
    #expect(next.contents == [message(one)])
    next.deliver()
    #expect(next.disk[.messages] == [:])
  }

  @Test func `A message that an app rejects holds up no other`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    let one = bench.send(subject)
    let two = bench.send(subject)
    bench.fail(.rejected(why: "error"))
    #expect(bench.contents == [message(two)])
    bench.deliver()
    // The second message has arrived during the first call, so another round could follow; it does not, because the
    // app answers.
    #expect(bench.calls.isEmpty)
    bench.handle(.nameAppeared(tooth))
    #expect(bench.contents == [message(one)])
  }

  @Test func `A message is kept at most until it expires`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    bench.send(subject, expiration: 1_010)
    bench.fail(.unreachable(why: ""))
    bench.now = 1_010_000
    bench.handle(.nameAppeared(tooth))
    #expect(bench.calls.isEmpty)
    #expect(bench.disk[.messages] == [:])
    // One that has already expired is only acknowledged.
    let late = bench.send(subject, expiration: 1_009)
    #expect(bench.acknowledged.last == late)
    #expect(bench.calls.isEmpty)
    bench.send(subject, expiration: 2_000)
    bench.fail(.unreachable(why: ""))
    bench.now = 2_000_000
    #expect(bench.restarted().disk[.messages] == [:])
  }

  @Test func `A message for now or never is attempted once`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    let one = bench.send(subject, expiration: LinkNotification.expirationOnce)
    #expect(bench.contents == [message(one)])
    #expect(bench.disk[.messages] == nil)
    bench.fail(.unreachable(why: ""))
    bench.handle(.nameAppeared(tooth))
    #expect(bench.calls.isEmpty)
    bench.handle(.notServed(.noBus))
    bench.send(subject, expiration: LinkNotification.expirationOnce)
    bench.handle(.served(bus: UnifiedPushBench.bus, names: [tooth]))
    #expect(bench.calls.isEmpty)
  }

  @Test func `The oldest messages beyond the limits are dropped`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    let ids = (0..<Limits.webPushMessagesPerApp + 2).map { _ in bench.send(subject) }
    // The first one is on its way.
    #expect(bench.contents == [message(ids[0])])
    #expect(bench.disk[.messages]?.count == Limits.webPushMessagesPerApp)
    #expect(bench.notes.last == .messagesDropped(tooth, count: 1))
    bench.deliver()
    #expect(bench.contents == [message(ids[3])])
    let other = UnifiedPushBench()
    let big = other.registered()
    let count = Limits.webPushBytesPerApp / 4_096
    for _ in 0..<count + 3 { other.send(big, [UInt8](repeating: 1, count: 4_096)) }
    #expect(other.disk[.messages]?.count == count)
  }

  @Test func `A message without content is dropped, because connectors ignore it`() {
    let bench = UnifiedPushBench()
    let id = bench.send(bench.registered(), [])
    #expect(bench.acknowledged == [id])
    #expect(bench.calls.isEmpty)
    #expect(bench.notes == [.emptyMessage(tooth)])
  }

  @Test func `Messages of a registration that ended are dropped`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    bench.send(subject)
    bench.fail(.unreachable(why: ""))
    bench.unregister()
    bench.deliver()
    #expect(bench.disk[.messages] == [:])
    let late = bench.send(subject)
    #expect(bench.acknowledged.last == late)
    #expect(bench.calls.isEmpty)
  }

  @Test func `Messages of the former VAPID key are delivered`() {
    let bench = UnifiedPushBench()
    let one = bench.send(bench.registered())
    bench.fail(.unreachable(why: ""))
    bench.register(vapid: UnifiedPushBench.keys[0])
    bench.issue(id: [9])
    #expect(bench.contents == [message(one)])
    bench.deliver()
    #expect(bench.calls.count == 1)
  }

  @Test func `The endpoint precedes the messages after a restart`() {
    let bench = UnifiedPushBench()
    bench.register()
    bench.issue()
    bench.fail(.unreachable(why: ""))
    let id = bench.send(bench.requested.last)
    bench.fail(.unreachable(why: ""))
    let next = bench.restarted()
    #expect(
      next.contents
        == [.newEndpoint(token: "t", endpoint: "https://push.example.org/push/AQID")])
    next.deliver()
    #expect(next.contents == [message(id)])
  }

  @Test func `Without a name on the bus, messages wait`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    let next = UnifiedPushBench(disk: bench.disk, isServed: false)
    let id = next.send(subject)
    #expect(next.calls.isEmpty)
    next.handle(.served(bus: UnifiedPushBench.bus, names: [tooth]))
    #expect(next.contents == [message(id)])
  }
}
