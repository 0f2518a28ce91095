import Synchronization
import System

/// Ports for programs that are restarted on them.
///
/// This process never uses one twice, and the kernel does not assign them to a connection or to a listener on port 0.
public enum ReservedPorts {
  /// The range is below the ports that Linux assigns automatically: 32,768 and above.
  private static let range: Range<UInt16> = 10_000..<32_000
  private static let reserved = Mutex<Set<UInt16>>([])

  /// Returns a port without a listener.
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
