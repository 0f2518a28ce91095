internal import Synchronization

/// Whether a store's disk takes writes, as a probe, the log and the metrics ask it, from any thread.
///
/// A write that fails for the disk's sake begins a trouble. Until a write succeeds again, writes are tried at
/// growing intervals, and refused in between for the reason of the last attempt: a disk that fails is not
/// hammered, and who asks is answered at once.
public final class StoreHealth: Sendable {
  /// A line for the log.
  public enum Report: Sendable, Equatable {
    /// Writes fail; `refused` ones since the last report.
    case failing(String, refused: Int)
    /// A write succeeded, after that many nanoseconds.
    case works(afterNanoseconds: Int64, refused: Int)
    /// Something that is stored cannot be read.
    case unreadable(String)
  }

  private struct State {
    var failure: StorageFailure?
    var sinceNanoseconds: Int64 = 0
    var pauseNanoseconds: Int64 = 0
    var retryNanoseconds: Int64 = 0
    /// Failed and refused writes that no report has counted.
    var refused = 0
    var unreadable: StorageFailure?
    var isUnreadableReported = true
    var reportNanoseconds: Int64 = .min
    var recovery: Report?
  }

  /// The store's name: its file's.
  public let name: String
  private let state = Mutex(State())

  /// The health of a store that has not failed.
  public init(name: String) { self.name = name }

  /// Why the store takes no writes; nil where it does.
  public var failure: StorageFailure? { state.withLock { $0.failure } }

  /// Why something could not be read since the start; nil where everything could.
  public var readFailure: StorageFailure? { state.withLock { $0.unreadable } }

  /// Whether it is time to try a write on a store that fails.
  public func isRetryDue(atNanoseconds now: Int64) -> Bool {
    state.withLock { $0.failure != nil && now >= $0.retryNanoseconds }
  }

  /// What is to be logged now; a store that goes on failing has one report a minute.
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

  /// Why a write is refused without an attempt; nil where it is to be attempted.
  func refusal(atNanoseconds now: Int64) -> StorageFailure? {
    state.withLock { state in
      guard let failure = state.failure, now < state.retryNanoseconds else { return nil }
      state.refused += 1
      return failure
    }
  }

  /// A write failed.
  func writeFailed(_ failure: StorageFailure, atNanoseconds now: Int64) {
    assert(failure.isOfDisk, "a request's own fault is no trouble")
    state.withLock { state in
      if state.failure == nil {
        state.sinceNanoseconds = now
        state.pauseNanoseconds = 0
        state.refused = 0
        // A disk that fails now and then has one line a minute, too.
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

  /// A write succeeded.
  func writeSucceeded(atNanoseconds now: Int64) {
    state.withLock { state in
      guard state.failure != nil else { return }
      state.failure = nil
      state.recovery = .works(
        afterNanoseconds: now - state.sinceNanoseconds, refused: state.refused)
    }
  }

  /// A read failed.
  func readFailed(_ failure: StorageFailure) {
    state.withLock { state in
      if state.unreadable == nil { state.reportNanoseconds = .min }
      state.unreadable = failure
      state.isUnreadableReported = false
    }
  }
}
