import Foundation
import Glibc
import Synchronization
import TestSupport

/// A proxy between a store and its database server that cuts connections at chosen moments.
///
/// The store connects to a socket in the proxy's folder. Each connection has one thread, which ends with the connection.
final class CuttingProxy: Sendable {
  /// The moment at which the proxy cuts a connection, counted from the next request of a commit.
  enum Cut: CaseIterable {
    /// Before the server receives the request, so it is not committed.
    case beforeRequest
    /// After the server has committed, before the client receives any part of the answer.
    case beforeAnswer
    /// After the client has received the confirmation of the commit, but not that the server is ready.
    case beforeReady
  }

  private let folder: ScratchFolder
  private let listener: Int32
  private let server: String
  private let next = Mutex<Cut?>(nil)
  private let cuts = Atomic<Int>(0)
  private let frozen = Atomic<Bool>(false)

  /// The number of connections that were cut.
  var cutCount: Int { cuts.load(ordering: .relaxed) }

  /// The URL of the database `postgres` through the proxy.
  var url: String {
    "postgres://belfry@%2F\(folder.path.split(separator: "/").joined(separator: "%2F"))/postgres"
  }

  /// Creates a proxy for the server whose socket is in the folder `path`.
  init(to path: String) throws {
    folder = try ScratchFolder()
    server = path + "/.s.PGSQL.5432"
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard try Self.address(folder.file(".s.PGSQL.5432"), { bind(listener, $0, $1) }) == 0,
      listen(listener, 16) == 0
    else { throw ProgramFailure.notStarted(program: "proxy", errno: errno) }
    let thread = Thread { [self] in accept() }
    thread.start()
  }

  /// Cuts the connection of the next commit.
  func cutNextCommit(_ cut: Cut) { next.withLock { $0 = cut } }

  /// Stops or continues to forward data; connections are still accepted, as by a frozen machine.
  func setFrozen(_ isFrozen: Bool) { frozen.store(isFrozen, ordering: .relaxed) }

  /// Stops accepting connections.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { break }
      Thread { [self] in forward(client) }.start()
    }
    close(listener)
  }

  private func forward(_ client: Int32) {
    let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer {
      close(client)
      close(upstream)
    }
    guard (try? Self.address(server, { connect(upstream, $0, $1) })) == 0 else { return }
    var cut: Cut?
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var descriptors = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&descriptors, 2, -1) > 0 else { return }
      while frozen.load(ordering: .relaxed) { usleep(10_000) }
      if descriptors[0].revents != 0 {
        let count = read(client, &buffer, buffer.count)
        guard count > 0 else { return }
        let bytes = buffer[..<count]
        // A commit executes the prepared statement `commit`: the name is in a Bind message.
        if bytes.contains(subsequence: Array("\u{0}commit\u{0}".utf8)) {
          cut = next.withLock { next in
            defer { next = nil }
            return next
          }
          if cut != nil { cuts.add(1, ordering: .relaxed) }
          if cut == .beforeRequest { return }
        }
        guard Self.write(bytes, to: upstream) else { return }
      }
      if descriptors[1].revents != 0 {
        let count = read(upstream, &buffer, buffer.count)
        guard count > 0 else { return }
        switch cut {
        case nil, .beforeRequest: guard Self.write(buffer[..<count], to: client) else { return }
        case .beforeAnswer: if Self.isReady(buffer[..<count]) { return }
        case .beforeReady:
          // The last message, ReadyForQuery, has six bytes.
          let isReady = Self.isReady(buffer[..<count])
          guard Self.write(buffer[..<(isReady ? count - 6 : count)], to: client) else { return }
          if isReady { return }
        }
      }
    }
  }

  /// Returns true if the bytes end with the message ReadyForQuery of an idle session.
  private static func isReady(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.suffix(6).elementsEqual([UInt8(ascii: "Z"), 0, 0, 0, 5, UInt8(ascii: "I")])
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func address(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else { throw ProgramFailure.unreadable("\(path) is too long") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func contains(subsequence wanted: [UInt8]) -> Bool {
    guard count >= wanted.count else { return false }
    return indices.dropLast(wanted.count - 1).contains {
      self[$0..<$0 + wanted.count].elementsEqual(wanted)
    }
  }
}
