import PushWire
import Storage

/// A node's access to the notifications in a simulated database, with the semantics of `PostgresNotificationStore`: only
/// operations for claimed devices have an effect.
final class SimulatedNodeNotificationStore: NotificationStore, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let session: SimulatedSession
  private let server: SimulatedServer

  init(in session: SimulatedSession) {
    self.session = session
    server = SimulatedServer("notifications", in: session)
  }

  private var store: SimulatedNotificationStore { session.database.notifications }

  var health: StoreHealth? { server.health }

  func commit(
    _ operations: [StoreOperation]
  ) throws(StorageFailure) -> [DroppedNotification] {
    let devices = Set(operations.compactMap(\.claimedDevice))
    let claims = session.claims
    var lost: Set<UInt64> = []
    while true {
      let held = claims.held(devices.subtracting(lost), for: operations)
      lost.formUnion(devices.subtracting(held.keys))
      let claimed = ClaimedOperations(operations, except: lost)
      guard !claimed.operations.isEmpty else { return claimed.result([]) }
      do throws(StorageFailure) {
        return claimed.result(try write(claimed.operations, held))
      } catch {
        guard case .claimLost(let devices) = error else { throw error }
        lost.formUnion(claims.lose(devices))
      }
    }
  }

  private func write(
    _ operations: [StoreOperation], _ held: [UInt64: Int64]
  ) throws(StorageFailure) -> [DroppedNotification] {
    let session = session
    return try server.write(
      "a commit of \(operations.count) operations", believed: [], mayBeLate: true
    ) { () throws(StorageFailure) in
      try session.fence()
      let database = session.database
      try database.check(held, of: session.number)
      try database.saveSnapshots(of: held.keys)
      let dropped = try database.notifications.commit(operations)
      database.storedPushes.formUnion(operations.compactMap(Self.push))
      return dropped
    }
  }

  /// Returns the number of the push that an operation stores.
  private static func push(_ operation: StoreOperation) -> UInt64? {
    guard case .put(let notification, _) = operation else { return nil }
    return GatewaySimulation.push(notification.payload)
  }

  func load(
    device: UInt64, after: UInt64, limit: Int
  ) throws(StorageFailure) -> [StoredNotification] {
    assert(limit > 0, "the limit is positive")
    return try server.read { () throws(StorageFailure) in
      try store.load(device: device, after: after, limit: limit)
    }
  }

  func highestSequence() throws(StorageFailure) -> UInt64 {
    try server.read { () throws(StorageFailure) in try store.highestSequence() }
  }

  func count() throws(StorageFailure) -> Int {
    try server.read { () throws(StorageFailure) in try store.count() }
  }

  func devices() throws(StorageFailure) -> [UInt64] {
    try server.read { () throws(StorageFailure) in try store.devices() }
  }

  func probe() throws(StorageFailure) {
    let session = session
    try server.write("a probe") { () throws(StorageFailure) in try session.fence() }
  }

  /// Does nothing, because the session ends with the process.
  func close() {}
}
