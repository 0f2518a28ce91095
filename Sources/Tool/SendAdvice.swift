import BelfryProvider
import PushWire
import System

/// The messages of `belfry send` about pushes that the service did not accept.
struct SendAdvice {
  private let wrongPort: SendPort?
  private let isApple: Bool
  private let hasAuthority: Bool
  private let topic: TopicSearch

  init(_ options: CommandLineOptions) {
    topic = TopicSearch(options)
    wrongPort = SendPort(options)
    isApple = options.value("apple") != nil
    hasAuthority = options.value("ca") != nil
  }

  /// Returns the message about a push; nil if the service accepted the push, or gave a reason that APNs does not
  /// define.
  func message(_ result: Result<PushOutcome, ProviderFailure>) -> String? {
    switch result {
    case .success(.accepted): nil
    case .success(.rejected(let refusal)):
      refusal.rejection.map { message($0, retryAfterSeconds: refusal.retryAfterSeconds) }
    case .failure(let failure): message(failure)
    }
  }

  /// Returns the message about a push without a response, which is also the `error` of the push's line.
  func message(_ failure: ProviderFailure) -> String {
    if failure.isOfService, let message = wrongPort?.message { return message }
    guard case .unreachable(let endpoint, let reason) = failure, !isApple else {
      return "\(failure)"
    }
    if failure.isWithoutStreams {
      return "the gateway at \(endpoint) responded, but allows no concurrent streams: "
        + "check 'belfry fault list' for a fault with --streams 0, and remove it"
    }
    guard reason.contains(": certificate of an unknown CA: ") else { return "\(failure)" }
    return "cannot connect to \(endpoint): an unknown CA signed the gateway's certificate: "
      + (hasAuthority
        ? "specify the ca.pem in this gateway's folder with --ca"
        : "add --ca FILE with the ca.pem in the gateway's folder")
  }

  /// Returns the condition of a refusal, and the option to check.
  ///
  /// `retryAfterSeconds` is the pause that the service requests; nil if it does not request one.
  func message(_ rejection: Rejection, retryAfterSeconds: Int64? = nil) -> String {
    if rejection == .badPath {
      return wrongPort?.message
        ?? "a gateway's binary or feedback port does not accept this request: use the provider port"
    }
    if rejection == .topicDisallowed, let folder = topic.folderWithoutApp {
      // APNs gives the same reason for a topic of another team, but the user has to look for the app's gateway.
      return "\(rejection.reason) (the gateway in \(folder) has no app with this topic): "
        + "check --topic, or use --gateway to specify the gateway that the app registered with"
    }
    let remedy =
      Self.remedy(rejection) ?? Self.remedy(rejection.row.advice, retryAfterSeconds)
    return "\(rejection.reason) (\(rejection.row.when)): \(remedy)"
  }

  /// Returns the options to check after a refusal; nil if the general advice applies.
  private static func remedy(_ rejection: Rejection) -> String? {
    switch rejection {
    case .missingTopic: "add --topic BUNDLE-ID"
    case .badTopic: "check --topic"
    case .topicDisallowed:
      "check --topic, or use a key of the app's team that is not limited to other topics"
    case .badDeviceToken: "check the token, and that the service that issued it is the one in use"
    case .deviceTokenNotForTopic: "check --topic and --type"
    case .unregistered, .expiredToken: "delete the token, and use the one that the app has now"
    case .invalidProviderToken: "check --key, --key-id and --team"
    case .expiredProviderToken: "check the clocks of this machine and of the service"
    case .missingProviderToken: "add --key, --key-id and --team, or --certificate"
    case .badCertificate, .badCertificateEnvironment: "check --certificate"
    case .payloadEmpty: "check --payload"
    case .payloadTooLarge: "send a smaller payload"
    case .invalidPushType: "check --type and --topic"
    case .badPriority: "check --priority"
    case .badExpirationDate: "check --expiration"
    case .badCollapseID: "check --collapse-id"
    case .badMessageID: "check --id"
    default: nil
    }
  }

  private static func remedy(
    _ advice: Rejection.Advice, _ retryAfterSeconds: Int64?
  ) -> String {
    if let retryAfterSeconds, [.retryLater, .retryWithBackoff].contains(advice) {
      return "wait \(Output.counted(retryAfterSeconds, "second")), then send the push again"
    }
    return switch advice {
    case .doNotRetry: "fix the request before you send it again"
    case .renewProviderToken: "check --key, --key-id and --team"
    case .retryLater: "wait, then send the push again"
    case .retryWithBackoff: "wait about 15 minutes, then send the push again"
    case .reconnect: "send the push again, with valid credentials"
    }
  }
}

/// A search for the app with the topic of the options, which asks the gateway only once: a command can have thousands
/// of refused pushes.
private final class TopicSearch {
  private let options: CommandLineOptions

  init(_ options: CommandLineOptions) { self.options = options }

  /// The folder of the gateway if this gateway has no app with the topic; nil if it has one, or if the gateway can't be
  /// queried from this machine.
  lazy var folderWithoutApp: String? = {
    guard let topic = options.value("topic"),
      let folder = try? SendTarget.gatewayFolder(options),
      let apps = GatewayApps(of: GatewayAccess(folder: folder)), !apps.have(topic: topic)
    else { return nil }
    return folder
  }()
}
