import BelfryWire
import PushWire
import Storage
import Testing

@testable import Gateway

@Suite struct ForwardedPushesTests {
  private func push(_ number: UInt64, expiration: Int64) -> DeviceClaimTable.ClaimedPush {
    DeviceClaimTable.ClaimedPush(
      submission: Submission(
        key: NotificationKey(device: 7, app: 1, kind: 1), generation: 0,
        id: NotificationID(high: 0, low: number), uniqueID: NotificationID(high: 1, low: number),
        expiration: expiration, priority: 10, pushType: .alert, collapseID: [], payload: [],
        acceptedMilliseconds: 0, keep: 1,
        reply: ReplyAddress(front: Route(loop: 0), connection: 1, stream: Int32(number))),
      forwards: 1)
  }

  @Test
  func
    `a push that can be stored waits for one second, and any other push until its owner has had time to decide`()
  {
    var pushes = ForwardedPushes()
    let second: Int64 = 1_000_000_000
    func expired(at seconds: Int64) -> [UInt64] {
      pushes.removeExpired(atNanoseconds: seconds * second) { $0.submission.expiration == 0 }
        .map(\.submission.id.low)
    }
    let numbers = [1_000, 0, 0, 1_000].enumerated().map { index, expiration in
      pushes.add(push(UInt64(index), expiration: Int64(expiration)), atNanoseconds: 0)
    }
    #expect(expired(at: 0) == [])
    #expect(pushes.nextDeadline == second)
    #expect(expired(at: 1) == [0, 3])
    pushes.checkInvariants()
    #expect(pushes.nextDeadline == 7 * second)
    // The owner answers one of them in time, and not the other.
    #expect(pushes.remove(numbers[1])?.submission.id.low == 1)
    #expect(expired(at: 6) == [])
    #expect(expired(at: 7) == [2])
    #expect(pushes.remove(numbers[2]) == nil)
    #expect(pushes.nextDeadline == nil)
    pushes.checkInvariants()
  }
}
