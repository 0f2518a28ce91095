internal import PushWire
internal import Storage

/// Changes by a node of a cluster, which needs the claims of some devices, and which informs the other nodes.
extension PostgresControlStore {
  /// Applies `changes` in one transaction, and records those that other nodes must learn of.
  ///
  /// Unlike the transactions of a single gateway, most of these transactions lock no row that all nodes share.
  func apply(
    _ changes: [ControlChange], with claims: PostgresClaims
  ) throws(StorageFailure) {
    assert(!changes.isEmpty, "a transaction has a purpose")
    let devices = Set(changes.compactMap(\.claimedDevice))
    let recorded = PostgresChange.all(in: changes)
    var repeats = 0
    while true {
      let held = claims.held(devices)
      guard held.count == devices.count else {
        throw .claimLost(devices: devices.subtracting(held.keys).sorted())
      }
      var calls = [node.fence]
      if !held.isEmpty { calls.append(claims.check(held)) }
      calls += changes.flatMap(Self.calls)
      if !recorded.isEmpty { calls.append(PostgresChange.record(recorded)) }
      do throws(StorageFailure) {
        _ = try server.write(calls)
        return
      } catch {
        guard case .claimLost(let devices) = error else { throw error }
        let gone = claims.lose(devices, heldBefore: held)
        guard gone.isEmpty else { throw .claimLost(devices: gone.sorted()) }
        // This process has claimed the devices again, so the changes are applied with the newer claims.
        repeats += 1
        if repeats > Limits.claimRepeats { throw error }
      }
    }
  }
}
