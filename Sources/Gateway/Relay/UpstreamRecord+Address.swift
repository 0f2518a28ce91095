import BelfryWire
import Storage

extension UpstreamRecord {
  /// The host and the port of the upstream: those of the record, or those of Apple's service (apns-protocol 1.1).
  var address: (host: String, port: UInt16) {
    guard host.isEmpty else { return (host, port) }
    return (environment == .sandbox ? "api.sandbox.push.apple.com" : "api.push.apple.com", 443)
  }

  /// The text `HOST:PORT`, with an IPv6 address in brackets.
  var addressText: String {
    let (host, port) = address
    return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
