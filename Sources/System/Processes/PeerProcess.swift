import CLinux
import Glibc

/// The process at the other end of a UNIX socket, identified by a process descriptor.
///
/// While the process runs, no other process has its number. Therefore, if `isRunning` returns true, all data that was
/// previously read from `/proc` for that number belongs to this process.
public struct PeerProcess: ~Copyable {
  /// The number of the process (PID).
  public let pid: Int32
  private let descriptor: Int32
  private let start: String

  /// Finds the process that opened a connection.
  ///
  /// Since Linux 6.5, the kernel stores a reference to that process with the socket (`SO_PEERPIDFD`). On earlier
  /// versions, only the process number is known. Another process might have received that number in the meantime, so
  /// the start time is checked.
  ///
  /// - Throws: The system's error, including when the process has exited.
  public init(peerOf socket: Int32, pid: Int32) throws(SystemFailure) {
    let descriptor = belfry_peer_pidfd(socket)
    if descriptor < 0, errno == ENOPROTOOPT {
      try self.init(pid: pid)
    } else {
      guard descriptor >= 0 else { throw .last("SO_PEERPIDFD", "process \(pid)") }
      self.init(pid: pid, descriptor)
    }
  }

  /// Creates a value for the process that currently has this number.
  ///
  /// - Throws: The system's error, including when no process has this number.
  public init(pid: Int32) throws(SystemFailure) {
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

  /// True if the process has not exited.
  public var isRunning: Bool {
    // A process's descriptor becomes readable when the process exits.
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&watched, 1, 0) == 0 else { return false }
    return !start.isEmpty && start == Self.start(of: pid)
  }

  /// Returns the start time of a process in clock ticks since the machine started, or an empty string if the process
  /// has exited.
  private static func start(of pid: Int32) -> String {
    guard let bytes = try? FileSystem.read("/proc/\(pid)/stat", limit: 4_096) else { return "" }
    // The second field, the program's name in parentheses, can contain any characters.
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?
      .split(separator: " ")
    // proc(5): the start time is field 22, which is the twentieth field after the name.
    guard let fields, fields.count > 19 else { return "" }
    return String(fields[19])
  }
}
