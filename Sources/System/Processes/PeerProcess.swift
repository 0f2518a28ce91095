import CLinux
import Glibc

/// The process at the other end of a UNIX socket, held by its own descriptor.
///
/// While it runs, no other process has its number: everything that was read from `/proc` under that number before
/// `isRunning` returned true belongs to this process.
public struct PeerProcess: ~Copyable {
  /// The number of the process.
  public let pid: Int32
  private let descriptor: Int32
  private let start: String

  /// Finds the process that opened a connection.
  ///
  /// Since Linux 6.5 the kernel keeps that process with the socket (`SO_PEERPIDFD`). On earlier versions only the
  /// process number is known. Another process may have that number by now, so the start time is compared.
  ///
  /// - Throws: The system's error, also if the process has ended.
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

  /// True if the process still exists and is the same one.
  public var isRunning: Bool {
    // A process's descriptor becomes readable when the process has ended.
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&watched, 1, 0) == 0 else { return false }
    return !start.isEmpty && start == Self.start(of: pid)
  }

  /// Returns the clock ticks from the machine's start to a process's start; empty if the process has ended.
  private static func start(of pid: Int32) -> String {
    guard let bytes = try? FileSystem.read("/proc/\(pid)/stat", limit: 4_096) else { return "" }
    // The second field, the program's name in parentheses, may contain anything.
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?
      .split(separator: " ")
    // proc(5): field 22 of all, so the twentieth after the name.
    guard let fields, fields.count > 19 else { return "" }
    return String(fields[19])
  }
}
