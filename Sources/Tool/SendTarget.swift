import BelfryProvider
import BelfryWire
import PushWire
import System
import Transport

/// The service and credentials for `belfry send`.
enum SendTarget {
  /// The options that specify the service and the credentials.
  static let entries: [OptionTable.Entry] = [
    .value(
      "gateway", "FILE|HOST:PORT", insteadOf: "data", default: "the current user's gateway",
      "a gateway.json file, or an address together with --ca and credentials"),
    .value("apple", "sandbox|production", "use Apple's own service instead of a gateway"),
    .value("ca", "FILE", "the CA certificate to trust (PEM)"),
    .value("key", "FILE.p8", "the provider key"),
    .value("key-id", "ID", "the provider key's ID"),
    .value("team", "ID", "the team's ID"),
    .value(
      "certificate", "FILE.pem",
      "a provider certificate with its private key, instead of a provider key"),
  ]

  /// Returns the folder of the gateway whose file the options specify; nil if the options specify an address or Apple's
  /// service.
  static func gatewayFolder(_ options: CommandLineOptions) throws -> String? {
    guard options.value("apple") == nil else { return nil }
    return try place(options).1.map { FileSystem.parent(of: $0.authorityFile) }
  }

  /// Returns the environment of the service, or nil if only an address was given.
  static func environment(_ options: CommandLineOptions) throws -> Environment? {
    if let name = options.value("apple") { return Environment(name: name) }
    return try place(options).1?.environmentName.flatMap(Environment.init(name:))
  }

  /// The maximum size, in bytes, of a key, a certificate chain, or a gateway file.
  private static let fileBytesMax = 262_144

  static func configuration(_ options: CommandLineOptions) throws -> ProviderClient.Configuration {
    var policy = RetryPolicy()
    if let seconds = try options.integer("timeout", in: Int64(1)...Int64(86_400)) {
      policy.timeoutNanoseconds = seconds * 1_000_000_000
    }
    let (endpoint, file) = try place(options)
    var authority = file?.authorityFile
    if let given = options.value("ca") { authority = given }
    return ProviderClient.Configuration(
      endpoint: endpoint, credentials: try credentials(options, file),
      authorityPEM: try authority.map { try FileSystem.read($0, limit: fileBytesMax) },
      policy: policy)
  }

  /// Reads the feedback service that `--feedback` specifies, using the certificate from the options.
  static func readFeedback(_ options: CommandLineOptions) throws -> [FeedbackTuple] {
    guard let text = options.value("feedback"), let endpoint = address(text) else { return [] }
    let configuration = try configuration(options)
    return try FeedbackClient.read(
      endpoint, credentials: configuration.credentials, authorityPEM: configuration.authorityPEM)
  }

  /// Returns true if the text is `HOST:PORT`.
  static func isAddress(_ text: String) -> Bool { address(text) != nil }

  private static func place(_ options: CommandLineOptions) throws -> (
    ProviderEndpoint, GatewayFile?
  ) {
    if let environment = try options.choice("apple", of: ["sandbox", "production"]) {
      guard options.value("gateway") == nil else {
        throw UsageError.contradiction("--apple and --gateway", "use one of them")
      }
      return (environment == "sandbox" ? .appleSandbox : .appleProduction, nil)
    }
    let gateway = options.value("gateway") ?? "\(StateFolders.gateway)/gateway.json"
    if !FileSystem.exists(gateway), let endpoint = address(gateway) { return (endpoint, nil) }
    if !FileSystem.exists(gateway), gateway.contains(":"), !gateway.contains("/") {
      throw CommandLineOptions.Problem.badValue(
        key: "gateway", value: gateway,
        wanted: "a gateway.json file, or HOST:PORT with a port from 1 to 65535")
    }
    let path = FileSystem.isDirectory(gateway) ? gateway + "/gateway.json" : gateway
    let file = try gatewayFile(path)
    return (file.endpoint, file)
  }

  /// Returns the content of a `gateway.json`.
  static func gatewayFile(_ path: String) throws(SendFailure) -> GatewayFile {
    guard FileSystem.exists(path) else {
      throw .badGatewayFile(path, reason: "no such file")
    }
    do throws(GatewayFile.Failure) {
      return try GatewayFile(path)
    } catch {
      throw .badGatewayFile(path, reason: error.reason)
    }
  }

  private static func credentials(
    _ options: CommandLineOptions, _ file: GatewayFile?
  ) throws -> ProviderCredentials {
    if let certificate = options.value("certificate") {
      guard options.value("key") == nil else {
        throw UsageError.contradiction("--certificate and --key", "use one of them")
      }
      let pem = try FileSystem.read(certificate, limit: fileBytesMax)
      do throws(TLSFailure) {
        try TLSClientContext.check(certificateChainPEM: pem, privateKeyPEM: pem)
      } catch {
        throw SendFailure.badCertificate(
          certificate, error, isDER: (try? Certificate(der: pem)) != nil)
      }
      return .certificate(chainPEM: pem, privateKeyPEM: pem)
    }
    // The gateway's default key ID is wrong for any other key: the service would refuse each push.
    if let key = options.value("key"), options.value("key-id") == nil,
      !isSameFile(key, file?.keyFile)
    {
      throw UsageError(
        file == nil
          ? "--key requires --key-id and --team: add them"
          : "--key requires --key-id: add it, and --team if the key belongs to another team")
    }
    guard let keyFile = options.value("key") ?? file?.keyFile,
      let keyID = options.value("key-id") ?? file?.keyID,
      let teamID = options.value("team") ?? file?.teamID
    else {
      let missing = ["key", "key-id", "team"].filter { options.value($0) == nil }
      let isNone = missing.count == 3
      throw UsageError.contradiction(
        "missing credentials",
        "add \(CommandLineOptions.list(missing.map { "--\($0)" }, "and"))\(isNone ? ", or --certificate" : "")"
      )
    }
    let p8 = try FileSystem.read(keyFile, limit: fileBytesMax)
    return .token(try ProviderKey(p8: p8, keyID: keyID, teamID: teamID))
  }

  private static func isSameFile(_ path: String, _ other: String?) -> Bool {
    guard let other, let bytes = try? FileSystem.read(path, limit: fileBytesMax) else {
      return false
    }
    return bytes == (try? FileSystem.read(other, limit: fileBytesMax))
  }

  /// Parses `HOST:PORT`.
  ///
  /// Returns `nil` for a string that can only be the path of a file.
  private static func address(_ text: String) -> ProviderEndpoint? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
      port > 0
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host.isEmpty || host.contains("/") ? nil : ProviderEndpoint(host: host, port: port)
  }
}
