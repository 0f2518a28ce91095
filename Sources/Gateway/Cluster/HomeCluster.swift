import PushWire
import Storage
import System
import Transport

/// The state that a home has only in a cluster.
struct HomeCluster {
  /// A connection that waits until its device is claimed.
  enum ParkedLink {
    case device(DetachedStream, DeviceClaim)
    /// A browser's connection, whose identifier was found in the store.
    case browser(SessionID)
  }

  /// The result of a read of the claim on a device that this node owns.
  struct ClaimReading {
    /// The time, in monotonic nanoseconds, until which the result is trusted for pushes that are not stored.
    let endNanoseconds: Int64
    /// True if the device last connected to another node, which is alive.
    let mayBeConnectedElsewhere: Bool
  }

  let shared: ClusterShared
  let replies: Mailbox<ClaimReply>
  let outbox: ClusterOutbox
  var table: DeviceClaimTable
  var forwards = ForwardedPushes()
  /// The sessions of the connected devices.
  var linked: [UInt64: SessionID] = [:]
  /// The results of the last reads of the claims on devices.
  var readings: [UInt64: ClaimReading] = [:]
  /// The subscriptions of the claimed devices that have any.
  var subscriptions: [UInt64: [ChannelID]] = [:]
  private var verification = VerificationRounds()
  private var parked: [UInt64: ParkedLink] = [:]
  private var lastLink: UInt64 = 0
  var forwardTimer: TimerID?

  init(_ shared: ClusterShared, on loop: EventLoop, replies: Mailbox<ClaimReply>) {
    self.shared = shared
    outbox = ClusterOutbox(from: shared.node, on: loop, shared.bus)
    table = DeviceClaimTable(own: shared.node)
    self.replies = replies
  }

  /// Returns the next connected devices whose claims are verified.
  mutating func nextToVerify() -> [UInt64] { verification.next(of: linked) }

  /// Parks a connection, and returns its number.
  mutating func park(_ link: ParkedLink) -> UInt64 {
    lastLink += 1
    assert(parked[lastLink] == nil, "the number \(lastLink) is new")
    parked[lastLink] = link
    return lastLink
  }

  /// Removes a parked connection; that of a linked device closes when the result is released.
  mutating func unpark(_ link: UInt64) -> ParkedLink? { parked.removeValue(forKey: link) }

  /// Asserts the invariants that hold between turns.
  func checkInvariants() {
    table.checkInvariants()
    forwards.checkInvariants()
    assert(parked.keys.allSatisfy { $0 <= lastLink }, "each parked connection has a number")
    assert(
      forwards.nextDeadline == nil || forwardTimer != nil,
      "a timer is set while a push waits for another node")
  }
}
