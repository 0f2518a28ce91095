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
    let decoded = try #require(ClusterMessage.decode(ClusterMessage.push(push).encoded(from: 12)))
    guard case .push(let copy) = decoded.message else {
      Issue.record("\(decoded)")
      return
    }
    #expect(decoded.sender == 12)
    #expect(copy.key == push.key && copy.generation == 3 && copy.id == push.id)
    #expect(copy.id.isLowercase && copy.uniqueID == push.uniqueID)
    #expect(copy.expiration == push.expiration && copy.priority == 5 && copy.pushType == .voip)
    #expect(copy.collapseID == push.collapseID && copy.payload == push.payload)
    #expect(copy.acceptedMilliseconds == 5 && copy.keep == .max)
    #expect(
      copy.reply == ReplyAddress(node: 12, front: Route(loop: 3), connection: 77, stream: 0))
  }

  @Test(arguments: [
    ForwardedOutcome.accepted, .refused(.unregistered, timestampMilliseconds: 1_234),
    .refused(.badDeviceToken, timestampMilliseconds: nil), .moved(1_023),
  ])
  func `an outcome is decoded as it was encoded`(_ outcome: ForwardedOutcome) throws {
    let address = ReplyAddress(node: 4, front: Route(loop: 63), connection: .max, stream: 0)
    let bytes = ClusterMessage.outcome(address, outcome).encoded(from: 4)
    guard case .outcome(address, outcome)? = ClusterMessage.decode(bytes)?.message else {
      Issue.record("\(bytes)")
      return
    }
  }

  @Test func `the other messages are decoded as they were encoded`() throws {
    guard
      case .claimed(device: 5)? = ClusterMessage.decode(
        ClusterMessage.claimed(device: 5).encoded(from: 1))?.message,
      case .changed(number: 99)? = ClusterMessage.decode(
        ClusterMessage.changed(number: 99).encoded(from: 1))?.message
    else {
      Issue.record("a short message was not decoded")
      return
    }
    let broadcast = Broadcast(
      channel: ChannelID(high: 1, low: 2), app: 3, id: NotificationID(high: 4, low: 5),
      uniqueID: NotificationID(high: 6, low: 7), expiration: 0, priority: 10, payload: [1, 2],
      acceptedMilliseconds: 8, isKept: false)
    guard
      case .broadcast(let copy)? = ClusterMessage.decode(
        ClusterMessage.broadcast(broadcast).encoded(from: 1))?.message
    else {
      Issue.record("a broadcast was not decoded")
      return
    }
    #expect(copy.channel == broadcast.channel && copy.app == 3 && copy.id == broadcast.id)
    #expect(copy.uniqueID == broadcast.uniqueID && copy.priority == 10 && copy.payload == [1, 2])
    #expect(copy.acceptedMilliseconds == 8 && !copy.isKept)
  }

  @Test func `a push with a value that no provider can send is ignored`() {
    let whole = ClusterMessage.push(push).encoded(from: 12)
    // The offsets of the token kind, the priority and the push type, after the header of 4 bytes and the fields before.
    for (offset, value) in [(26, 77), (70, 7), (71, 200)] as [(Int, UInt8)] {
      var changed = whole
      changed[offset] = value
      #expect(ClusterMessage.decode(changed) == nil, "\(offset)")
    }
    // Node 0 would mean the receiver itself, so its answer would go to one of its own providers.
    #expect(ClusterMessage.decode([ClusterMessage.version, 0, 0] + whole.dropFirst(3)) == nil)
    let address = ReplyAddress(node: 4, front: Route(loop: 0), connection: 1, stream: 0)
    let moved = ClusterMessage.outcome(address, .moved(9)).encoded(from: 4)
    #expect(ClusterMessage.decode(moved) != nil)
    #expect(ClusterMessage.decode(moved.dropLast() + [0]) == nil)
    #expect(ClusterMessage.decode(whole + [UInt8](repeating: 0, count: 8_192)) == nil)
    #expect(ClusterMessage.decode(ClusterMessage.drain.encoded(from: 1) + [0]) == nil)
    #expect(ClusterMessage.decode(ClusterMessage.drain.encoded(from: 1)) != nil)
  }

  @Test func `every truncated message, and every other version, is ignored`() {
    let whole = ClusterMessage.push(push).encoded(from: 12)
    // The payload has no length of its own, so only a message that ends before it is malformed.
    for count in 0..<whole.count - push.payload.count {
      #expect(ClusterMessage.decode(Array(whole.prefix(count))) == nil)
    }
    var other = whole
    other[0] &+= 1
    #expect(ClusterMessage.decode(other) == nil)
    for kind in 0...255 as ClosedRange<UInt8> where !(1...6).contains(kind) {
      #expect(ClusterMessage.decode([ClusterMessage.version, 0, 1, kind, 0, 0, 0, 0]) == nil)
    }
  }
}
