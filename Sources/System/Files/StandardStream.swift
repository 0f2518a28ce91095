import CLinux
import Glibc
internal import Synchronization

/// Standard output or standard error of a process that has to be able to end while no reader empties them.
///
/// A write waits for the reader of a full pipe, as write(2) does. Once the process was asked to end it waits a
/// moment longer and then gives up, so that the thread that has to end the process can do so.
public enum StandardStream: Int32, Sendable, CaseIterable {
  /// Standard output.
  case output = 1
  /// Standard error.
  case error = 2

  /// Writes all the bytes, in one piece as far as other threads of this process are concerned.
  ///
  /// Returns the error number of a write that failed, `ETIMEDOUT` where the process was asked to end and no
  /// reader made room, 0 when all is written.
  public func write(_ bytes: some Collection<UInt8>) -> Int32 {
    let bytes = Array(bytes)
    return switch self {
    case .output: Self.outputTurn.withLock { _ in write(bytes) }
    case .error: Self.errorTurn.withLock { _ in write(bytes) }
    }
  }

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
      assert(written <= bytes.count, "the kernel takes no more than it is given")
    }
    return 0
  }

  /// Waits until a write of a piece will not wait; false where it is no use to wait any longer.
  private func waitForRoom() -> Bool {
    while true {
      var wanted = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
      // Errors, such as a reader that is gone, are told by the write.
      let isOverdue = ProcessEnd.isOverdue
      guard unsafe poll(&wanted, 1, isOverdue ? 0 : Self.sliceMilliseconds) == 0 else {
        return true
      }
      if isOverdue { return false }
    }
  }

  /// Bytes that a pipe with room takes without waiting: `PIPE_BUF`.
  private static let pieceBytes = 4_096
  /// Milliseconds between two looks at whether the process was asked to end.
  private static let sliceMilliseconds: Int32 = 50

  // One writer at a time: two that see room for one piece would otherwise both write.
  private static let outputTurn = Mutex(())
  private static let errorTurn = Mutex(())
}

/// Whether this process was asked to end, for what waits on other threads or in the way of the one that ends it.
enum ProcessEnd {
  /// Nanoseconds of the monotonic clock at which the request was first noticed; 0 before.
  private static let noticedAt = Atomic<Int64>(0)
  /// Whether a terminal that hangs up ends this process, too.
  private static let endsOnHangup = Atomic<Bool>(false)
  /// Nanoseconds that a slow reader gets, from the request on, for all that is still to be written.
  private static let graceNanoseconds: Int64 = 1_000_000_000

  /// Notes that the process was asked to end.
  static func notice() {
    let now = max(1, SystemClock.monotonicNanoseconds)
    _ = noticedAt.compareExchange(expected: 0, desired: now, ordering: .relaxed)
  }

  /// Notes that SIGHUP ends this process.
  static func includeHangup() { endsOnHangup.store(true, ordering: .relaxed) }

  /// Whether the process was asked to end, and a slow reader had its time.
  static var isOverdue: Bool {
    if noticedAt.load(ordering: .relaxed) == 0 {
      guard isSignalPending else { return false }
      notice()
    }
    let noticed = noticedAt.load(ordering: .relaxed)
    assert(noticed > 0, "a request that was noticed has its time")
    return SystemClock.monotonicNanoseconds - noticed >= graceNanoseconds
  }

  /// Whether a signal to end waits: the thread that would read it may be the one that asks.
  private static var isSignalPending: Bool {
    var pending = sigset_t()
    guard unsafe sigpending(&pending) == 0 else { return false }
    var signals = [SIGTERM, SIGINT]
    if endsOnHangup.load(ordering: .relaxed) { signals.append(SIGHUP) }
    return signals.contains { unsafe sigismember(&pending, $0) == 1 }
  }
}
