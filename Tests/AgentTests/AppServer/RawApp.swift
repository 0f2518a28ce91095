import AppLink
import AppWire
import Glibc
import System

@testable import Agent

/// A connection that sends raw bytes to the agent and receives raw bytes, without implementing the protocol.
final class RawApp {
  let descriptor: Int32
  private var decoder = AppFrameDecoder(limit: 8 << 20)

  init(_ path: String) throws {
    descriptor = try Socket.connect(unixPath: path)
    // Make the socket blocking, because the tests wait for data.
    _ = fcntl(descriptor, F_SETFL, 0)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { Socket.close(descriptor) }

  func send(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  private func read() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return Array(buffer.prefix(max(0, count)))
  }

  /// True if the other end closes the connection within the timeout without sending anything.
  var isEnded: Bool {
    var byte: UInt8 = 0
    return Glibc.read(descriptor, &byte, 1) == 0
  }

  /// Returns the next frame, or nil at the end of the connection.
  func frame() -> AppFrame? {
    while true {
      if let frame = try? decoder.next() { return frame }
      let bytes = read()
      if bytes.isEmpty { return nil }
      decoder.append(bytes)
    }
  }

  /// Returns all bytes that arrive before the other end closes the connection.
  func readToEnd() -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = read()
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  /// Reads up to `limit` frames, or until the other end closes the connection, and returns the number of frames.
  func readToEnd(limit: Int) -> Int {
    var count = 0
    while count < limit, frame() != nil { count += 1 }
    return count
  }
}
