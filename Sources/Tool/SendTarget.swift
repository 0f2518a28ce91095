import BelfryProvider
import BelfryWire
import System

/// The service and the credentials of `belfry send`.
enum SendTarget {
  /// The part of a gateway's `gateway.json` that a sender needs.
  private struct GatewayFile {
    let host: String
    let providerPort: UInt16
    let caFile: String
    let teamID: String
    let keyID: String
    let keyFile: String

    init?(_ object: JSONObject) {
      guard let host = object["host"]?.stringValue,
        let port = object["ports"]?.objectValue?["provider"]?.integerValue,
        let providerPort = UInt16(exactly: port), let caFile = object["caFile"]?.stringValue,
        let teamID = object["teamID"]?.stringValue, let keyID = object["keyID"]?.stringValue,
        let keyFile = object["keyFile"]?.stringValue
      else { return nil }
      // A gateway that listens everywhere is reached on this machine.
      self.host = ["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host
      self.providerPort = providerPort
      self.caFile = caFile
      self.teamID = teamID
      self.keyID = keyID
      self.keyFile = keyFile
    }
  }

  /// Bytes of a key, a certificate chain or a gateway file at most.
  private static let fileBytesMax = 262_144

  static func configuration(_ options: CommandLineOptions) throws -> ProviderClient.Configuration {
    var policy = RetryPolicy()
    if let seconds = try options.integer("timeout", in: Int64(1)...Int64(86_400)) {
      policy.timeoutNanoseconds = seconds * 1_000_000_000
    }
    let (endpoint, file) = try place(options)
    var authority = file?.caFile
    if let given = options.value("ca") { authority = given }
    return ProviderClient.Configuration(
      endpoint: endpoint, credentials: try credentials(options, file),
      authorityPEM: try authority.map { try FileSystem.read($0, limit: fileBytesMax) },
      policy: policy)
  }

  private static func place(_ options: CommandLineOptions) throws -> (
    ProviderEndpoint, GatewayFile?
  ) {
    if let environment = try options.choice("apple", of: ["sandbox", "production"]) {
      guard options.value("gateway") == nil else {
        throw SendFailure.contradiction("--apple and --gateway", "give one of them")
      }
      return (environment == "sandbox" ? .appleSandbox : .appleProduction, nil)
    }
    let gateway = options.value("gateway") ?? "\(StateFolders.gateway)/gateway.json"
    if !FileSystem.exists(gateway), let endpoint = address(gateway) { return (endpoint, nil) }
    let path = FileSystem.isDirectory(gateway) ? gateway + "/gateway.json" : gateway
    guard FileSystem.exists(path) else {
      throw SendFailure.badGatewayFile(path, reason: "there is no such file")
    }
    let bytes: [UInt8]
    do {
      bytes = try FileSystem.read(path, limit: fileBytesMax)
    } catch {
      throw SendFailure.badGatewayFile(path, reason: "\(error)")
    }
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let file = GatewayFile(object)
    else { throw SendFailure.badGatewayFile(path, reason: "it is not what a gateway writes") }
    return (ProviderEndpoint(host: file.host, port: file.providerPort), file)
  }

  private static func credentials(
    _ options: CommandLineOptions, _ file: GatewayFile?
  ) throws -> ProviderCredentials {
    if let certificate = options.value("certificate") {
      guard options.value("key") == nil else {
        throw SendFailure.contradiction("--certificate and --key", "give one of them")
      }
      let pem = try FileSystem.read(certificate, limit: fileBytesMax)
      return .certificate(chainPEM: pem, privateKeyPEM: pem)
    }
    guard let keyFile = options.value("key") ?? file?.keyFile,
      let keyID = options.value("key-id") ?? file?.keyID,
      let teamID = options.value("team") ?? file?.teamID
    else {
      throw SendFailure.contradiction(
        "there are no credentials", "give --key, --key-id and --team, or --certificate")
    }
    let p8 = try FileSystem.read(keyFile, limit: fileBytesMax)
    return .token(try ProviderKey(p8: p8, keyID: keyID, teamID: teamID))
  }

  /// `HOST:PORT`; `nil` for what can only be a file.
  private static func address(_ text: String) -> ProviderEndpoint? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
      port > 0
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host.isEmpty || host.contains("/") ? nil : ProviderEndpoint(host: host, port: port)
  }
}
