import BelfryWire
import Gateway
import Glibc
import PostgresStorage
import System
import WebPush

/// `belfry gateway`: runs the push service until SIGTERM or SIGINT.
enum GatewayCommand {
  static let table = OptionTable(
    command: "belfry gateway",
    summary: """
      Runs the push service. In an empty data folder, the gateway creates all files that it needs.
      'belfry gateway status' shows the status of a gateway, and 'belfry gateway check-config FILE' checks a
      configuration file.
      """,
    [
      .value(
        "data", "DIR", default: StateFolders.gatewayDefault + " (gateway-N with --port-offset N)",
        "folder for keys, certificates and stores"),
      .value(
        "host", "ADDR", default: "127.0.0.1",
        "address of all listeners except the console's; :: listens on IPv6 only"),
      .repeatable(
        "name", "NAME", default: "the host's names and addresses",
        "a host name or address for the server certificate"),
      .value(
        "environment", "sandbox|production", default: "sandbox",
        "the APNs environment that the gateway emulates"),
      .repeatable("provider-port", "PORT", default: "2197", "APNs HTTP/2 provider API (TLS)"),
      .value("device-port", "PORT", default: "5223", "devices' long-lived link (TLS)"),
      .value("binary-port", "PORT", default: "2195", "legacy binary interface (TLS)"),
      .value("feedback-port", "PORT", default: "2196", "legacy feedback service (TLS)"),
      .value(
        "console-port", "PORT", default: "2198",
        "console, admin API, /metrics, /healthz and /readyz"),
      .value("console-host", "ADDR", default: "127.0.0.1", "address of the console's listener"),
      .value(
        "port-offset", "N", default: "0",
        "number to add to each default port and to append to the name of the default data folder, "
          + "for a second gateway"),
      .value(
        "insecure-provider-port", "PORT", "provider API without TLS, on loopback only, for tests"),
      .value(
        "web-push-port", "PORT",
        "Web Push service for UnifiedPush apps and browsers (TLS, HTTP/1.1 and HTTP/2)"),
      .value(
        "insecure-web-push-port", "PORT",
        "Web Push service without TLS, on loopback only, for tests"),
      .value(
        "web-push-origin", "URL", default: "https://HOST:PORT",
        "the beginning of Web Push endpoints, which senders' tokens must name"),
      .value(
        "web-push-dialect", "rfc|autopush|apple", default: "rfc",
        "whose answers the Web Push service imitates"),
      .value(
        "enroll", "open|code", default: "code",
        "open: any device can enroll; code: a device needs the enrollment code"),
      .value(
        "enroll-rate", "N", default: "10000",
        "maximum number of enrollments per minute with one code; further enrollments are refused"),
      .value(
        "apps", "adopt|listed", default: "adopt",
        "adopt: an app is added when a device first registers it; listed: apps are added only by 'belfry topic add'"
      ),
      .value(
        "device-rate", "N",
        "maximum number of pushes per second to one token; further pushes get TooManyRequests"),
      .value("connection-rate", "N", "maximum number of pushes per second on one connection"),
      .value("team-rate", "N", "maximum number of pushes per second from one team"),
      .value(
        "connection-errors", "N", default: "1000",
        "close a connection when its 4xx responses outnumber its accepted requests by this number; "
          + "0: no limit"),
      .value(
        "connection-bad-tokens", "N", default: "250",
        "close a connection when its BadDeviceToken responses outnumber its accepted requests by "
          + "this number; 0: no limit"),
      .value(
        "es512", "on|off", default: "on",
        "accept provider tokens that claim ES512 but are signed with a P-256 key; one client "
          + "library generates such tokens"),
      .flag(
        "recover",
        "start even if files in the data folder are missing or damaged, and report what was lost"),
      .value(
        "record-layer", "own|openssl", default: "own",
        "the encryption implementation for device connections; openssl uses 14 KB more memory per "
          + "connection than own"),
      .value(
        "http2", "nghttp2|belfry", default: "nghttp2",
        "the HTTP/2 implementation for providers' connections; belfry needs less processor time and is new"
      ),
      .value(
        "store", "URL", default: "sqlite:",
        "where to keep the data: SQLite files in the data folder (sqlite:), or a PostgreSQL database "
          + "(postgres://USER@HOST/DATABASE) that only this gateway or, with --bus, its cluster uses"
      ),
      .value(
        "bus", "nats://HOST[:PORT]",
        "run as a node of a cluster, whose nodes share the database of --store and this NATS server; "
          + "tls:// encrypts the connection"),
      .value(
        "bus-credentials", "FILE",
        "the credentials of the NATS server: a .creds file, or a user and a password on two lines"),
      .value(
        "bus-ca", "FILE", "the CA certificates (PEM) that the NATS server's certificate needs"),
      .value("node", "NAME", default: "hostname", "name of this node in its cluster"),
      .value(
        "cluster-key", "FILE",
        "the key that decrypts the keys that the nodes share; see 'belfry cluster init'"),
      .value(
        "lease", "SECONDS", default: "60",
        "how long a node accepts pushes if it cannot reach the database; longer than a failover"),
      .value("loops", "N", default: "cores", "number of event loops"),
      .value(
        "log-payloads", "N", default: "0",
        "number of recent payloads kept in memory for the console's log, at most 10000 (about 75 MB)"
      ),
      LogOptions.level, LogOptions.format,
      .value("ready-file", "FILE", "file to write once every listener accepts connections"),
      .value(
        "server-certificate", "FILE",
        "your own certificate (PEM), for providers that request one of its host names; reloaded "
          + "when the file changes"),
      .value("server-key", "FILE", "the private key of --server-certificate (PEM)"),
      .value(
        "config", "FILE",
        "YAML file with these options; the command line and the environment take precedence"),
      .value("check-config", "FILE", "check the file and exit"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    switch arguments.first {
    case "status": return GatewayStatusCommand.run(Array(arguments.dropFirst()))
    case "check-config": return GatewayCheck.run(Array(arguments.dropFirst()))
    case let word? where !word.hasPrefix("-"):
      let nearest = Suggestion.nearest(to: word, in: ["status", "check-config"])
      Output.error(
        "unknown command 'belfry gateway \(word)'",
        do: nearest.map { "did you mean '\($0)'?" }
          ?? "use status, check-config FILE, or only options")
      return 2
    default: break
    }
    let settings: GatewaySettings
    do throws(LayeredOptions.Failure) {
      guard let read = try GatewaySettings(arguments) else {
        Output.help(table)
        return 0
      }
      settings = read
    } catch {
      return error.report()
    }
    if settings.options.isGiven("check-config") { return GatewayCheck.run(settings) }
    for warning in settings.warnings { Output.error(warning) }
    SignalWatcher.blockSignals()
    do {
      try FolderOwner.act(in: settings.configuration.folder)
      return try GatewayRun(
        settings, reread: { () throws(LayeredOptions.Failure) in try GatewaySettings(arguments) }
      ).untilStopped()
    } catch {
      Output.error(error)
      return 1
    }
  }

  static func configuration(
    _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) -> GatewayConfiguration {
    let offset = try portOffset(options)
    var configuration = GatewayConfiguration(
      folder: FileSystem.absolute(
        options.value("data") ?? StateFolders.gateway(portOffset: offset)))
    if let host = options.value("host") {
      guard SocketAddress(host: host, port: 0) != nil else {
        throw .badValue(key: "host", value: host, wanted: "an IP address of this machine")
      }
      configuration.host = host
    }
    for name in options.values("name") {
      guard GatewayConfiguration.isName(name) else {
        throw .badValue(key: "name", value: name, wanted: "a host name or an IP address")
      }
      configuration.names.append(name)
    }
    if let name = try options.choice("environment", of: ["sandbox", "production"]) {
      configuration.environment = BelfryWire.Environment(name: name) ?? .sandbox
    }
    configuration.ports = try ports(options, offset: offset)
    try requireOwnPorts(configuration.ports, options)
    for key in ["data", "server-certificate", "server-key", "admin-token-file"] {
      guard let path = options.value(key), path == "~" || path.hasPrefix("~/") else { continue }
      throw .badValue(
        key: key, value: path, wanted: "an absolute path (only a shell expands ~)")
    }
    configuration.serverCertificate = try serverCertificate(options)
    if let enrollment = try options.choice("enroll", of: ["open", "code"]) {
      configuration.enrollment = .init(rawValue: enrollment) ?? .code
    }
    if let apps = try options.choice("apps", of: ["adopt", "listed"]) {
      configuration.apps = .init(rawValue: apps) ?? .adopt
    }
    let rates: ClosedRange<UInt32> = 1...1_000_000_000
    configuration.deviceRate = try options.integer("device-rate", in: rates)
    configuration.connectionRate = try options.integer("connection-rate", in: rates)
    configuration.teamRate = try options.integer("team-rate", in: rates)
    let errors: ClosedRange<UInt32> = 0...1_000_000_000
    if let most = try options.integer("connection-errors", in: errors) {
      configuration.connectionErrorsMax = most
    }
    if let most = try options.integer("connection-bad-tokens", in: errors) {
      configuration.connectionBadTokensMax = most
    }
    if let rate = try options.integer("enroll-rate", in: 1...1_000_000_000 as ClosedRange<UInt32>) {
      configuration.enrollmentsPerMinute = rate
    }
    if let text = options.value("web-push-origin") {
      guard configuration.setWebPushOrigin(text) else {
        throw .badValue(
          key: "web-push-origin", value: text, wanted: "an origin, such as https://push.example.org"
        )
      }
    }
    if let dialect = try options.choice(
      "web-push-dialect", of: WebPushDialect.allCases.map(\.rawValue))
    {
      configuration.webPushDialect = WebPushDialect(rawValue: dialect) ?? .rfc
    }
    configuration.acceptsES512 = try options.choice("es512", of: ["on", "off"]) != "off"
    configuration.recovers = options.has("recover")
    configuration.takesOverRecords =
      try options.choice("record-layer", of: ["own", "openssl"]) != "openssl"
    configuration.usesOwnHTTP2 = try options.choice("http2", of: ["nghttp2", "belfry"]) == "belfry"
    configuration.store = try options.storeLocation()
    configuration.cluster = try cluster(options, storesIn: configuration.store)
    configuration.loggedPayloads =
      try options.integer("log-payloads", in: 0...GatewayConfiguration.loggedPayloadsMax) ?? 0
    try LogOptions.check(options)
    let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let loopsMax = configuration.cluster == nil ? 256 : ClusterOptions.loopsMax
    configuration.loops = try options.integer("loops", in: 1...loopsMax) ?? min(cores, loopsMax)
    configuration.descriptors = DescriptorLimit.raise()
    return configuration
  }

  private static func cluster(
    _ options: CommandLineOptions, storesIn location: StoreLocation
  ) throws(CommandLineOptions.Problem) -> ClusterOptions? {
    guard let url = options.value("bus") else {
      for key in ["bus-credentials", "bus-ca", "node", "cluster-key", "lease"] {
        if options.isGiven(key) { throw .required(key: "bus", name: "nats://HOST[:PORT]") }
      }
      return nil
    }
    guard case .database = location else {
      throw .required(key: "store", name: "postgres://USER@HOST/DATABASE")
    }
    guard let keyFile = options.value("cluster-key") else {
      throw .required(key: "cluster-key", name: "FILE")
    }
    let name = options.value("node") ?? LocalHost.name
    guard ClusterOptions.isName(name) else {
      throw .badValue(
        key: "node", value: name, wanted: "1 to 64 letters, digits, dots, hyphens or underscores")
    }
    var cluster: ClusterOptions
    do throws(ClusterOptions.InvalidBus) {
      cluster = try ClusterOptions(
        bus: url, nodeName: name, keyFile: FileSystem.absolute(keyFile))
    } catch {
      throw .badValue(key: "bus", value: error.value, wanted: error.expected)
    }
    cluster.busCredentialsFile = options.value("bus-credentials").map(FileSystem.absolute)
    cluster.busAuthorityFile = options.value("bus-ca").map(FileSystem.absolute)
    cluster.version = Version.current
    if let seconds = try options.integer("lease", in: ClusterOptions.leaseRange) {
      cluster.leaseSeconds = seconds
    }
    return cluster
  }

  private static func serverCertificate(
    _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) -> GatewayConfiguration.ServerCertificate? {
    let (chain, key) = (options.value("server-certificate"), options.value("server-key"))
    if chain == nil, key == nil { return nil }
    guard let chain else { throw .required(key: "server-certificate", name: "FILE") }
    guard let key else { throw .required(key: "server-key", name: "FILE") }
    return .init(chainFile: FileSystem.absolute(chain), keyFile: FileSystem.absolute(key))
  }

  static func consoleAddress(
    _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) -> SocketAddress {
    let host = options.value("console-host") ?? "127.0.0.1"
    let port = try consolePort(options)
    guard let address = SocketAddress(host: host, port: port) else {
      throw .badValue(key: "console-host", value: host, wanted: "an IP address of this machine")
    }
    return address
  }

  private static func consolePort(
    _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) -> UInt16 {
    let offset = try portOffset(options)
    return try options.integer("console-port") ?? 2_198 + offset
  }

  /// Returns the offset that is added to each default port.
  private static func portOffset(
    _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) -> UInt16 {
    // The highest default port plus the offset must be a valid port number.
    try options.integer("port-offset", in: 0...(UInt16.max - GatewayPorts().device)) ?? 0
  }

  /// Throws if two listeners on the same address would have the same port.
  private static func requireOwnPorts(
    _ ports: GatewayPorts, _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) {
    let host = options.value("host") ?? "127.0.0.1"
    var listeners = [
      ("device-port", ports.device), ("binary-port", ports.binary),
      ("feedback-port", ports.feedback),
    ]
    listeners += ports.providers.map { ("provider-port", $0) }
    listeners += ports.insecureProvider.map { [("insecure-provider-port", $0)] } ?? []
    listeners += ports.webPush.map { [("web-push-port", $0)] } ?? []
    listeners += ports.insecureWebPush.map { [("insecure-web-push-port", $0)] } ?? []
    if options.value("console-host") ?? "127.0.0.1" == host {
      listeners.append(("console-port", try consolePort(options)))
    }
    var owners: [UInt16: String] = [:]
    for (key, port) in listeners where port != 0 {
      guard let owner = owners.updateValue(key, forKey: port) else { continue }
      // Report an option that was actually given, so that its position in the file can be shown.
      let (given, other) = options.isGiven(key) ? (key, owner) : (owner, key)
      throw .badValue(
        key: given, value: "\(port)", wanted: "a free port (\(other) uses this one)")
    }
  }

  private static func ports(
    _ options: CommandLineOptions, offset: UInt16
  ) throws(CommandLineOptions.Problem) -> GatewayPorts {
    let usual = GatewayPorts()
    var ports = GatewayPorts(
      providers: usual.providers.map { $0 + offset }, device: usual.device + offset,
      binary: usual.binary + offset, feedback: usual.feedback + offset)
    let providers = options.values("provider-port")
    if !providers.isEmpty {
      ports.providers = []
      for text in providers {
        guard let port = UInt16(text) else {
          throw .badValue(key: "provider-port", value: text, wanted: "0-65535")
        }
        ports.providers.append(port)
      }
    }
    ports.device = try options.integer("device-port") ?? ports.device
    ports.binary = try options.integer("binary-port") ?? ports.binary
    ports.feedback = try options.integer("feedback-port") ?? ports.feedback
    ports.insecureProvider = try options.integer("insecure-provider-port")
    ports.webPush = try options.integer("web-push-port")
    ports.insecureWebPush = try options.integer("insecure-web-push-port")
    if let host = options.value("host"), SocketAddress(host: host, port: 0)?.isLoopback == false {
      for (option, port) in [
        ("insecure-provider-port", ports.insecureProvider),
        ("insecure-web-push-port", ports.insecureWebPush),
      ] where port != nil {
        throw .badValue(key: "host", value: host, wanted: "a loopback address with --\(option)")
      }
    }
    return ports
  }
}
