import BelfryProvider
import BelfryWire
import Gateway
import ProviderService
import System
import WebPush

/// The push service for campaigns, specified by the same options as for `belfry send`.
struct CampaignTarget {
  private let configuration: ProviderClient.Configuration
  private let client: ProviderClient
  private let log: GatewayLog?
  private let environment: Environment?

  /// Reads the service's keys, and prepares the connection to it.
  ///
  /// If the service is a gateway on this machine, the gateway's delivery log is also read.
  init(_ options: CommandLineOptions) throws {
    var configuration = try SendTarget.configuration(options)
    // If a push's response was lost, the log is consulted before the push is sent again.
    configuration.policy.resendsUnanswered = false
    self.configuration = configuration
    client = try ProviderClient(configuration)
    log = try SendTarget.gatewayFolder(options).map { folder in
      GatewayLog(keptLines: DeliveryLog.linesPerLoop) {
        try GatewayAccess(folder: folder).status()?["at"]?.stringValue
          .flatMap(GatewayLog.Line.milliseconds)
      } read: { receive in
        try GatewayAccess(folder: folder).readLog { line in
          if let line = GatewayLog.Line(line) { receive(line) }
        }
      }
    }
    environment = try SendTarget.environment(options)
  }

  /// Returns the service, which also sends to Web Push subscriptions with this key.
  func service(_ options: CommandLineOptions, webPushKey: VAPIDKey) throws -> PushService {
    PushService(
      client: client,
      webPush: try CampaignWebPush.sender(
        options, key: webPushKey, gatewayAuthority: configuration.authorityPEM),
      log: log, environment: environment, name: configuration.endpoint.description)
  }
}
