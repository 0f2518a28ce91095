import CLinux
import Glibc
internal import Synchronization

/// Standard output or standard error of a process that must be able to exit even if the stream is not read.
///
/// A write to a full pipe waits for the reader, like write(2). After the process has been asked to exit, the write
/// waits briefly and then fails, so that the thread that shuts down the process can proceed.
public enum StandardStream: Int32, Sendable, CaseIterable {
  /// The standard output stream.
  case output = 1
  /// The standard error stream.
  case error = 2

  /// Writes all bytes, without interleaving them with the output of other threads in this process.
  ///
  /// Returns the error number of a failed write, `ETIMEDOUT` if the process was asked to exit and no reader freed
  /// space, or 0 if all bytes were written.
  public func write(_ bytes: some Collection<UInt8>) -> Int32 {
    let bytes = Array(bytes)
    return switch self {
    case .output: Self.outputTurn.withLock { _ in write(bytes) }
    case .error: Self.errorTurn.withLock { _ in write(bytes) }
    }
  }

  /// Records that the process was asked to exit, for a thread that receives the signals itself.
  public static func noticeExitRequest() { ProcessEnd.notice() }

  private func write(_ bytes: [UInt8]) -> Int32 {
    var written = 0
    while written < bytes.count {
      guard waitForRoom() else { return ETIMEDOUT }
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          rawValue, buffer.baseAddress.map { unsafe $0 + written },
          min(bytes.count - written, Self.pieceBytes))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      written += count
      assert(written <= bytes.count, "no more bytes are written than were passed")
    }
    return 0
  }

  /// Waits until a piece can be written without blocking.
  ///
  /// Returns false if the wait must end before space is free.
  private func waitForRoom() -> Bool {
    while true {
      var wanted = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
      // Errors, such as a closed reader, are reported by the write itself.
      let isOverdue = ProcessEnd.isOverdue
      guard unsafe poll(&wanted, 1, isOverdue ? 0 : Self.sliceMilliseconds) == 0 else {
        return true
      }
      if isOverdue { return false }
    }
  }

  /// The number of bytes that a pipe with free space accepts without blocking: `PIPE_BUF`.
  private static let pieceBytes = 4_096
  /// The number of milliseconds between two checks for a request to exit.
  private static let sliceMilliseconds: Int32 = 50

  // Allow only one writer at a time: otherwise, two writers that both see space for a single piece would both write.
  private static let outputTurn = Mutex(())
  private static let errorTurn = Mutex(())
}

/// The record of requests to exit this process, for code that waits on other threads or blocks the thread that shuts
/// down the process.
enum ProcessEnd {
  /// The time at which the request was first noticed, in nanoseconds on the monotonic clock; 0 if no request was
  /// noticed.
  private static let noticedAt = Atomic<Int64>(0)
  /// True if a hangup of the terminal also terminates this process.
  private static let endsOnHangup = Atomic<Bool>(false)
  /// The number of nanoseconds after the request during which a slow reader can still read all remaining output.
  private static let graceNanoseconds: Int64 = 1_000_000_000

  /// Records that the process was asked to exit.
  static func notice() {
    let now = max(1, SystemClock.monotonicNanoseconds)
    _ = noticedAt.compareExchange(expected: 0, desired: now, ordering: .relaxed)
  }

  /// Records that SIGHUP terminates this process.
  static func includeHangup() { endsOnHangup.store(true, ordering: .relaxed) }

  /// True if the process was asked to exit and the time for a slow reader has expired.
  static var isOverdue: Bool {
    if noticedAt.load(ordering: .relaxed) == 0 {
      guard isSignalPending else { return false }
      notice()
    }
    let noticed = noticedAt.load(ordering: .relaxed)
    assert(noticed > 0, "the time of a noticed request was recorded")
    return SystemClock.monotonicNanoseconds - noticed >= graceNanoseconds
  }

  /// True if a signal to terminate is pending.
  ///
  /// The signal might still be unread, because the thread that reads signals might be the thread that performs this
  /// check.
  private static var isSignalPending: Bool {
    var pending = sigset_t()
    guard unsafe sigpending(&pending) == 0 else { return false }
    var signals = [SIGTERM, SIGINT]
    if endsOnHangup.load(ordering: .relaxed) { signals.append(SIGHUP) }
    return signals.contains { unsafe sigismember(&pending, $0) == 1 }
  }
}
