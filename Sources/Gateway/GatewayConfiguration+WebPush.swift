internal import PushWire
internal import WebPush

extension GatewayConfiguration {
  /// Returns the origin of Web Push endpoints; empty if the gateway has no Web Push service.
  ///
  /// Unless the operator chose an origin, it consists of the first name in the server certificate, or else the address
  /// of the listeners, and the port of the Web Push service.
  func webPushOrigin(for ports: GatewayPorts) -> String {
    guard let port = ports.webPush ?? ports.insecureWebPush else { return "" }
    assert(port != 0, "the port is known once the listeners are open")
    if let webPushOrigin { return webPushOrigin }
    let scheme = ports.webPush == nil ? "http" : "https"
    let isEveryAddress = host == "0.0.0.0" || host == "::"
    let name = names.first ?? (isEveryAddress ? "localhost" : host)
    let authority = name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]" : name
    let isDefaultPort = port == (scheme == "https" ? 443 : 80)
    return "\(scheme)://\(authority)" + (isDefaultPort ? "" : ":\(port)")
  }

  /// Sets the origin of Web Push endpoints; returns false if the text is not an origin.
  public mutating func setWebPushOrigin(_ text: String) -> Bool {
    guard let origin = WebPushOrigin(Array(text.utf8).span),
      origin.text.utf8.count <= LinkLimits.webPushOriginBytesMax
    else { return false }
    webPushOrigin = origin.text
    return true
  }
}
