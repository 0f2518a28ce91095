import BelfryProvider
import BelfryWire
import System

/// The certificate authority of the current user's gateway, so that messages for its subscriptions need no `--ca`.
enum WebPushAuthority {
  /// Returns the certificate of the gateway's authority in PEM, or nil if the gateway does not serve this endpoint.
  static func ofOwnGateway(serving service: ProviderEndpoint) -> [UInt8]? {
    guard StateFolders.isGatewayKnown,
      let bytes = try? FileSystem.readRegularFile(
        DeviceGateway.usersFile, limit: WebPushCommand.fileBytesMax),
      let gateway = (try? JSONValue(parsing: bytes))?.objectValue, serves(service, gateway),
      let file = gateway["caFile"]?.stringValue
    else { return nil }
    return try? FileSystem.readRegularFile(file, limit: WebPushCommand.fileBytesMax)
  }

  /// Returns true if a `gateway.json` describes a gateway whose endpoints have this host and port.
  ///
  /// Endpoints are on the Web Push port and on the first provider port.
  static func serves(_ service: ProviderEndpoint, _ gateway: JSONObject) -> Bool {
    guard let host = gateway["host"]?.stringValue, let ports = gateway["ports"]?.objectValue else {
      return false
    }
    let hosts = [SocketAddress.hostOnThisMachine(ofListener: host)] + loopback
    return hosts.contains(service.host)
      && ["webPush", "provider"].contains { ports[$0]?.integerValue == Int64(service.port) }
  }

  /// The names of this machine, which a listener on any address can have.
  private static let loopback = ["localhost", "127.0.0.1", "::1"]
}
