internal import CSQLite
internal import System

/// The check of a store's file for damage.
extension SQLiteDatabase {
  /// The result of ``check(nanoseconds:)``.
  enum CheckOutcome: Equatable {
    case whole
    case damaged(String)
    /// The file is intact, but some of its rows or indexes have changed since they were written.
    case hasDamagedRows
    /// The time limit was reached before the end of the check.
    case unfinished
  }

  /// The deadline of a check, which SQLite's progress callback reads.
  private final class Deadline {
    let nanoseconds: Int64
    var isOver = false

    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    func look() -> Bool {
      if SystemClock.monotonicNanoseconds > nanoseconds { isOver = true }
      return isOver
    }
  }

  /// Checks the file by reading every page twice, for at most `nanoseconds`.
  ///
  /// SQLite's own check finds damage in the structure of tables and indexes and in the format of rows. The row
  /// checksums, and the comparison of the rows with the indexes, find all other damage.
  func check(_ schema: Schema, nanoseconds: Int64) throws(StorageFailure) -> CheckOutcome {
    let deadline = Deadline(nanoseconds: SystemClock.monotonicNanoseconds + nanoseconds)
    // SQLite calls this function between steps, and aborts the statement if the result is not 0.
    unsafe sqlite3_progress_handler(
      connection, Limits.stepsBetweenClockReadings,
      { context in
        guard let context = unsafe context else { return 0 }
        let deadline = unsafe Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue()
        return deadline.look() ? 1 : 0
      }, Unmanaged.passUnretained(deadline).toOpaque())
    defer {
      unsafe sqlite3_progress_handler(connection, 0, nil, nil)
      withExtendedLifetime(deadline) {}
    }
    do throws(StorageFailure) {
      let check = try prepare(once: "PRAGMA quick_check(1)")
      guard try check.step() else { return .damaged("the check returned no result") }
      let answer = check.text(0)
      if deadline.isOver { return .unfinished }
      guard answer == "ok" else { return .damaged(answer.replacing("\n", with: " ")) }
      guard try hasTables(of: schema) else {
        return .damaged("the schema differs from the expected schema")
      }
      for table in schema.tables where try !verify(table).isWhole { return .hasDamagedRows }
      return deadline.isOver ? .unfinished : .whole
    } catch {
      if deadline.isOver { return .unfinished }
      if case .corrupt(_, let detail) = error { return .damaged(detail) }
      throw error
    }
  }
}
