internal import Storage
internal import Glibc
internal import Synchronization
internal import System

/// A store's connection to its PostgreSQL server, which is replaced when it is lost.
///
/// This object can be used from any thread; calls exclude each other.
final class PostgresServer: Sendable {
  private struct State {
    var connection: PostgresConnection?
    var isClosed = false
  }

  private let state: Mutex<State>
  private let address: PostgresAddress
  private let now: @Sendable () -> Int64
  let health: StoreHealth

  /// Connects to the server and brings the schema up to date.
  ///
  /// `now` returns the time on the monotonic clock, in nanoseconds.
  init(
    _ address: PostgresAddress, schema: PostgresSchema,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) throws(StorageFailure) {
    self.address = address
    self.now = now
    health = StoreHealth(name: "PostgreSQL")
    state = Mutex(State())
    try state.withLock { state throws(StorageFailure) in
      do throws(PostgresFailure) {
        let connection = try PostgresConnection(address)
        state.connection = connection
        try schema.migrate(connection)
      } catch {
        throw Self.failure(error, of: address)
      }
    }
  }

  /// Executes statements that only read, and repeats them once if the connection was lost.
  func read(_ calls: [PostgresConnection.Call]) throws(StorageFailure) -> [PostgresRows] {
    try state.withLock { state throws(StorageFailure) in
      do throws(PostgresFailure) {
        return try attempt(calls, &state)
      } catch {
        do throws(PostgresFailure) {
          guard case .lost = error, !state.isClosed else { throw error }
          return try attempt(calls, &state)
        } catch {
          throw fail(error, state, isWrite: false)
        }
      }
    }
  }

  /// Executes statements in one transaction, which is repeated while its result is unknown.
  ///
  /// Every statement must have the same effect when it is repeated, and must write even if a row is already as it should
  /// be, because only a write proves that the server is still the primary server.
  func write(_ calls: [PostgresConnection.Call]) throws(StorageFailure) -> [PostgresRows] {
    try state.withLock { state throws(StorageFailure) in
      if state.isClosed { throw .closed }
      if let refusal = health.refusal(atNanoseconds: now()) { throw refusal }
      let all = [PostgresConnection.Call(Self.begin)] + calls + [.init(Self.commit)]
      let deadline = now() + Limits.serverRetryNanoseconds
      while true {
        do throws(PostgresFailure) {
          let rows = try attempt(all, &state)
          assert(rows.count == calls.count + 2, "the commit is one of the statements")
          health.writeSucceeded(atNanoseconds: now())
          return Array(rows.dropFirst().dropLast())
        } catch {
          switch error {
          case .lost, .uncertain:
            guard now() < deadline else { throw fail(error, state, isWrite: true) }
            pauseBeforeRetry()
          case .refused: throw fail(error, state, isWrite: true)
          }
        }
      }
    }
  }

  /// Closes the connection; later calls throw `.closed`.
  func close() {
    state.withLock { state in
      state.connection = nil
      state.isClosed = true
    }
  }

  private static let begin = PostgresConnection.Statement(name: "begin", sql: "BEGIN")
  private static let commit = PostgresConnection.Statement(name: "commit", sql: "COMMIT")

  private func attempt(
    _ calls: [PostgresConnection.Call], _ state: inout State
  ) throws(PostgresFailure) -> [PostgresRows] {
    if state.connection?.isUsable != true {
      state.connection = nil
      guard !state.isClosed else { throw .lost(why: "the store is closed") }
      state.connection = try PostgresConnection(address)
    }
    guard let connection = state.connection else { throw .lost(why: "there is no connection") }
    return try connection.run(calls)
  }

  /// Waits before the next attempt to connect, so that an unreachable server is not flooded.
  private func pauseBeforeRetry() {
    var pause = timespec(tv_sec: 0, tv_nsec: Limits.serverPauseNanoseconds)
    unsafe _ = nanosleep(&pause, nil)
  }

  private func fail(_ failure: PostgresFailure, _ state: State, isWrite: Bool) -> StorageFailure {
    if state.isClosed { return .closed }
    let failure = Self.failure(failure, of: address)
    if failure.isOfDisk {
      if isWrite {
        health.writeFailed(failure, atNanoseconds: now())
      } else {
        health.readFailed(failure)
      }
    }
    return failure
  }

  private static func failure(
    _ failure: PostgresFailure, of address: PostgresAddress
  ) -> StorageFailure {
    switch failure {
    case .refused(PostgresSchema.takenOverState, _): .takenOver(server: "\(address)")
    case .refused: .rejected(server: "\(address)", why: "\(failure)")
    case .lost, .uncertain: .unreachable(server: "\(address)", why: "\(failure)")
    }
  }
}
