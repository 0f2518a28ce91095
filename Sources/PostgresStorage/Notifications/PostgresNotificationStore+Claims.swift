internal import PushWire
internal import Storage

/// Commits of a node of a cluster, which write only for the devices that the node has claimed.
extension PostgresNotificationStore {
  /// Applies the operations for claimed devices in one transaction; the others have no effect.
  ///
  /// The claims are recorded before the rows are read. If another node has written for a device since then, the claim has
  /// another number, and the commit is rejected.
  func commit(
    _ operations: [StoreOperation], with claims: PostgresClaims
  ) throws(StorageFailure) -> [DroppedNotification] {
    let devices = Set(operations.compactMap(\.claimedDevice))
    var lost: Set<UInt64> = []
    var repeats = 0
    while true {
      // The device can have been claimed again during an attempt that was rejected. The node numbers the notifications of
      // the other devices again after it has read the devices' rows.
      let held = claims.held(devices.subtracting(lost), for: operations)
      lost.formUnion(devices.subtracting(held.keys))
      let claimed = ClaimedOperations(operations, except: lost)
      guard !claimed.operations.isEmpty else { return claimed.result([]) }
      do throws(StorageFailure) {
        let plan = try plan(claimed.operations)
        let swept = try write(plan, held, claims)
        let dropped = plan.dropped.filter { row in
          row.reason != .expired || held[row.key.device] != nil || swept.contains(row.sequence)
        }
        return claimed.result(dropped)
      } catch {
        guard case .claimLost(let devices) = error else { throw error }
        let gone = claims.lose(devices, heldBefore: held)
        lost.formUnion(gone)
        if gone.isEmpty { repeats += 1 }
        if repeats > Limits.claimRepeats { lost.formUnion(devices) }
      }
    }
  }

  /// Writes a plan, and returns the sequence numbers of expired rows of other devices that were removed.
  ///
  /// Expired rows of other devices are removed last, and only if no other transaction has locked them. A transaction that has
  /// locked such rows therefore waits for no other node, and cannot be a part of a deadlock.
  private func write(
    _ plan: NotificationPlan, _ held: [UInt64: Int64], _ claims: PostgresClaims
  ) throws(StorageFailure) -> Set<UInt64> {
    let removals = plan.removals.filter { held[$0.key.device] != nil }
    let sweep = plan.removals.subtracting(removals)
    assert(
      plan.insertions.values.allSatisfy { held[$0.key.device] != nil },
      "rows are inserted only for claimed devices")
    var calls = [node.fence]
    if !held.isEmpty { calls.append(claims.check(held)) }
    if !removals.isEmpty { calls.append(.init(Self.remove, Self.columns(removals))) }
    if !plan.insertions.isEmpty {
      calls.append(.init(Self.insert, Self.parameters(Array(plan.insertions.values))))
    }
    let sweepIndex = calls.count
    if !sweep.isEmpty { calls.append(.init(Self.sweep, Self.columns(sweep))) }
    if plan.highest > 0 {
      calls.append(.init(Self.advanceNode, [.text(node.name), .bits(plan.highest)]))
    }
    let rows = try server.write(calls)
    guard !sweep.isEmpty else { return [] }
    assert(rows.count > sweepIndex, "each statement has a result")
    return Set((0..<rows[sweepIndex].count).map { rows[sweepIndex].bits($0, 0) })
  }

  private static let sweep = PostgresConnection.Statement(
    name: "sweep",
    sql: """
      DELETE FROM notification WHERE sequence IN (
        SELECT n.sequence
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
          AS gone (sequence, device, app, kind)
        JOIN notification n USING (sequence, device, app, kind)
        FOR UPDATE OF n SKIP LOCKED)
      RETURNING sequence
      """)
  private static let advanceNode = PostgresConnection.Statement(
    name: "advance_node",
    sql: "UPDATE node SET highest = greatest(highest, $2::bigint) WHERE name = $1")
}
