import BelfryWire
import Gateway

/// The gateway that the agent has joined, as the agent reports it to `belfry doctor`.
struct AgentGateway {
  private let host: String
  private let port: UInt16

  /// Finds the gateway in the agent's findings; nil if the agent has not joined a gateway.
  init?(diagnosis rows: [JSONObject]) {
    guard let address = rows.lazy.compactMap({ $0["address"]?.stringValue }).first,
      let (host, port) = DeviceGateway.address(address)
    else { return nil }
    self.host = host
    self.port = port
  }

  var address: String { "\(host):\(port)" }

  /// Returns false if the description is that of another gateway.
  ///
  /// The agent might use another name for the gateway, but only one that is in the gateway's certificates.
  func isDescribed(by gateway: DeviceGateway) -> Bool {
    guard port == gateway.port else { return false }
    guard host != gateway.host, let folder = gateway.folder else { return true }
    return GatewayFolder(path: folder).isCertified(for: host) != false
  }
}
