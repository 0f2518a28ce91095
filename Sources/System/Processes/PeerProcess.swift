import CLinux
import Glibc

/// The process at the other end of a UNIX socket, held by a descriptor of its own.
///
/// While it runs, its number is no other process's: what was read of `/proc` under that number before
/// `isRunning` was found true is of this process.
public struct PeerProcess: ~Copyable {
  /// The process's number.
  public let pid: Int32
  private let descriptor: Int32
  private let start: String

  /// Finds the process that made a connection.
  ///
  /// The kernel keeps that process with the socket since Linux 6.5 (`SO_PEERPIDFD`). Before, the number
  /// alone is known, which another process may have by now; its start is compared then.
  ///
  /// - Throws: The system's error, also when the process has ended.
  public init(peerOf socket: Int32, pid: Int32) throws(SystemFailure) {
    let descriptor = belfry_peer_pidfd(socket)
    if descriptor < 0, errno == ENOPROTOOPT {
      try self.init(pid: pid)
    } else {
      guard descriptor >= 0 else { throw .last("SO_PEERPIDFD", "process \(pid)") }
      self.init(pid: pid, descriptor)
    }
  }

  /// The process that has this number now.
  init(pid: Int32) throws(SystemFailure) {
    let descriptor = belfry_pidfd_open(pid)
    guard descriptor >= 0 else { throw .last("pidfd_open", "process \(pid)") }
    self.init(pid: pid, descriptor)
  }

  private init(pid: Int32, _ descriptor: Int32) {
    self.pid = pid
    self.descriptor = descriptor
    start = Self.start(of: pid)
  }

  deinit { _ = Glibc.close(descriptor) }

  /// Whether the process is still there, and is the one that it was.
  public var isRunning: Bool {
    // A descriptor of a process becomes readable when the process has ended.
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&watched, 1, 0) == 0 else { return false }
    return !start.isEmpty && start == Self.start(of: pid)
  }

  /// The clock ticks since the machine's start at which a process started; empty when it is gone.
  private static func start(of pid: Int32) -> String {
    guard let bytes = try? FileSystem.read("/proc/\(pid)/stat", limit: 4_096) else { return "" }
    // The second field, the program's name in parentheses, may hold anything.
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?
      .split(separator: " ")
    // proc(5): field 22 of all, so the twentieth behind the name.
    guard let fields, fields.count > 19 else { return "" }
    return String(fields[19])
  }
}
