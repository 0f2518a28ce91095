internal import Synchronization
internal import System

/// A connection to a store's file with its prepared statements.
protocol StoreEngine: AnyObject, SendableMetatype {
  /// Opens the file at `path`, and creates it if `mayCreate` is true.
  ///
  /// Rows that the engine sets aside are recorded in `damage`.
  init(path: String, mayCreate: Bool, damage: StoreDamage) throws(StorageFailure)
  /// Searches for damaged rows and sets them aside.
  func setAsideDamage() throws(StorageFailure)
  /// The number of rows that this connection has changed.
  var changeCount: Int64 { get }
}

/// A store's engine with its lock.
///
/// After a failed sync, the kernel can drop the unwritten pages and report success for the next sync. The engine is
/// therefore closed after a write whose effect on the disk is unknown, and a new engine reads the actual content of the
/// file.
final class LockedEngine<Engine: StoreEngine>: Sendable {
  private struct State {
    var engine: Engine?
    var isClosed = false
  }

  private let state: Mutex<State>
  private let path: String
  private let now: @Sendable () -> Int64
  private let make: Make
  let health: StoreHealth
  /// The rows that were set aside by all connections.
  let damage = StoreDamage()

  /// A function that opens an engine, and creates its file if the second argument is true.
  typealias Make = @Sendable (String, Bool, StoreDamage) throws(StorageFailure) -> Engine

  /// Opens or creates the file at `path`.
  ///
  /// `now` returns the time on the monotonic clock, in nanoseconds.
  init(
    path: String, now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds },
    make: @escaping Make = { path, mayCreate, damage throws(StorageFailure) in
      try Engine(path: path, mayCreate: mayCreate, damage: damage)
    }
  ) throws(StorageFailure) {
    self.path = path
    self.now = now
    self.make = make
    health = StoreHealth(name: path.split(separator: "/").last.map(String.init) ?? "memory")
    state = try Mutex(State(engine: make(path, true, damage)))
  }

  /// Calls `body`, which must only read, and returns its result.
  func read<Answer: Sendable>(
    _ body: (Engine) throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    try state.withLock { state throws(StorageFailure) in
      do throws(StorageFailure) {
        let engine = try open(&state)
        do throws(StorageFailure) {
          return try body(engine)
        } catch {
          // Retry once, after setting aside the damaged rows that the read encountered.
          guard error.mayBeOfRows, (try? engine.setAsideDamage()) != nil else { throw error }
          return try body(engine)
        }
      } catch {
        if error.isOfDisk { health.readFailed(error) }
        throw error
      }
    }
  }

  /// Calls `body`, which writes, and returns its result, unless the disk has failed recently.
  func write<Answer: Sendable>(
    _ body: (Engine) throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    try state.withLock { state throws(StorageFailure) in
      if state.isClosed { throw .closed }
      if let refusal = health.refusal(atNanoseconds: now()) { throw refusal }
      do throws(StorageFailure) {
        let engine = try open(&state)
        let before = engine.changeCount
        let answer: Answer
        do throws(StorageFailure) {
          answer = try body(engine)
        } catch {
          guard error.mayBeOfRows, (try? engine.setAsideDamage()) != nil else { throw error }
          answer = try body(engine)
        }
        // Do not count a write that changed nothing, because it did not involve the disk.
        if engine.changeCount != before { health.writeSucceeded(atNanoseconds: now()) }
        return answer
      } catch {
        guard error.isOfDisk else { throw error }
        if !path.isEmpty, mustReopen(after: error) { state.engine = nil }
        health.writeFailed(error, atNanoseconds: now())
        throw error
      }
    }
  }

  /// Closes the file; later calls throw `.closed`.
  func close() {
    state.withLock { state in
      state.engine = nil
      state.isClosed = true
    }
  }

  private func open(_ state: inout State) throws(StorageFailure) -> Engine {
    if let engine = state.engine { return engine }
    if state.isClosed { throw .closed }
    // Do not create the file: if it has disappeared since it was opened, an empty store must not replace it.
    let engine = try make(path, false, damage)
    state.engine = engine
    return engine
  }

  /// Returns true if the engine must be reopened after a failure.
  ///
  /// A full disk, a file locked by another process, or a read-only file does not leave a partial write, so the engine
  /// stays open.
  private func mustReopen(after failure: StorageFailure) -> Bool {
    switch failure {
    case .diskFull, .busy, .readOnly: false
    default: true
    }
  }
}

/// An engine of a store whose rows have checksums.
protocol ChecksummedStoreEngine: StoreEngine {
  static var schema: SQLiteDatabase.Schema { get }
  var database: SQLiteDatabase { get }
  var damage: StoreDamage { get }
}

extension ChecksummedStoreEngine {
  func setAsideDamage() throws(StorageFailure) {
    // No rollback is required: the failed statement rolled back its transaction.
    try database.setAsideDamage(of: Self.schema, atMilliseconds: SystemClock.unixMilliseconds)
    try noteDamage()
  }

  /// Updates `damage` with the rows that were set aside.
  func noteDamage() throws(StorageFailure) { damage.replace(with: try database.rowsSetAside()) }
}

extension LockedEngine where Engine: ChecksummedStoreEngine {
  /// Discards the rows that were set aside.
  ///
  /// Returns their number.
  func forgetSetAside() throws(StorageFailure) -> Int {
    try write { engine throws(StorageFailure) in
      let count = engine.damage.count
      try engine.database.forgetSetAside()
      try engine.noteDamage()
      return count
    }
  }

  /// Returns the rows that were set aside, for inspection.
  func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] {
    try read { engine throws(StorageFailure) in try engine.database.listSetAside() }
  }

  static func inspect(path: String) throws(StorageFailure) -> StoreInspection {
    try StoreInspection.inspect(path: path, schema: Engine.schema)
  }
}

/// An engine that counts its writes both in its file and in a mark file next to it, so that a loss is detected.
protocol MarkedStoreEngine: ChecksummedStoreEngine {
  /// The number of writes that were made but are missing from the file, because the file's write-ahead log was lost or
  /// truncated, or because an older copy has replaced the file.
  var lostCount: UInt64 { get }
  /// Discards the record of lost writes, after an operator has been notified.
  func forgetLost()
  /// Performs a write to test whether the disk accepts writes.
  func probe() throws(StorageFailure)
}

extension LockedEngine where Engine: MarkedStoreEngine {
  func lostCount() throws(StorageFailure) -> UInt64 {
    try read { engine throws(StorageFailure) in engine.lostCount }
  }

  func forgetLost() throws(StorageFailure) {
    try read { engine throws(StorageFailure) in engine.forgetLost() }
  }

  func probe() throws(StorageFailure) {
    try write { engine throws(StorageFailure) in try engine.probe() }
  }
}
