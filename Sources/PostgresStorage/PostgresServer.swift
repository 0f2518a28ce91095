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
  let address: PostgresAddress
  private let now: @Sendable () -> Int64
  let health: StoreHealth

  /// The lock of the database that each connection tries to take; nil for no lock.
  private let lock: Lock?

  /// A lock of the database, which lasts as long as the connection.
  enum Lock {
    /// The lock of a single gateway, which excludes every other gateway.
    case exclusive
    /// The lock of a node of a cluster, which excludes a single gateway.
    case shared
    /// The lock of a provider service, which excludes every other provider service.
    case provider

    fileprivate var attempt: PostgresConnection.Statement {
      switch self {
      case .exclusive: PostgresServer.tryLock
      case .shared: PostgresServer.tryLockShared
      case .provider: PostgresServer.tryLockOfProvider
      }
    }
  }

  /// Connects to the server and brings the schemas up to date.
  ///
  /// `name` is the name of the store in the log and the metrics. A server that is the second connection of a store shares
  /// the store's health.
  /// Throws `.inUse` if the lock of another process excludes `lock`. `now` returns the time on the monotonic clock, in
  /// nanoseconds.
  init(
    _ address: PostgresAddress, name: String, schemas: [PostgresSchema] = [],
    lock: Lock? = nil, sharing health: StoreHealth? = nil,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) throws(StorageFailure) {
    self.address = address
    self.now = now
    self.lock = lock
    self.health = health ?? StoreHealth(name: name, isRemote: true)
    state = Mutex(State())
    try state.withLock { state throws(StorageFailure) in
      do throws(PostgresFailure) {
        state.connection = try PostgresConnection(address)
      } catch {
        throw Self.failure(error, of: address)
      }
    }
    if let lock { try take(lock) }
    if !schemas.isEmpty { try migrate(schemas) }
  }

  /// Creates or upgrades the tables.
  func migrate(_ schemas: [PostgresSchema]) throws(StorageFailure) {
    assert(
      Set(schemas.map(\.name)).count == schemas.count, "each schema is upgraded only once")
    try state.withLock { state throws(StorageFailure) in
      do throws(PostgresFailure) {
        guard let connection = state.connection else { return }
        for schema in schemas { try schema.migrate(connection) }
      } catch {
        throw Self.failure(error, of: address)
      }
    }
  }

  /// Locks the database for the lifetime of the connection.
  ///
  /// The server releases the lock of a gateway that has crashed as soon as it notices that the connection is closed.
  private func take(_ lock: Lock) throws(StorageFailure) {
    let deadline = now() + Limits.databaseLockNanoseconds
    while true {
      let rows = try read([.init(lock.attempt)])
      if rows.first.map({ $0.count > 0 && $0.integer(0, 0) != 0 }) ?? false { return }
      guard now() < deadline else { throw .inUse(server: "\(address)") }
      pauseBeforeRetry()
    }
  }

  /// Returns true if the database contains the tables of a gateway.
  func hasTables() throws(StorageFailure) -> Bool {
    let rows = try read([.init(Self.hasTables)])
    return rows.first.map { $0.count > 0 && $0.integer(0, 0) != 0 } ?? false
  }

  /// Executes statements that only read, and repeats them once if the connection was lost.
  func read(
    _ calls: [PostgresConnection.Call], within limit: Int64 = Limits.readAnswerNanoseconds
  ) throws(StorageFailure) -> [PostgresRows] {
    try state.withLock { state throws(StorageFailure) in
      if state.isClosed { throw .closed }
      // During an outage, only one read at a time waits for the server.
      if health.failure?.isOfServer == true, let refusal = health.refusal(atNanoseconds: now()) {
        throw refusal
      }
      do throws(PostgresFailure) {
        return try attempt(calls, &state, within: limit)
      } catch {
        do throws(PostgresFailure) {
          guard case .lost = error, !state.isClosed else { throw error }
          return try attempt(calls, &state, within: limit)
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
  func write(
    _ calls: [PostgresConnection.Call], within limit: Int64 = Limits.serverAnswerNanoseconds
  ) throws(StorageFailure) -> [PostgresRows] {
    assert(!calls.isEmpty, "a transaction has a purpose")
    let all = [PostgresConnection.Call(Self.begin)] + calls + [.init(Self.commit)]
    return try state.withLock { state throws(StorageFailure) in
      let rows = try persist(all, &state, isWrite: true, within: limit)
      assert(rows.count == calls.count + 2, "the commit is one of the statements")
      health.writeSucceeded(atNanoseconds: now())
      return Array(rows.dropFirst().dropLast())
    }
  }

  /// Executes statements that only read, on behalf of a write that follows; they fail as the write would.
  func readBeforeWrite(
    _ calls: [PostgresConnection.Call]
  ) throws(StorageFailure) -> [PostgresRows] {
    try state.withLock { state throws(StorageFailure) in try persist(calls, &state, isWrite: false)
    }
  }

  /// Executes statements; repeats a write for a limited time while its result is unknown, and a read once.
  private func persist(
    _ calls: [PostgresConnection.Call], _ state: inout State, isWrite: Bool,
    within limit: Int64 = Limits.serverAnswerNanoseconds
  ) throws(StorageFailure) -> [PostgresRows] {
    if state.isClosed { throw .closed }
    if let refusal = health.refusal(atNanoseconds: now()) { throw refusal }
    // Begins with the first lost attempt, so that a slow attempt is repeated at least once.
    var deadline: Int64?
    var lostCount = 0
    var deadlockCount = 0
    while true {
      do throws(PostgresFailure) {
        return try attempt(calls, &state, within: limit)
      } catch {
        switch error {
        case .lost, .uncertain:
          lostCount += 1
          deadline = deadline ?? now() + Limits.serverRetryNanoseconds
        // Only a later attempt can determine the result of a transaction that was sent.
        case .notConnected where isWrite && lostCount > 0: break
        // The server has rolled back the transaction so that another one can continue.
        case .refused(Self.deadlock, _) where isWrite && deadlockCount < Limits.deadlockRepeats:
          deadlockCount += 1
          continue
        case .notConnected, .refused: throw fail(error, state, isWrite: true)
        }
        guard isWrite ? now() < deadline ?? .max : lostCount == 1 else {
          throw fail(error, state, isWrite: true)
        }
        if isWrite { pauseBeforeRetry() }
      }
    }
  }

  /// Returns the error for a row that cannot be converted to a `record`.
  func invalidRow(_ record: String) -> StorageFailure {
    let failure = StorageFailure.unsuitable(
      server: "\(address)",
      why: "a row is not a valid \(record): restore the database from a backup")
    health.readFailed(failure)
    return failure
  }

  /// Closes the connection; later calls throw `.closed`.
  func close() {
    state.withLock { state in
      state.connection = nil
      state.isClosed = true
    }
  }

  private static let hasTables = PostgresConnection.Statement(
    name: "has_tables", sql: "SELECT to_regclass('belfry_schema') IS NOT NULL")
  private static let tryLock = PostgresConnection.Statement(
    name: "try_lock", sql: "SELECT pg_try_advisory_lock(1113879649)")
  private static let tryLockShared = PostgresConnection.Statement(
    name: "try_lock_shared", sql: "SELECT pg_try_advisory_lock_shared(1113879649)")
  private static let tryLockOfProvider = PostgresConnection.Statement(
    name: "try_lock_of_provider", sql: "SELECT pg_try_advisory_lock(1113879650)")
  /// The isolation level in which each statement sees everything that was committed before it began.
  private static let begin = PostgresConnection.Statement(
    name: "begin", sql: "BEGIN ISOLATION LEVEL READ COMMITTED")
  private static let commit = PostgresConnection.Statement(name: "commit", sql: "COMMIT")

  private func attempt(
    _ calls: [PostgresConnection.Call], _ state: inout State,
    within limit: Int64 = Limits.serverAnswerNanoseconds
  ) throws(PostgresFailure) -> [PostgresRows] {
    if state.connection?.isUsable != true {
      state.connection = nil
      guard !state.isClosed else { throw .notConnected(why: "the store is closed") }
      let connection = try PostgresConnection(address)
      // The previous connection's lock might still exist. The epoch protects the database even without the lock.
      if let lock { _ = try connection.run([.init(lock.attempt)]) }
      state.connection = connection
    }
    guard let connection = state.connection else {
      throw .notConnected(why: "there is no connection")
    }
    return try connection.run(calls, within: limit)
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
      // If the server is absent, writes would fail too.
      if isWrite || failure.isOfServer {
        health.writeFailed(failure, atNanoseconds: now())
      } else {
        health.readFailed(failure)
      }
    }
    return failure
  }
}
