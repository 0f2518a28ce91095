import CLinux
import Glibc

/// The socket calls that streams use.
///
/// Every descriptor is non-blocking and close-on-exec.
public enum Socket {
  /// The result of a system call that transfers data.
  public enum Transfer: Sendable, Equatable {
    /// The number of bytes transferred; for a read, 0 means the end of the stream.
    case bytes(Int)
    /// No data can be transferred now; wait for readiness.
    case wouldBlock
    /// The connection is broken.
    case failed(errno: Int32)
  }

  /// The way in which several sockets of a process share a port.
  public enum PortSharing: Sendable {
    /// The socket does not share its port.
    case none
    /// The first socket, which acquires the port exclusively or fails, and then allows further sockets of the same user
    /// to join.
    case first
    /// A socket that joins the first socket.
    case further
  }

  /// Listens on an internet address.
  ///
  /// SO_REUSEPORT would allow any process of the same user to join, for example another gateway. The first socket
  /// therefore binds without this option, which fails if the port is in use, and sets the option afterward.
  public static func listen(
    on address: SocketAddress, sharing: PortSharing = .none, backlog: Int32 = 4_096
  ) throws(SystemFailure) -> Int32 {
    let family = address.family == .v4 ? AF_INET : AF_INET6
    let descriptor = try open(family)
    set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    if sharing == .further { set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
    if family == AF_INET6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    let bound = unsafe address.withSocketAddress { unsafe bind(descriptor, $0, $1) }
    guard bound == 0, Glibc.listen(descriptor, backlog) == 0 else {
      throw failure("bind", descriptor, address.description)
    }
    if sharing == .first { set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
    return descriptor
  }

  /// Listens on a path.
  ///
  /// A socket file without a listener is replaced.
  public static func listen(
    unixPath path: String, mode: UInt32 = 0o600, backlog: Int32 = 256
  ) throws(SystemFailure) -> Int32 {
    let descriptor = try open(AF_UNIX)
    var address = try unixAddress(path, descriptor)
    if let probe = try? connect(unixPath: path) {
      close(probe)
      close(descriptor)
      throw .call(name: "bind", errno: EADDRINUSE, subject: path)
    }
    unlinkSocket(path)
    guard !FileSystem.exists(path) else {
      close(descriptor)
      throw .unusable(
        text: path, reason: "it is not a socket: remove it, or choose another path")
    }
    let bound = unsafe withUnixAddress(&address) { unsafe bind(descriptor, $0, $1) }
    guard bound == 0, unsafe chmod(path, mode) == 0, Glibc.listen(descriptor, backlog) == 0 else {
      throw failure("bind", descriptor, path)
    }
    return descriptor
  }

  /// Prepares a listening socket that another program opened; sets the same flags as for this program's own sockets.
  public static func adoptListener(_ descriptor: Int32) throws(SystemFailure) {
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { throw .last("fcntl", "descriptor \(descriptor)") }
  }

  /// Starts a connection.
  ///
  /// When the descriptor is writable, the connection is open or has failed (`pendingError`).
  public static func connect(to address: SocketAddress) throws(SystemFailure) -> Int32 {
    let descriptor = try open(address.family == .v4 ? AF_INET : AF_INET6)
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    let result = unsafe address.withSocketAddress { unsafe Glibc.connect(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else {
      throw failure("connect", descriptor, address.description)
    }
    return descriptor
  }

  /// Connects to a listening path.
  public static func connect(unixPath path: String) throws(SystemFailure) -> Int32 {
    let descriptor = try open(AF_UNIX)
    var address = try unixAddress(path, descriptor)
    let result = unsafe withUnixAddress(&address) { unsafe Glibc.connect(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else { throw failure("connect", descriptor, path) }
    return descriptor
  }

  /// Returns two sockets that are connected to each other.
  ///
  /// `bufferBytes` limits the data that each socket accepts before its peer reads it; nil selects the kernel's limit.
  public static func pair(
    bufferBytes: Int32? = nil
  ) throws(SystemFailure) -> (one: Int32, other: Int32) {
    var ends: (Int32, Int32) = (-1, -1)
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let result = unsafe withUnsafeMutableBytes(of: &ends) { ends in
      unsafe socketpair(
        AF_UNIX, Int32(type), 0, ends.baseAddress?.assumingMemoryBound(to: Int32.self))
    }
    guard result == 0 else { throw .last("socketpair") }
    if let bufferBytes {
      set(ends.0, SOL_SOCKET, SO_SNDBUF, bufferBytes)
      set(ends.1, SOL_SOCKET, SO_SNDBUF, bufferBytes)
    }
    return (ends.0, ends.1)
  }

  /// Accepts the next connection on a listening socket.
  ///
  /// Returns nil if no connection is waiting.
  public static func accept(_ listener: Int32) throws(SystemFailure) -> Int32? {
    var peer: SocketAddress?
    return try accept(listener, peer: &peer)
  }

  /// Accepts the next connection on a listening socket, and determines the address of its peer.
  ///
  /// Returns nil if no connection is waiting. `peer` becomes the other end's address, or nil for a UNIX socket. The
  /// address must be determined now, because the system no longer returns it after a reset.
  public static func accept(
    _ listener: Int32, peer: inout SocketAddress?
  ) throws(SystemFailure) -> Int32? {
    var descriptor: Int32 = -1
    peer = unsafe address { storage, length in
      unsafe descriptor = accept4(
        listener, storage, length, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
      return descriptor < 0 ? -1 : 0
    }
    if descriptor >= 0 {
      set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
      // With this option, the kernel detects within hours that an idle peer's machine is no longer reachable.
      set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
      return descriptor
    }
    switch errno {
    case EAGAIN, EINTR, ECONNABORTED, EPROTO: return nil
    default: throw .last("accept4", "descriptor \(listener)")
    }
  }

  /// Performs one read(2) into `buffer`.
  public static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> Transfer {
    // recv(2) into an empty buffer returns 0, which would be mistaken for the end of the stream.
    assert(buffer.count > 0, "the buffer is not empty")
    return transfer { unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0) }
  }

  /// Performs one write(2) of `bytes`, which never raises SIGPIPE.
  public static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
    transfer {
      unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Returns the error from a finished connection attempt; 0 if the attempt succeeded.
  public static func pendingError(_ descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
      return errno
    }
    return code
  }

  /// Shuts down this side of the connection; the peer can still send.
  public static func finishWriting(_ descriptor: Int32) {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Closes the descriptor, which must be open.
  public static func close(_ descriptor: Int32) {
    assert(descriptor >= 0, "the descriptor is open")
    _ = Glibc.close(descriptor)
  }

  /// Returns this end's address, or nil for a UNIX socket.
  public static func localAddress(_ descriptor: Int32) -> SocketAddress? {
    unsafe address { unsafe getsockname(descriptor, $0, $1) }
  }

  /// Returns the other end's address, or nil for a UNIX socket or a closed connection.
  public static func peerAddress(_ descriptor: Int32) -> SocketAddress? {
    unsafe address { unsafe getpeername(descriptor, $0, $1) }
  }

  /// The credentials of the process at the other end of a UNIX socket.
  public struct PeerCredentials: Sendable, Hashable {
    /// The process number at the time of the connection.
    public let pid: Int32
    /// The user ID of the process.
    public let uid: UInt32
    /// The group ID of the process.
    public let gid: UInt32

    package init(pid: Int32, uid: UInt32, gid: UInt32) {
      self.pid = pid
      self.uid = uid
      self.gid = gid
    }
  }

  /// Returns the SO_PEERCRED credentials, or nil for internet sockets.
  public static func peerCredentials(_ descriptor: Int32) -> PeerCredentials? {
    var raw = belfry_peer_credentials()
    guard unsafe belfry_peer_credentials(descriptor, &raw) == 0, raw.pid > 0 else { return nil }
    return PeerCredentials(pid: raw.pid, uid: raw.uid, gid: raw.gid)
  }

  // MARK: Implementation

  private static func open(_ family: Int32) throws(SystemFailure) -> Int32 {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, Int32(type), 0)
    guard descriptor >= 0 else { throw .last("socket") }
    return descriptor
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(
      descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func transfer(_ call: () -> Int) -> Transfer {
    while true {
      let count = call()
      if count >= 0 { return .bytes(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed(errno: errno)
      }
    }
  }

  private static func failure(
    _ name: StaticString, _ descriptor: Int32, _ subject: String
  ) -> SystemFailure {
    let failure = SystemFailure.last(name, subject)
    close(descriptor)
    return failure
  }

  private static func address(
    _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, &length) }
    }
    guard result == 0 else { return nil }
    return unsafe SocketAddress(&storage)
  }

  private static func unixAddress(
    _ path: String, _ descriptor: Int32
  ) throws(SystemFailure) -> sockaddr_un {
    guard path.utf8.count <= Limits.unixPathBytes, !path.utf8.contains(0) else {
      close(descriptor)
      throw .unusable(
        text: path, reason: "a socket's path can have at most \(Limits.unixPathBytes) bytes")
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
      for (index, byte) in path.utf8.enumerated() { unsafe target[index] = byte }
    }
    return address
  }

  private static func withUnixAddress<Result>(
    _ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Removes the socket file at the path; leaves files of other types unchanged.
  private static func unlinkSocket(_ path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
    _ = unsafe unlink(path)
  }
}
