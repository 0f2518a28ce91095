import BelfryProvider
import BelfryWire
import Gateway
import ProviderService
import System

/// The push service for campaigns, specified by the same options as for `belfry send`.
enum CampaignTarget {
  /// Connects to the service.
  ///
  /// If the service is a gateway on this machine, the gateway's delivery log is also read.
  static func service(_ options: CommandLineOptions) throws -> PushService {
    var configuration = try SendTarget.configuration(options)
    // If a push's response was lost, the log is consulted before the push is sent again.
    configuration.policy.resendsUnanswered = false
    let client = try ProviderClient(configuration)
    let log = try SendTarget.gatewayFolder(options).map { folder in
      GatewayLog(keptLines: DeliveryLog.linesPerLoop) {
        try GatewayAccess(folder: folder).status()?["at"]?.stringValue
          .flatMap(GatewayLog.Line.milliseconds)
      } read: { receive in
        try GatewayAccess(folder: folder).readLog { line in
          if let line = GatewayLog.Line(line) { receive(line) }
        }
      }
    }
    return PushService(
      client: client, log: log, environment: try SendTarget.environment(options),
      name: configuration.endpoint.description)
  }
}
