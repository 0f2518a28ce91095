import Storage

extension ClusterNode {
  /// True if the node is running, or was running earlier.
  ///
  /// False for a node whose first start did not finish or failed, and for the process that created the cluster.
  var hasRun: Bool { beat > 0 && ClusterOptions.isName(name) }

  /// Returns the names of the other nodes that have stopped and whose delivery log an operator might still need.
  ///
  /// A node that is no longer used is not named forever. `number` is the number of the node that asks; the time of its
  /// latest renewal is on the same clock as those of the other nodes.
  static func stopped(in nodes: [ClusterNode], askedBy number: NodeNumber) -> [String] {
    let now = nodes.first { $0.number == number }?.seenMilliseconds ?? 0
    let earliest = now &- Limits.stoppedNodeMilliseconds
    return nodes.filter {
      $0.isEnded && $0.number != number && $0.seenMilliseconds >= earliest
    }.map(\.name)
  }
}
