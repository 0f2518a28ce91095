import PushWire
import Testing

@testable import Storage

@Suite struct HeldClaimsTests {
  private func put(_ sequence: UInt64, device: UInt64 = 7) -> StoreOperation {
    .put(
      StoredNotification(
        key: NotificationKey(device: device, app: 1, kind: 1), sequence: sequence,
        id: NotificationID(high: 0, low: 1), uniqueID: NotificationID(high: 1, low: sequence),
        expiration: 1_000, priority: 10, pushType: 1, collapseID: [], payload: [],
        acceptedMilliseconds: 0),
      keep: 1)
  }

  @Test func `a notification that was numbered before the device was claimed again is outdated`() {
    var claims = HeldClaims()
    claims.hold(7, 1, highestSequence: 0)
    #expect(claims.outdated([put(5)]).isEmpty)
    // Another node has owned the device, and has stored a notification with the number 10.
    claims.hold(7, 3, highestSequence: 10)
    #expect(claims.outdated([put(5), put(11), put(5, device: 8)]) == [7])
    #expect(claims.outdated([put(11)]).isEmpty)
  }

  @Test func `a claim that was not lost in the meantime outdates nothing`() {
    var claims = HeldClaims()
    claims.hold(7, 3, highestSequence: 10)
    claims.hold(7, 3, highestSequence: 20)
    #expect(claims.outdated([put(12)]).isEmpty)
    #expect(claims.numbers(of: [7, 8]) == [7: 3])
    claims.remove(7)
    #expect(claims.number(of: 7) == nil)
  }
}
