internal import Synchronization

/// The health of a store's disk, for probes, the log, and the metrics.
///
/// This object can be used from any thread. A write that fails because of the disk begins an outage. Until a write
/// succeeds again, writes are attempted at growing intervals. Between attempts, writes are refused immediately with the
/// reason from the last attempt, so that a failing disk is not overloaded.
public final class StoreHealth: Sendable {
  /// A report for the log.
  public enum Report: Sendable, Equatable {
    /// Writes fail; `refused` is the number of failed and refused writes since the last report.
    case failing(String, refused: Int)
    /// A write succeeded, after an outage of this many nanoseconds.
    case works(afterNanoseconds: Int64, refused: Int)
    /// Stored data cannot be read.
    case unreadable(String)
  }

  private struct State {
    var failure: StorageFailure?
    var sinceNanoseconds: Int64 = 0
    var pauseNanoseconds: Int64 = 0
    var retryNanoseconds: Int64 = 0
    /// The number of failed and refused writes that no report has counted.
    var refused = 0
    var unreadable: StorageFailure?
    var isUnreadableReported = true
    var reportNanoseconds: Int64 = .min
    var recovery: Report?
  }

  /// The store's name, which is the name of its file.
  public let name: String
  /// True if the store is on a database server, whose absence is not a problem of a disk.
  public let isRemote: Bool
  private let state = Mutex(State())

  /// Creates the health of a store that has not failed.
  public init(name: String, isRemote: Bool = false) {
    self.name = name
    self.isRemote = isRemote
  }

  /// The reason that the store does not accept writes; nil if it accepts writes.
  public var failure: StorageFailure? { state.withLock { $0.failure } }

  /// The most recent read failure since startup; nil if no read has failed.
  public var readFailure: StorageFailure? { state.withLock { $0.unreadable } }

  /// Returns true if it is time to attempt a write on a failing store.
  public func isRetryDue(atNanoseconds now: Int64) -> Bool {
    state.withLock { $0.failure != nil && now >= $0.retryNanoseconds }
  }

  /// Returns a report to log now, or nil if no report is due.
  ///
  /// A store that continues to fail causes one report per minute.
  public func report(atNanoseconds now: Int64) -> Report? {
    state.withLock { state in
      if let recovery = state.recovery {
        state.recovery = nil
        return recovery
      }
      let isDue = state.reportNanoseconds <= now
      if let failure = state.failure, isDue {
        state.reportNanoseconds = now + Limits.failureLogNanoseconds
        defer { state.refused = 0 }
        return .failing("\(failure)", refused: state.refused)
      }
      if let unreadable = state.unreadable, !state.isUnreadableReported, isDue {
        state.isUnreadableReported = true
        state.reportNanoseconds = now + Limits.failureLogNanoseconds
        return .unreadable("\(unreadable)")
      }
      return nil
    }
  }

  /// Returns the reason to refuse a write without an attempt, or nil if the write should be attempted.
  package func refusal(atNanoseconds now: Int64) -> StorageFailure? {
    state.withLock { state in
      guard let failure = state.failure, now < state.retryNanoseconds else { return nil }
      state.refused += 1
      return failure
    }
  }

  /// Records a failed write.
  package func writeFailed(_ failure: StorageFailure, atNanoseconds now: Int64) {
    assert(failure.isOfDisk, "the failure was caused by the disk")
    state.withLock { state in
      if state.failure == nil {
        state.sinceNanoseconds = now
        state.pauseNanoseconds = 0
        state.refused = 0
        // Discard an unreported recovery, so that a disk that fails intermittently causes at most one log line per
        // minute.
        state.recovery = nil
      }
      state.failure = failure
      state.refused += 1
      state.pauseNanoseconds = min(
        max(state.pauseNanoseconds * 2, Limits.writeRetryNanosecondsMin),
        Limits.writeRetryNanosecondsMax)
      state.retryNanoseconds = now + state.pauseNanoseconds
    }
  }

  /// Records a successful write.
  package func writeSucceeded(atNanoseconds now: Int64) {
    state.withLock { state in
      guard state.failure != nil else { return }
      state.failure = nil
      state.recovery = .works(
        afterNanoseconds: now - state.sinceNanoseconds, refused: state.refused)
    }
  }

  /// Records a failed read.
  package func readFailed(_ failure: StorageFailure) {
    state.withLock { state in
      if state.unreadable == nil { state.reportNanoseconds = .min }
      state.unreadable = failure
      state.isUnreadableReported = false
    }
  }
}
