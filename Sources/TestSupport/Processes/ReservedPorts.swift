import Synchronization
import System

/// Ports for programs that are started again on them: no two of this process's get the same, and the kernel gives
/// none of them to a connection or to a listener on port 0 meanwhile.
public enum ReservedPorts {
  /// Below what Linux gives away by itself: 32,768 and more.
  private static let range: Range<UInt16> = 10_000..<32_000
  private static let reserved = Mutex<Set<UInt16>>([])

  /// A port without a listener.
  public static func next() -> Int {
    while true {
      let port = UInt16.random(in: range)
      guard let address = SocketAddress(host: "127.0.0.1", port: port),
        reserved.withLock({ $0.insert(port).inserted }),
        let probe = try? Socket.listen(on: address)
      else { continue }
      Socket.close(probe)
      return Int(port)
    }
  }
}
