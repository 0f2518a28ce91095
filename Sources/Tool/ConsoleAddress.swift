import System

extension SocketAddress {
  /// Where a browser on this machine finds the console of a listener at this address.
  func consoleURL(port: UInt16) -> String {
    let host = ["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
  }
}
