import Storage
import System

/// The objects of a cluster's node that all loops share; each can be used on any thread.
struct ClusterShared: Sendable {
  /// The number of this node.
  let node: NodeNumber
  let claims: ClaimWriter
  let lease: ClusterLease
  /// Sends a message to a node; returns false if the bus is absent.
  let send: @Sendable (ClusterMessage, NodeNumber) -> Bool
  /// Removes the record that devices are connected to this node.
  let removeLinks: @Sendable ([UInt64]) -> Void
  /// The current time, in milliseconds since the machine started, including suspend.
  let elapsedMilliseconds: @Sendable () -> Int64

  /// True if this node may accept pushes.
  var hasLease: Bool { lease.isValid(at: elapsedMilliseconds()) }
}
