import BelfryProvider
import BelfryWire
import PushWire
import Dispatch
import Synchronization
import System
import Transport

/// `belfry send`: sends pushes from a shell.
enum SendCommand {
  static let table = OptionTable(
    command: "belfry send",
    summary: """
      Sends a notification to one or more device tokens and prints one JSON line per token with the service's
      response. Exits 0 if the service accepted all notifications.

      Sends a notification up to three times, with the same apns-id, if the connection closes without a response, if
      the service refuses the HTTP/2 stream (REFUSED_STREAM), or if the response is 429, ExpiredProviderToken (with a
      new provider token), Shutdown, IdleTimeout, or ServiceUnavailable with a retry-after header of at most 10 seconds.
      To see each attempt, use 'belfry log'.
      """,
    positionals: "TOKEN…", positionalCount: 1...100_000,
    [
      .value(
        "topic", "BUNDLE-ID",
        "the app ID or the topic; if necessary, the suffix of the push type is added"),
      .value("title", "TEXT", "the alert's title"),
      .value("body", "TEXT", "the alert's body"),
      .value("badge", "N", "the number on the app's icon"),
      .value("sound", "NAME", "the sound to play"),
      .value("category", "NAME", "the category that defines the buttons"),
      .value("payload", "FILE|-", "the complete payload, to use instead of the five options above"),
      .value("type", "TYPE", default: "alert", "apns-push-type"),
      .value("priority", "10|5|1", "apns-priority"),
      .value(
        "expiration", "SECONDS",
        "how long the service stores the push; 0: try to deliver it once, without storing it"),
      .value("collapse-id", "ID", "replace an earlier notification with the same ID"),
      .value("id", "UUID", "apns-id"),
    ] + SendTarget.entries + [
      .value("timeout", "SECONDS", default: "30", "time limit for a response, including retries")
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let push = try template(options)
      let client = try ProviderClient(SendTarget.configuration(options))
      defer { client.close() }
      let suffix = "\((push.type ?? .alert).tokenKind.topicSuffix)"
      return send(
        push, to: options.positionals, with: client, advice: SendAdvice(options),
        wasGivenWithSuffix: options.value("topic")?.hasSuffix(suffix) == true)
    }
  }

  // MARK: Sending

  private static func send(
    _ template: Push, to tokens: [String], with client: ProviderClient, advice: SendAdvice,
    wasGivenWithSuffix: Bool
  ) -> Int32 {
    // If a response is lost, the user can retry with the printed ID.
    let ids = tokens.map { _ in template.id ?? ProviderClient.newID() }
    let results = Mutex<[Int: Result<PushOutcome, ProviderFailure>]>([:])
    let answered = DispatchSemaphore(value: 0)
    var sent = 0
    var failures: Set<String> = []
    var isAllAccepted = true
    for (index, token) in tokens.enumerated() {
      // This number of concurrent pushes keeps every connection busy; the other pushes wait here.
      while sent < tokens.count, sent < index + 1_000 {
        let number = sent
        var push = template
        push.deviceToken = tokens[sent]
        push.id = ids[sent]
        submit(push, wasGivenWithSuffix: wasGivenWithSuffix, with: client) { result in
          results.withLock { $0[number] = result }
          answered.signal()
        }
        sent += 1
      }
      var result: Result<PushOutcome, ProviderFailure>?
      while result == nil {
        result = results.withLock { $0.removeValue(forKey: index) }
        if result == nil { answered.wait() }
      }
      guard let result else { continue }
      Output.json(SendLine.value(token: token, id: ids[index], result, advice))
      if case .success(.accepted) = result { continue }
      isAllAccepted = false
      // Each message is printed only once, because many tokens can fail for the same reason.
      if let message = advice.message(result), failures.insert(message).inserted {
        Output.error(message)
      }
    }
    return isAllAccepted ? 0 : 1
  }

  /// Sends a push.
  ///
  /// If the service rejects the topic, the method retries once with the suffix of the push's type appended. The topic
  /// might be the ID of an app that itself ends with this suffix, such as `com.example.voip`.
  private static func submit(
    _ push: Push, wasGivenWithSuffix: Bool, with client: ProviderClient,
    _ done: @escaping @Sendable (Result<PushOutcome, ProviderFailure>) -> Void
  ) {
    let suffix = "\((push.type ?? .alert).tokenKind.topicSuffix)"
    client.submit(push) { result in
      guard !suffix.isEmpty, wasGivenWithSuffix, let topic = push.topic,
        case .success(.rejected(let refusal)) = result,
        [.deviceTokenNotForTopic, .topicDisallowed].contains(refusal.rejection)
      else { return done(result) }
      var again = push
      again.topic = topic + suffix
      client.submit(again) { second in
        if case .success(.accepted) = second { done(second) } else { done(result) }
      }
    }
  }

  // MARK: The notification

  private static func template(_ options: CommandLineOptions) throws -> Push {
    let type = try pushType(options)
    var expiration = Push.Expiration.servicePolicy
    if let seconds = try options.integer("expiration", in: Int64(0)...Int64(UInt32.max)) {
      let now = SystemClock.unixMilliseconds / 1_000
      expiration = seconds == 0 ? .once : .until(unixSeconds: now + seconds)
    }
    let priority = try options.choice("priority", of: ["10", "5", "1"]).flatMap { UInt8($0) }
    return Push(
      to: "", topic: options.value("topic").map(type.topic(named:)),
      payload: try payload(options, type), type: type, priority: priority,
      expiration: expiration, collapseID: options.value("collapse-id"), id: options.value("id"))
  }

  private static func pushType(_ options: CommandLineOptions) throws -> PushType {
    let names = PushType.allCases.map { "\($0.name)" }
    let name = try options.choice("type", of: names) ?? "alert"
    return PushType.allCases.first { "\($0.name)" == name } ?? .alert
  }

  private static func payload(_ options: CommandLineOptions, _ type: PushType) throws -> [UInt8] {
    let parts = ["title", "body", "badge", "sound", "category"]
    let given = parts.filter { options.value($0) != nil }
    if let file = options.value("payload") {
      if let part = given.first {
        throw UsageError.contradiction("--payload and --\(part)", "use one of them")
      }
      // With curl's option -d, the value is the payload itself.
      guard !file.hasPrefix("{") || FileSystem.exists(file) else {
        throw CommandLineOptions.Problem.badValue(
          key: "payload", value: file, wanted: "a file, or - for standard input")
      }
      // Read more bytes than a payload can have, so that the service can report that the payload is too large.
      let bytes = try FileSystem.read(
        file == "-" ? "/dev/stdin" : file, limit: WireLimits.largePayloadBytesMax * 2)
      if let fault = PayloadFault(in: bytes) {
        throw SendFailure.badPayload(file == "-" ? "the payload" : file, fault)
      }
      return bytes
    }
    guard !given.isEmpty || type == .background else {
      throw UsageError.contradiction(
        "nothing to send", "add --title, --body, --badge, --sound or --payload")
    }
    let payload = SendPayload(
      title: options.value("title"), body: options.value("body"),
      badge: try options.integer("badge", in: 0...Int64.max), sound: options.value("sound"),
      category: options.value("category"), isBackground: type == .background)
    return payload.bytes
  }
}

/// The reason that nothing can be sent.
enum SendFailure: Error, CustomStringConvertible {
  /// The file isn't a valid description of a gateway.
  case badGatewayFile(String, reason: String)
  /// The file, which the command reads for a gateway on this machine, isn't a valid description of a gateway.
  case badLocalGateway(String, reason: String)
  /// The file, which a running provider reads before it sends a campaign, isn't a valid description of a gateway.
  case badGatewayOfProvider(String, reason: String)
  /// The file isn't a JSON object, which a payload must be.
  case badPayload(String, PayloadFault)
  /// The file doesn't contain a provider certificate with its private key in PEM format.
  case badCertificate(String, TLSFailure, isDER: Bool)

  var description: String {
    switch self {
    case .badCertificate(let path, _, isDER: true):
      "\(path) contains a certificate in DER format, but PEM is required: convert it with "
        + "'openssl x509 -inform der -in \(path) -out FILE.pem', and append its private key to FILE.pem"
    case .badCertificate(let path, .keyMismatch, _):
      "the private key and the certificate in \(path) do not match: use a file with the certificate and the "
        + "private key that it was issued for, such as 'belfry certificate add --out FILE.pem' writes"
    case .badCertificate(let path, let failure, _):
      "cannot use \(path) as a provider certificate: \(failure): expected a file with the certificate and its "
        + "private key in PEM format, such as 'belfry certificate add --out FILE.pem' writes"
    case .badPayload(let name, let fault):
      "\(name) is not a JSON object at line \(fault.line), column \(fault.column) (\(fault.what)): "
        + fault.remedy
    case .badGatewayFile(let path, let reason):
      "cannot read the gateway description \(path) (\(reason)): start a gateway with "
        + "'belfry gateway', or use --gateway \(DeviceGateway.example(insteadOf: path) ?? "HOST:PORT")"
    case .badGatewayOfProvider(let path, let reason):
      "cannot read the gateway description \(path) (\(reason)): start a gateway with 'belfry gateway', or restart the "
        + "provider with --gateway \(DeviceGateway.example(insteadOf: path) ?? "HOST:PORT")"
    case .badLocalGateway(let path, let reason):
      "cannot read the gateway description \(path) (\(reason)): start a gateway on this machine "
        + "with 'belfry gateway', or specify its gateway.json with --gateway"
        + (DeviceGateway.example(insteadOf: path).map { " \($0)" } ?? "")
    }
  }
}

extension ProviderFailure {
  /// True if the service couldn't be reached or didn't respond, which also happens if the port belongs to another
  /// listener.
  var isOfService: Bool {
    switch self {
    case .unreachable, .unanswered, .timedOut, .badAnswer: true
    case .badCredentials, .cannotStart, .badPush, .tooManyWaiting, .cancelled, .closed: false
    }
  }
}
