import Glibc

/// A long answer, written piece by piece from any thread.
///
/// `@unchecked Sendable` holds because everything that changes is read and written under the lock.
@safe public final class HTTP1BodyStream: @unchecked Sendable {
  enum Piece {
    case bytes([UInt8])
    /// Nothing came in a while.
    case silence
    case end
    case broken
  }

  /// Owned here; they must not move.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var waiting: [UInt8] = []
  private var isFinished = false
  private var isClosed = false
  private var onClose: (@Sendable () -> Void)?

  /// A stream that nobody reads yet.
  ///
  /// `onClose` is called once, when the client is gone or has read everything.
  public init(onClose: (@Sendable () -> Void)? = nil) {
    unsafe lock = .allocate(capacity: 1)
    unsafe changed = .allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(changed, nil)
    self.onClose = onClose
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(lock)
    unsafe changed.deallocate()
    unsafe lock.deallocate()
  }

  /// Adds a piece; false when the client is gone or reads too slowly, so that writing can stop.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool {
    locked {
      guard !isClosed, !isFinished else { return false }
      guard waiting.count + bytes.count <= Limits.httpStreamBytes else {
        isClosed = true
        return false
      }
      waiting += bytes
      return true
    }
  }

  /// The answer is whole.
  public func finish() {
    locked { isFinished = true }
  }

  /// Ends it on the reader's side.
  func close() {
    let told = locked {
      isClosed = true
      waiting = []
      let told = onClose
      onClose = nil
      return told
    }
    told?()
  }

  /// The reader: waits for a piece of at most `limit` bytes.
  func next(limit: Int) -> Piece {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    if waiting.isEmpty, !isFinished, !isClosed {
      var deadline = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &deadline)
      deadline.tv_sec += Limits.httpStreamLookSeconds
      unsafe pthread_cond_timedwait(changed, lock, &deadline)
    }
    if isClosed { return .broken }
    guard waiting.isEmpty else {
      let piece = Array(waiting.prefix(limit))
      waiting.removeFirst(piece.count)
      return .bytes(piece)
    }
    return isFinished ? .end : .silence
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    unsafe pthread_mutex_lock(lock)
    defer {
      unsafe pthread_cond_broadcast(changed)
      unsafe pthread_mutex_unlock(lock)
    }
    return body()
  }
}
