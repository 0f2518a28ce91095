import Synchronization
import System

/// Ports for programs that tests restart on the same port.
///
/// This process never returns a port twice, and the kernel does not assign these ports to connections or to listeners
/// on port 0.
public enum ReservedPorts {
  /// The range of ports, which is below the ports that Linux assigns automatically (32,768 and above).
  private static let range: Range<UInt16> = 10_000..<32_000
  private static let reserved = Mutex<Set<UInt16>>([])

  /// Returns a port on which no program listens.
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
