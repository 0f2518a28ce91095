import System

extension SocketAddress {
  /// Where a browser on this machine finds the console of a listener at this address.
  func consoleURL(port: UInt16) -> String {
    let host = SocketAddress.hostOnThisMachine(ofListener: host)
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
  }
}
