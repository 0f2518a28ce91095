import BelfryWire
import Gateway
import Glibc
import System

/// `belfry device order`: gives an order to the devices of a run, and waits until they have carried it out.
enum OrderCommand {
  static let table = OptionTable(
    command: "belfry device order",
    summary: """
      Sends an order to the devices of 'belfry test-gateway', 'belfry dev' or 'belfry device run', waits until the
      devices have executed it, and prints the result. Exits 1 if the result is not confirmed in time.

      offline, online: the devices disconnect from or reconnect to the gateway; while a device is offline, its
      pushes are stored.

      sleep, wake: the devices go to sleep or wake up; while a device sleeps, its pushes of priority 5 and 1 wait.

      unregister: the tokens become invalid; the command waits until the gateway answers 410 for them.

      register: each app that is not registered gets a new token; the command prints the tokens of all apps.

      disable, enable: the apps' notifications are turned off or on, as a user would do in the settings.
      """,
    positionals: DeviceOrder.Verb.allCases.map(\.rawValue).joined(separator: "|"),
    positionalCount: 1...1,
    [
      .value("token", "HEX", "only the device and the app that have this token"),
      .value(
        "device", "N",
        "only this device, specified by its position (1 for the device named 'virtual 1') or by "
          + "its number at the gateway"),
      .value("timeout", "SECONDS", default: "10", "time limit for executing the order"),
      .value(
        "data", "DIR", default: StateFolders.gatewayDefault,
        "the data folder of the devices' gateway"),
      .value(
        "devices", "DIR",
        "the --data folder of 'belfry device run', to use instead of the gateway's data folder"),
      .flag("json", "one JSON object per line"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let order = try order(options)
      let seconds = try options.seconds("timeout", in: 0...86_400) ?? 10
      let end = ContinuousClock.now + .seconds(seconds)
      let exchange = OrderExchange(order, until: end, limit: options.value("timeout") ?? "10")
      try exchange.run(with: try devices(options), gateway: gatewayFolder(options)) { line in
        if options.has("json") { Output.json(.object(line)) } else { Output.line(sentence(line)) }
      }
      return 0
    }
  }

  /// Returns the order that the options describe.
  static func order(_ options: CommandLineOptions) throws -> DeviceOrder {
    let word = options.positionals[0]
    guard let verb = DeviceOrder.Verb(rawValue: word) else {
      throw UsageError("unknown order '\(word)': \(advice(for: word))")
    }
    var target = DeviceOrder.Target.all
    if let token = try options.deviceToken() {
      guard options.value("device") == nil else {
        throw UsageError("--token and --device cannot be combined: use one of them")
      }
      target = .token(token)
    } else if let number = try options.integer("device", in: UInt64(1)...UInt64.max) {
      target = .device(number)
    }
    return DeviceOrder(verb, target)
  }

  /// The commands that the standard input of `belfry device run` accepts and that aren't orders.
  private static let inputCommands = [
    "power", "subscribe", "unsubscribe", "summary", "exit",
  ]

  private static func advice(for word: String) -> String {
    let all = DeviceOrder.Verb.allCases.map(\.rawValue)
    let list = "use \(CommandLineOptions.list(all))"
    if inputCommands.contains(word) {
      return list + "; the standard input of 'belfry device run' accepts '\(word)'"
    }
    // An order that begins with a prefix, such as "un", has the opposite meaning.
    guard let nearest = Suggestion.nearest(to: word, in: all), !nearest.hasSuffix(word) else {
      return list
    }
    return "did you mean '\(nearest)'?"
  }

  /// Finds the devices through the options, the environment, or the gateway's folder.
  private static func devices(_ options: CommandLineOptions) throws -> DeviceRunFile {
    if let folder = options.value("devices") {
      return DeviceRunFile(folder: FileSystem.absolute(folder), received: nil)
    }
    let gateway = gatewayFolder(options)
    if let run = DeviceRunFile(ofGateway: gateway) { return run }
    let other = GatewayFolder(path: gateway).otherFolders.first {
      DeviceRunFile(ofGateway: $0) != nil
    }
    let example = other.map { ", for example --data \($0)" } ?? ""
    throw DeviceOrder.Refusal(
      "no devices are running for the gateway in \(gateway)",
      do: "start 'belfry test-gateway', 'belfry dev' or 'belfry device run', or use --data or "
        + "--devices\(example)")
  }

  private static func gatewayFolder(_ options: CommandLineOptions) -> String {
    FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
  }

  private static func sentence(_ line: JSONObject) -> String {
    let device = "device \(DeviceOrder.number(in: line) ?? "")"
    let outcome = line["event"]?.stringValue ?? ""
    guard let topic = line["topic"]?.stringValue else { return "\(device) is \(outcome)" }
    let token = line["token"]?.stringValue ?? ""
    let detail =
      switch outcome {
      case DeviceOrder.Verb.unregister.outcome: "; the gateway answers 410 for \(token)"
      case DeviceOrder.Verb.register.outcome: " with the token \(token)"
      default: ""
      }
    return OutputTable.printable(
      "\(device): \(topic) (\(line["type"]?.stringValue ?? "")) is \(outcome)\(detail)")
  }
}
