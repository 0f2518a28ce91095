/// The operations of a commit that a node may carry out, because it has claimed their devices.
package struct ClaimedOperations {
  /// The operations for claimed devices, and those that concern all devices.
  package let operations: [StoreOperation]
  /// The position of each of these operations in the commit.
  private let positions: [Int]
  private let refused: [DroppedNotification]

  /// Selects the operations of a commit, except those for devices in `lost`.
  package init(_ commit: [StoreOperation], except lost: Set<UInt64>) {
    func isLost(_ operation: StoreOperation) -> Bool {
      operation.claimedDevice.map(lost.contains) ?? false
    }
    positions = commit.indices.filter { !isLost(commit[$0]) }
    operations = positions.map { commit[$0] }
    refused = commit.indices.compactMap { isLost(commit[$0]) ? commit[$0].claimLost($0) : nil }
    assert(operations.count + refused.count <= commit.count, "an operation has one result")
  }

  /// Returns the result of the commit: the notifications that these operations dropped, and those whose operation had no
  /// effect.
  package func result(_ dropped: [DroppedNotification]) -> [DroppedNotification] {
    (dropped.map { $0.with(operation: positions[$0.operation]) } + refused).sorted {
      ($0.operation, $0.sequence) < ($1.operation, $1.sequence)
    }
  }
}
