import BelfryWire
import PushWire
import Storage
import Testing

@testable import Gateway

@Suite struct ClusterMessageTests {
  private let push = Submission(
    key: NotificationKey(device: 0x0102_0304_0506_0708, app: 9, kind: 1), generation: 3,
    id: NotificationID(high: 1, low: .max, isLowercase: true),
    uniqueID: NotificationID(high: .max, low: 2), expiration: 1_900_000_000, priority: 5,
    pushType: .voip, collapseID: Array("group".utf8), payload: Array(#"{"aps":{}}"#.utf8),
    acceptedMilliseconds: 5, keep: .max,
    reply: ReplyAddress(front: Route(loop: 3), connection: 77, stream: 0))

  @Test func `a push is decoded as it was encoded, with its sender's address`() throws {
    guard case .push(let copy)? = decode(encoded(.push(push)), from: 12) else {
      Issue.record("the push was not decoded")
      return
    }
    #expect(copy.key == push.key && copy.generation == 3 && copy.id == push.id)
    #expect(copy.id.isLowercase && copy.uniqueID == push.uniqueID)
    #expect(copy.expiration == push.expiration && copy.priority == 5 && copy.pushType == .voip)
    #expect(copy.collapseID == push.collapseID && copy.payload == push.payload)
    #expect(copy.acceptedMilliseconds == 5 && copy.keep == .max)
    #expect(
      copy.reply == ReplyAddress(node: 12, front: Route(loop: 3), connection: 77, stream: 0))
  }

  @Test func `a withdrawal stays a withdrawal, and a push does not become one`() throws {
    let request = Submission(
      key: push.key, generation: 3, id: push.id, uniqueID: push.uniqueID, expiration: .max,
      priority: 10, pushType: .webPush, collapseID: [], payload: [], acceptedMilliseconds: 5,
      keep: .max, isWithdrawal: true, reply: push.reply)
    guard case .push(let copy)? = decode(encoded(.push(request)), from: 12),
      case .push(let other)? = decode(encoded(.push(push)), from: 12)
    else {
      Issue.record("a message was not decoded")
      return
    }
    #expect(copy.isWithdrawal && !other.isWithdrawal)
    #expect(copy.key == push.key && copy.uniqueID == push.uniqueID && copy.expiration == .max)
    let moved = copy.answered(at: ReplyAddress(front: Route(loop: 1), connection: 2, stream: 0))
    #expect(moved.isWithdrawal, "a withdrawal that travels on is still a withdrawal")
  }

  @Test(arguments: [
    ForwardedOutcome.accepted, .refused(.unregistered, timestampMilliseconds: 1_234),
    .refused(.badDeviceToken, timestampMilliseconds: nil), .moved(1_023),
  ])
  func `an outcome is decoded as it was encoded`(_ outcome: ForwardedOutcome) throws {
    let address = ReplyAddress(node: 4, front: Route(loop: 63), connection: .max, stream: 0)
    let bytes = encoded(.outcome(address, outcome))
    guard case .outcome(address, outcome)? = decode(bytes, from: 4) else {
      Issue.record("\(bytes)")
      return
    }
  }

  @Test func `the other messages are decoded as they were encoded`() throws {
    guard
      case .claimed(device: 5)? = decode(encoded(.claimed(device: 5)), from: 1),
      case .changed(number: 99)? = decode(encoded(.changed(number: 99)), from: 1)
    else {
      Issue.record("a short message was not decoded")
      return
    }
    let broadcast = Broadcast(
      channel: ChannelID(high: 1, low: 2), app: 3, id: NotificationID(high: 4, low: 5),
      uniqueID: NotificationID(high: 6, low: 7), expiration: 0, priority: 10, payload: [1, 2],
      acceptedMilliseconds: 8, isKept: false)
    guard case .broadcast(let copy)? = decode(encoded(.broadcast(broadcast)), from: 1) else {
      Issue.record("a broadcast was not decoded")
      return
    }
    #expect(copy.channel == broadcast.channel && copy.app == 3 && copy.id == broadcast.id)
    #expect(copy.uniqueID == broadcast.uniqueID && copy.priority == 10 && copy.payload == [1, 2])
    #expect(copy.acceptedMilliseconds == 8 && !copy.isKept)
  }

  @Test func `a push with a value that no provider can send is ignored`() {
    let whole = encoded(.push(push))
    // The offsets of the token kind, the priority and the push type.
    for (offset, value) in [(23, 77), (67, 7), (68, 200)] as [(Int, UInt8)] {
      var changed = whole
      changed[offset] = value
      #expect(decode(changed, from: 12) == nil, "\(offset)")
    }
    let address = ReplyAddress(node: 4, front: Route(loop: 0), connection: 1, stream: 0)
    let moved = encoded(.outcome(address, .moved(9)))
    #expect(decode(moved, from: 4) != nil)
    #expect(decode(moved.dropLast() + [0], from: 4) == nil)
    #expect(decode(whole + [UInt8](repeating: 0, count: 8_192), from: 12) == nil)
    #expect(decode(encoded(.drain) + [0], from: 1) == nil)
    #expect(decode(encoded(.drain), from: 1) != nil)
  }

  @Test func `every truncated message, and every unknown kind, is ignored`() {
    let whole = encoded(.push(push))
    // The payload has no length of its own, so only a message that ends before it is malformed.
    for count in 0..<whole.count - push.payload.count {
      #expect(decode(Array(whole.prefix(count)), from: 12) == nil)
    }
    for kind in 0...255 as ClosedRange<UInt8> where !(1...9).contains(kind) {
      #expect(decode([kind, 0, 0, 0, 0], from: 1) == nil)
    }
  }

  private func encoded(_ message: ClusterMessage) -> [UInt8] {
    var bytes: [UInt8] = []
    message.encode(into: &bytes)
    return bytes
  }

  private func decode(_ bytes: [UInt8], from sender: NodeNumber) -> ClusterMessage? {
    ClusterMessage.decode(bytes[...], from: sender)
  }
}
