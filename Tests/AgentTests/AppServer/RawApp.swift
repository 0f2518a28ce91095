import AppLink
import BelfryWire
import Glibc
import System

@testable import Agent

/// A connection without any knowledge of the protocol.
final class RawApp {
  private let descriptor: Int32
  private var decoder = AppFrameDecoder(limit: 8 << 20)

  init(_ path: String) throws {
    descriptor = try Socket.connect(unixPath: path)
    // A blocking socket: a test waits for what comes.
    _ = fcntl(descriptor, F_SETFL, 0)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
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

  /// Whether the other end closes before it says anything, and in time.
  var isEnded: Bool {
    var byte: UInt8 = 0
    return Glibc.read(descriptor, &byte, 1) == 0
  }

  /// The next frame; nil at the end.
  func frame() -> AppFrame? {
    while true {
      if let frame = try? decoder.next() { return frame }
      let bytes = read()
      if bytes.isEmpty { return nil }
      decoder.append(bytes)
    }
  }

  /// What comes until the other end closes.
  func readToEnd() -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = read()
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  /// Reads frames until there are so many, or the other end closes; returns their number.
  func readToEnd(limit: Int) -> Int {
    var count = 0
    while count < limit, frame() != nil { count += 1 }
    return count
  }
}
