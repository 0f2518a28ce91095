import System

extension SocketAddress {
  /// Returns the URL at which a browser on this machine can open the console of a listener at this address.
  func consoleURL(port: UInt16) -> String {
    let host = SocketAddress.hostOnThisMachine(ofListener: host)
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
  }
}
