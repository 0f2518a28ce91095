import Glibc

/// A non-blocking connection to the agent's socket, which is closed when this value is dropped.
struct LocalSocket: ~Copyable {
  private let descriptor: Int32

  /// The result of a read.
  enum ReadResult {
    case bytes([UInt8])
    case nothingYet
    case ended
  }

  /// Connects to the socket at a path; if the connection fails, the error contains the `errno`.
  static func connect(to path: String) throws(AppLinkSocketFailure) -> LocalSocket {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
      throw AppLinkSocketFailure(call: "connect", code: ENAMETOOLONG)
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw AppLinkSocketFailure(call: "socket", code: errno) }
    let socket = LocalSocket(descriptor: descriptor)
    let result = unsafe withUnsafePointer(to: address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw AppLinkSocketFailure(call: "connect", code: errno) }
    return socket
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// Reads the available bytes.
  func read() -> ReadResult {
    var buffer = [UInt8](repeating: 0, count: Limits.readBytes)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe Glibc.recv(descriptor, $0.baseAddress, $0.count, 0)
    }
    if count > 0 { return .bytes(Array(buffer[..<count])) }
    if count < 0, errno == EAGAIN || errno == EINTR { return .nothingYet }
    return .ended
  }

  /// Sends the bytes that the socket accepts now.
  ///
  /// Returns the number of bytes sent, or nil if the connection is closed.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// Waits until the socket is ready, the wake-up pipe is signaled, or the time has elapsed.
  func wait(orFor wakeup: WakeupPipe, wantsToWrite: Bool, milliseconds: Int64?) {
    wakeup.wait(with: descriptor, wantsToWrite: wantsToWrite, milliseconds: milliseconds)
  }
}

/// A system call that failed while connecting to the agent.
struct AppLinkSocketFailure: Error {
  let call: StaticString
  let code: Int32
}

/// A pipe through which other threads wake the connection's thread.
final class WakeupPipe: Sendable {
  private let readEnd: Int32
  private let writeEnd: Int32

  /// Creates the pipe, or returns nil if the process has no more descriptors available.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard unsafe ends.withUnsafeMutableBufferPointer({ unsafe pipe($0.baseAddress) }) == 0 else {
      return nil
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    assert(ends.allSatisfy { $0 >= 0 }, "a pipe has two ends")
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    _ = close(readEnd)
    _ = close(writeEnd)
  }

  /// Wakes the waiting thread.
  ///
  /// A signal sent before the wait is not lost.
  func signal() {
    let byte: [UInt8] = [1]
    _ = unsafe byte.withUnsafeBytes { unsafe Glibc.write(writeEnd, $0.baseAddress, 1) }
  }

  /// Waits until the pipe is signaled, the other descriptor is ready, or the time has elapsed.
  ///
  /// If `milliseconds` is nil, there is no time limit.
  func wait(with descriptor: Int32 = -1, wantsToWrite: Bool = false, milliseconds: Int64?) {
    var descriptors = [
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
      pollfd(
        fd: descriptor, events: Int16(POLLIN) | (wantsToWrite ? Int16(POLLOUT) : 0), revents: 0),
    ]
    let timeout = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
    _ = unsafe descriptors.withUnsafeMutableBufferPointer {
      unsafe poll($0.baseAddress, nfds_t($0.count), timeout)
    }
    guard descriptors[0].revents != 0 else { return }
    var signals = [UInt8](repeating: 0, count: 256)
    while unsafe signals.withUnsafeMutableBytes({
      unsafe Glibc.read(readEnd, $0.baseAddress, $0.count)
    }) > 0 {}
  }
}

/// Returns the time on the monotonic clock, in milliseconds.
func monotonicMilliseconds() -> Int64 {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
