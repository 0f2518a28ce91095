import PushWire
import Storage
import Synchronization
import Testing

@testable import Gateway

/// Tests of `belfry log --follow` in the gateway, which passes new log lines to each follower.
@Suite struct DeliveryLogFollowersTests {
  private final class Reader: Sendable {
    let states = Mutex<[String]>([])
    let wantsMore: Bool

    init(wantsMore: Bool) { self.wantsMore = wantsMore }

    var follower: DeliveryLogFollower {
      DeliveryLogFollower { lines in
        self.states.withLock { $0 += lines.map(\.state) }
        return self.wantsMore
      }
    }
  }

  private static func id(_ low: UInt64) -> NotificationID { NotificationID(high: 1, low: low) }

  private static func line(_ state: String, _ id: NotificationID) -> DeliveryLogLine {
    DeliveryLogLine(
      atMilliseconds: 1, state: state, id: id, uniqueID: nil, device: 1, topic: "com.example.app")
  }

  private static func accepted(_ low: UInt64) -> DeliveryLog.Entry {
    DeliveryLog.Entry(
      atMilliseconds: 1, state: .received, key: NotificationKey(device: 1, app: 1, kind: 1),
      id: id(low), uniqueID: id(low + 100))
  }

  private static func refused(_ low: UInt64) -> RefusedPushes.Entry {
    RefusedPushes.Entry(
      atMilliseconds: 1, reason: "BadDeviceToken", id: id(low), token: [], topic: [])
  }

  /// Logs two pushes, each with two kinds of lines.
  private static func tell(_ followers: inout DeliveryLogFollowers) {
    for low in UInt64(1)...2 {
      followers.tell(accepted(low)) { line("accepted \(low)", $0.id) }
      followers.tell(refused(low)) { line("refused \(low)", $0.id) }
    }
  }

  private let tokens: DeviceTokenCodec

  init() throws {
    tokens = try DeviceTokenCodec(
      keys: [[UInt8](repeating: 7, count: 32)], environment: .sandbox)
  }

  @Test
  func `a follower of one push gets only the states of that push, whether accepted or refused`() {
    var followers = DeliveryLogFollowers()
    let one = Reader(wantsMore: true)
    let all = Reader(wantsMore: true)
    followers.add(one.follower, of: .notification(Self.id(2)), tokens)
    followers.add(all.follower, of: .everything, tokens)
    Self.tell(&followers)
    #expect(one.states.withLock { $0 } == ["accepted 2", "refused 2"])
    #expect(all.states.withLock { $0 }.count == 4)
  }

  @Test func `a follower that wants no more states gets no more, and the others still do`() {
    var followers = DeliveryLogFollowers()
    let leaving = Reader(wantsMore: false)
    let staying = Reader(wantsMore: true)
    followers.add(leaving.follower, of: .notification(Self.id(1)), tokens)
    followers.add(staying.follower, of: .notification(Self.id(1)), tokens)
    Self.tell(&followers)
    #expect(leaving.states.withLock { $0 } == ["accepted 1"])
    #expect(staying.states.withLock { $0 } == ["accepted 1", "refused 1"])
  }

  @Test func `a push is asked for by either of its identifiers`() {
    for id in [Self.id(2), Self.id(102)] {
      let matches = DeliveryLogQuery.notification(id).matcher(tokens)
      #expect([1, 2].filter { matches(Self.accepted($0)) } == [2])
    }
  }
}
