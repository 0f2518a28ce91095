import BelfryProvider
import BelfryWire
import Dispatch
import Synchronization
import System
import WebPush

/// `belfry web-push send`: sends a Web Push message from a shell.
enum WebPushSendCommand {
  static let table = OptionTable(
    command: "belfry web-push send",
    summary: """
      Encrypts a message for a subscription, sends it to the subscription's push service, and prints one JSON line with
      the service's response: the status, with the message's URL and storage time, or with the reason for the refusal
      and the rule that the message violates. Exits 0 if the service accepted the message.

      To specify the subscription, use its endpoint with --p256dh and --auth, or a file that contains the JSON object
      from a browser or the line that 'belfry device run --web-push' prints. An empty TEXT sends a message without
      content, which only wakes the app and needs no keys.

      Sends a message up to three times if the response is 429, or 503 with a retry-after header of at most 10 seconds,
      or if the service refuses the HTTP/2 stream (REFUSED_STREAM). The push service must support HTTP/2.
      """,
    positionals: "ENDPOINT|FILE [TEXT]", positionalCount: 1...2,
    surplusAdvice: "put the text in quotation marks",
    [
      .value("p256dh", "KEY", "the subscription's public key, in base64url"),
      .value("auth", "SECRET", "the subscription's secret, in base64url"),
      .value("payload", "FILE|-", "a file with the text, or - for standard input, instead of TEXT"),
      .value(
        "vapid", "FILE", alias: "vapid-key",
        "the file with the sender's private key, which 'belfry web-push keys' creates"),
      .value(
        "subject", "URI", "the sender's address: mailto:NAME@DOMAIN or an https URL; needs --vapid"),
      .value(
        "ttl", "SECONDS", default: "2419200",
        "how long the service stores the message; 0: deliver it now or never"),
      .value(
        "urgency", "very-low|low|normal|high", default: "normal",
        "how urgent the message is for a device that saves power"),
      .value("topic", "TOPIC", "replace an undelivered message with the same topic"),
      .value(
        "ca", "FILE", default: "the system's CAs, or the CA of the current user's gateway",
        "the CA certificate to trust (PEM)"),
      .value("timeout", "SECONDS", default: "30", "time limit for a response, including retries"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let subscription = try subscription(options)
      let notification = try notification(options)
      let authority = try authority(options, for: subscription)
      let client = try WebPushClient(configuration(options, authority))
      defer { client.close() }
      let result = send(notification, to: subscription, with: client)
      Output.json(WebPushLine.value(endpoint: subscription.endpoint, result))
      let advice = WebPushAdvice(
        hasKey: options.value("vapid") != nil, hasAuthority: authority != nil)
      guard let message = advice.message(result) else { return 0 }
      Output.error(message)
      return 1
    }
  }

  private static func send(
    _ notification: WebPushNotification, to subscription: WebPushSubscription,
    with client: WebPushClient
  ) -> Result<WebPushOutcome, WebPushFailure> {
    let outcome = Mutex<Result<WebPushOutcome, WebPushFailure>?>(nil)
    let answered = DispatchSemaphore(value: 0)
    client.submit(notification, to: subscription) { result in
      outcome.withLock { $0 = result }
      answered.signal()
    }
    answered.wait()
    // The semaphore is signaled only after the result is stored.
    return outcome.withLock { $0 } ?? .failure(.failed(.cancelled))
  }

  // MARK: The options

  private static func subscription(_ options: CommandLineOptions) throws -> WebPushSubscription {
    let place = options.positionals[0]
    let keys = ["p256dh", "auth"].filter { options.isGiven($0) }
    if isURL(place) {
      guard keys.count != 1 else {
        throw UsageError("--p256dh and --auth are only valid together: add both")
      }
      return try checked { () throws(WebPushFault) in
        try WebPushSubscription(
          endpoint: place, p256dh: options.value("p256dh"), auth: options.value("auth"))
      }
    }
    if let key = keys.first {
      throw UsageError.contradiction(
        "--\(key) and a subscription file", "use the endpoint's URL with --\(key)")
    }
    let bytes = try FileSystem.read(place, limit: WebPushCommand.fileBytesMax)
    do throws(WebPushFault) {
      return try WebPushSubscription(json: bytes)
    } catch {
      throw WebPushFileFailure(path: place, reason: error.description)
    }
  }

  private static func isURL(_ text: String) -> Bool {
    let text = text.lowercased()
    return text.hasPrefix("https://") || text.hasPrefix("http://")
  }

  private static func notification(_ options: CommandLineOptions) throws -> WebPushNotification {
    let ttl = try options.integer("ttl", in: Int64(0)...WebPushLimits.ttlSecondsMax)
    let urgencies = WebPushUrgency.allCases.map { "\($0.word)" }
    let word = try options.choice("urgency", of: urgencies)
    let urgency = WebPushUrgency.allCases.first { "\($0.word)" == word } ?? .normal
    var notification = WebPushNotification(
      try content(options), urgency: urgency, topic: options.value("topic"))
    if let ttl { notification.ttlSeconds = ttl }
    return notification
  }

  private static func content(_ options: CommandLineOptions) throws -> [UInt8] {
    let text = options.positionals.dropFirst().first
    guard let file = options.value("payload") else {
      guard let text else {
        throw UsageError.contradiction("nothing to send", "add the text, or --payload FILE|-")
      }
      return Array(text.utf8)
    }
    guard text == nil else {
      throw UsageError.contradiction("--payload and a text", "use one of them")
    }
    // Read more bytes than a message can have, so that the error states the limit of a message.
    return try FileSystem.read(
      file == "-" ? "/dev/stdin" : file, limit: WebPushCommand.fileBytesMax)
  }

  private static func authority(
    _ options: CommandLineOptions, for subscription: WebPushSubscription
  ) throws -> [UInt8]? {
    guard let file = options.value("ca") else {
      return WebPushAuthority.ofOwnGateway(serving: subscription.service)
    }
    return try FileSystem.read(file, limit: WebPushCommand.fileBytesMax)
  }

  private static func configuration(
    _ options: CommandLineOptions, _ authority: [UInt8]?
  ) throws -> WebPushClient.Configuration {
    guard options.value("subject") == nil || options.value("vapid") != nil else {
      throw UsageError("--subject requires --vapid: add it")
    }
    var policy = RetryPolicy()
    if let seconds = try options.integer("timeout", in: Int64(1)...Int64(86_400)) {
      policy.timeoutNanoseconds = seconds * 1_000_000_000
    }
    return WebPushClient.Configuration(
      vapidKey: try options.value("vapid").map(WebPushCommand.readKey),
      subject: options.value("subject"), authorityPEM: authority, policy: policy)
  }

  /// Reports a fault in the arguments as incorrect usage.
  private static func checked<Value>(
    _ body: () throws(WebPushFault) -> Value
  ) throws(UsageError) -> Value {
    do throws(WebPushFault) {
      return try body()
    } catch {
      throw UsageError(error.description)
    }
  }
}
