import BelfryWire
import Gateway
import PushWire
import Glibc
import System

/// `belfry device received`: prints the pushes that the devices of `belfry test-gateway` receive, as they arrive.
enum ReceivedCommand {
  static let table = OptionTable(
    command: "belfry device received",
    summary: """
      Prints the next N pushes that the devices of 'belfry test-gateway', 'belfry dev' or 'belfry device run
      --received' have received, as one JSON object per line. Skips pushes that an earlier 'belfry device received'
      has printed in the same run of the devices, and waits for pushes that have not arrived yet. Exits 1 if those
      pushes do not arrive in time.

      With --count 0, exits 0 if no matching push arrives within the time limit, and 1 if one arrives. Also exits 1 if
      the gateway has no device with the token of --token, no app with the topic of --topic, or no token for its suffix,
      because a mistyped value would otherwise match nothing.
      """,
    [
      .value("count", "N", default: "1", "number of pushes"),
      .value("id", "APNS-ID", "only pushes with this apns-id"),
      .value("token", "HEX", "only pushes to this device token"),
      .value(
        "topic", "TOPIC",
        "only pushes with this topic, for example, to select one of several apps; a suffix, such as .voip, selects "
          + "one kind of push, and the bundle identifier selects every kind"),
      .value(
        "since", "MARK",
        "print all pushes after this marker, even if they were printed before"),
      .flag("mark", "print a marker for the current time, for use with --since"),
      .value(
        "within", "SECONDS", default: "10; with --count 0, 1",
        "how long to wait for the pushes; with --count 0, how long to check that none arrives"),
      .value(
        "timeout", "SECONDS",
        "another name for --within; if both are given, the shorter limit applies"),
      .value(
        "file", "FILE",
        default:
          "$BELFRY_RECEIVED if set; otherwise, the file of the gateway's devices (see --data)",
        "the file that contains the received pushes"),
      .value(
        "data", "DIR", default: StateFolders.gatewayDefault,
        "the data folder of the devices' gateway"),
      .flag("json", "no effect, because the output is always JSON"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let count = try options.integer("count", in: 0...1_000_000) ?? 1
      let limit = try limit(options, count: count)
      let filter = try filter(options)
      guard let file = file(options) else {
        reportMissingDevices(ofGateway: gatewayFolder(options))
        return 1
      }
      let pushes = try ReceivedPushes(file, where: filter, after: options.value("since"))
      if options.has("mark") {
        Output.line(try pushes.mark())
        return 0
      }
      if count == 0 {
        if let refusal = missingRecipient(options, ofPushesIn: file) { throw refusal }
        return try expectNone(pushes, within: limit)
      }
      return try show(count, of: pushes, within: limit) {
        missingRecipient(options, ofPushesIn: file)
      }
    }
  }

  // MARK: Options

  private static func file(_ options: CommandLineOptions) -> String? {
    if let file = options.value("file") { return file }
    // The devices of a gateway that the user specifies take precedence over those in the environment.
    if options.value("data") == nil, let file = StateFolders.variable("BELFRY_RECEIVED") {
      return file
    }
    return DeviceRunFile(ofGateway: gatewayFolder(options))?.received
  }

  private static func gatewayFolder(_ options: CommandLineOptions) -> String {
    FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
  }

  private static func reportMissingDevices(ofGateway folder: String) {
    let other = GatewayFolder(path: folder).otherFolders.first {
      DeviceRunFile(ofGateway: $0)?.received != nil
    }
    let example = other.map { ", for example --data \($0)" } ?? ""
    Output.error(
      "no running devices of the gateway in \(folder) record their pushes",
      do: "run the command under 'belfry test-gateway', start 'belfry device run --received FILE', "
        + "or specify the data folder of the devices' gateway with --data\(example)")
  }

  private static func limit(_ options: CommandLineOptions, count: Int) throws -> Duration {
    let given = try ["within", "timeout"].compactMap { try options.seconds($0, in: 0...86_400) }
    return .seconds(given.min() ?? (count == 0 ? 1 : 10))
  }

  private static func filter(_ options: CommandLineOptions) throws -> ReceivedPushes.Filter {
    var filter = ReceivedPushes.Filter()
    if let text = options.value("id") {
      guard let id = NotificationID(Array(text.utf8).span) else {
        throw CommandLineOptions.Problem.badValue(
          key: "id", value: text, wanted: "an apns-id, such as 'belfry send' prints")
      }
      filter.id = id
    }
    if let token = try options.deviceToken() { filter.token = token }
    filter.topic = try options.topic().map { Array($0.utf8) }
    return filter
  }

  /// Returns a refusal if the gateway knows that the token or the topic of the options can't get a push, because no
  /// device has the token or no app has the topic.
  ///
  /// If the devices' gateway isn't running, or if another file was specified, nothing is known, and the method returns
  /// nil.
  private static func missingRecipient(
    _ options: CommandLineOptions, ofPushesIn file: String
  ) -> DeviceOrder.Refusal? {
    let folder = gatewayFolder(options)
    guard DeviceRunFile(ofGateway: folder)?.received == file else { return nil }
    let gateway = GatewayAccess(folder: folder)
    if let token = options.value("token"),
      let line = try? gateway.ask(.checkDeviceToken(token, topic: nil))?.first,
      line["device"] == nil
    {
      return DeviceOrder.Refusal(
        "no device of this run has the token \(token)",
        do: "use a token that the devices have registered")
    }
    if let topic = options.value("topic"), let apps = GatewayApps(of: gateway),
      !apps.have(topic: topic)
    {
      return DeviceOrder.Refusal(
        "the devices' gateway has no app with the topic \(topic)",
        do: apps.bundleIDs.isEmpty
          ? "register the app first"
          : "use the topic of a registered app, such as "
            + CommandLineOptions.list(Array(apps.bundleIDs.prefix(3))))
    }
    if let topic = options.value("topic"), GatewayApps(of: gateway)?.haveToken(for: topic) == false
    {
      return DeviceOrder.Refusal(
        "no device has registered a token for the topic \(topic)",
        do: "register the app for this kind of push, for example with --app BUNDLE-ID:voip")
    }
    return nil
  }

  // MARK: Pushes

  /// Prints the next `count` pushes as they arrive.
  ///
  /// If none arrives, `missingRecipient` returns the refusal that explains why, or nil. It is called only after the
  /// wait, because a device might register during the wait.
  private static func show(
    _ count: Int, of pushes: ReceivedPushes, within limit: Duration,
    missingRecipient: () -> DeviceOrder.Refusal?
  ) throws -> Int32 {
    var shown = 0
    try poll(for: limit) {
      for line in try pushes.take(count - shown) {
        Output.line(String(decoding: line, as: UTF8.self))
        shown += 1
      }
      return shown < count
    }
    guard shown < count else { return 0 }
    let what = "timed out: received \(shown) of \(count) \(count == 1 ? "push" : "pushes")"
    let advice = "run 'belfry log' to see what happened to the missing pushes"
    // These pushes are not missing.
    let earlier = try pushes.returnedCount() - shown
    guard earlier > 0 else {
      if shown == 0, let refusal = missingRecipient() {
        Output.error("\(what), because \(refusal.reason)", do: refusal.advice)
      } else {
        Output.error(what, do: advice)
      }
      return 1
    }
    Output.error(
      "\(what); an earlier command printed \(earlier) matching \(earlier == 1 ? "push" : "pushes")",
      do:
        "to print a push again, run 'belfry device received --mark' before you send it, and use --since MARK; or "
        + advice)
    return 1
  }

  private static func expectNone(
    _ pushes: ReceivedPushes, within limit: Duration
  ) throws -> Int32 {
    var line: [UInt8]?
    try poll(for: limit) {
      line = try pushes.take(1).first
      return line == nil
    }
    guard let line else { return 0 }
    Output.line(String(decoding: line, as: UTF8.self))
    Output.error("received a push, but expected none")
    return 1
  }

  /// Calls `body` repeatedly, but at least once, until it returns false or the time limit is reached.
  private static func poll(for limit: Duration, _ body: () throws -> Bool) throws {
    let end = ContinuousClock.now + limit
    // Poll, because a descriptor of a regular file is always ready and doesn't report new data.
    while try body(), ContinuousClock.now < end { usleep(pauseMicroseconds) }
  }

  private static let pauseMicroseconds: UInt32 = 10_000
}
