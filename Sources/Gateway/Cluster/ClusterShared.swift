import Storage
import System

/// The objects of a cluster's node that all loops share; each can be used on any thread.
struct ClusterShared: Sendable {
  /// The number of this node.
  let node: NodeNumber
  let claims: ClaimWriter
  let lease: ClusterLease
  let bus: ClusterSender
  /// Removes the record that devices are connected to this node, unless their claims have changed.
  let removeLinks: @Sendable ([ClaimElsewhere]) -> Void
  /// Checks that this node still owns these connected devices.
  let verifyLinks: @Sendable ([UInt64]) -> Void
  /// The current time, in milliseconds since the machine started, including suspend.
  let elapsedMilliseconds: @Sendable () -> Int64

  /// True if this node may accept pushes.
  var hasLease: Bool { lease.isValid(at: elapsedMilliseconds()) }
}
