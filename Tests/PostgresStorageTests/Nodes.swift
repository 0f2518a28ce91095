import Foundation
import PushWire
import Storage
import System
import TestSupport
import Testing
import Transport

@testable import PostgresStorage

/// A node of a cluster, with its stores.
struct Node {
  let control: PostgresControlStore
  let notifications: PostgresNotificationStore
  let claims: any DeviceClaims
  let membership: any ClusterMembership

  /// Starts a node with the given name.
  init(
    _ name: String, on address: PostgresAddress,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) throws {
    let stores = try PostgresStores(cluster: address, nodeName: name, now: now)
    let cluster = try #require(stores.cluster)
    control = stores.control
    notifications = stores.notifications
    claims = cluster.claims
    membership = cluster.membership
  }

  /// Enrolls devices with these numbers.
  func enroll(_ numbers: UInt64...) throws {
    try control.apply(
      numbers.map {
        .putDevice(
          DeviceRecord(
            number: $0, keyHash: SHA256.hash([]), name: "", enrolledMilliseconds: 1))
      })
  }

  /// Claims devices, and returns a word for each result.
  @discardableResult
  func claim(
    _ mode: DeviceClaimRequest.Mode, _ devices: UInt64..., hasLink: Bool = false
  ) throws -> [String] {
    let requests = devices.map { DeviceClaimRequest(device: $0, mode: mode, hasLink: hasLink) }
    return try claims.claim(requests).map { result in
      switch result {
      case .held: "held"
      case .elsewhere(let node): "node \(node)"
      case .unknown: "unknown"
      }
    }
  }

  /// Stores a notification for each pair of a sequence number and a device; returns the reasons for those refused.
  @discardableResult
  func put(_ pairs: (UInt64, device: UInt64)...) throws -> [DroppedNotification.Reason] {
    try notifications.commit(
      pairs.map { .put(.sample($0.0, .of($0.device)), keep: .max) }
    ).map(\.reason)
  }

  /// Returns the sequence numbers of a device's notifications.
  func sequences(_ device: UInt64) throws -> [UInt64] {
    try notifications.load(device: device).map(\.sequence)
  }
}

extension NotificationKey {
  static func of(_ device: UInt64) -> NotificationKey {
    NotificationKey(device: device, app: 1, kind: 1)
  }
}

extension PostgresConnection {
  /// Begins a transaction that can stay open for long.
  func begin(_ script: String) throws {
    try execute(script: "SET idle_in_transaction_session_timeout = 0; BEGIN; \(script)")
  }

  /// Returns the first value of a query.
  func integer(_ statement: PostgresConnection.Statement) throws -> Int64 {
    try run([.init(statement)]).first?.integer(0, 0) ?? 0
  }
}

/// Runs blocking calls on a thread of their own.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) -> Task<
  Result, any Error
> {
  Task {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
    }
  }
}

/// Runs blocking calls that wait for an open transaction, which is finished as soon as they wait.
///
/// The transaction executes the script `first`, and then `last`. It has a thread of its own, so that it ends in time
/// although other tests use all threads of the tasks.
func onThread<Result: Sendable>(
  whileOpen first: String, then last: String = "", on address: PostgresAddress,
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  let blocked = PostgresConnection.Statement(
    name: "blocked",
    sql: "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
  let work = try await onThread {
    let transaction = try PostgresConnection(address)
    let observer = try PostgresConnection(address)
    try transaction.begin(first)
    let work = onThread(body)
    while try observer.integer(blocked) == 0 {}
    try transaction.execute(script: "\(last); COMMIT")
    return work
  }.value
  return try await work.value
}

/// Returns true if the error says that the process was replaced.
func isTakenOver(_ error: any Error) -> Bool {
  guard case .takenOver? = error as? StorageFailure else { return false }
  return true
}
