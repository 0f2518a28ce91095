import BelfryProvider
import ProviderService
import System
import WebPush

/// The sender of campaigns to Web Push subscriptions, as the options of `belfry provider` specify it.
enum CampaignWebPush {
  static let entries: [OptionTable.Entry] = [
    .value(
      "vapid", "FILE", default: "vapid.pem in the data folder, created at the first start",
      "the private key of the sender of Web Push messages, which 'belfry web-push keys' creates"),
    .value(
      "vapid-subject", "URI",
      "the sender's contact address for the operators of push services: mailto:NAME@DOMAIN or an https URL"
    ),
    .value(
      "web-push-ca", "FILE", default: "the gateway's CA",
      "a CA certificate (PEM) to trust for Web Push services, in addition to the system's CAs"),
    .flag(
      "web-push-private-addresses",
      "also send to Web Push services on this machine and on private networks"),
  ]

  /// Reads the sender's key; creates the file in the data folder if the options specify no file and it does not exist.
  static func key(_ options: CommandLineOptions, folder: String) throws -> VAPIDKey {
    if let file = options.value("vapid") { return try WebPushCommand.readKey(file) }
    let file = "\(folder)/\(keyFile)"
    if FileSystem.exists(file) { return try WebPushCommand.readKey(file) }
    let key = try VAPIDKey()
    try FileSystem.write(key.pem(), to: file, mode: 0o600)
    return key
  }

  /// Creates a sender with a thread of its own.
  ///
  /// `gatewayAuthority` is the CA of the gateway to which campaigns are sent, which also signs its Web Push service's
  /// certificate; nil if the system's CAs sign it.
  static func sender(
    _ options: CommandLineOptions, key: VAPIDKey, gatewayAuthority: [UInt8]?
  ) throws -> WebPushSender {
    var configuration = WebPushClient.Configuration(
      vapidKey: key, subject: options.value("vapid-subject"), authorityPEM: gatewayAuthority,
      policy: WebPushSender.policy)
    if let file = options.value("web-push-ca") {
      configuration.authorityPEM = try FileSystem.read(file, limit: WebPushCommand.fileBytesMax)
    }
    configuration.trustsSystemAuthorities = true
    configuration.allowsPrivateAddresses = options.has("web-push-private-addresses")
    return WebPushSender(client: try WebPushClient(configuration))
  }

  /// The name of the key's file in a provider's data folder.
  private static let keyFile = "vapid.pem"
}
