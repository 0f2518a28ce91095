import BelfryProvider
import BelfryWire
import Gateway
import ProviderService
import System

/// The service that campaigns go to, by the options that `belfry send` has as well.
enum CampaignTarget {
  /// Connects to the service; its delivery log is read where it is a gateway of this machine.
  static func service(_ options: CommandLineOptions) throws -> PushService {
    var configuration = try SendTarget.configuration(options)
    // A push whose answer was lost is looked up in the log before it is sent again.
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
