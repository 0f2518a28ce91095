import BelfryProvider
import Foundation
import System

/// Where `belfry send` sends to, and with what credentials.
enum SendTarget {
  /// The part of a gateway's `gateway.json` that a sender needs.
  private struct GatewayFile: Decodable {
    struct Ports: Decodable {
      let provider: UInt16
    }
    let host: String
    let ports: Ports
    let caFile: String
    let teamID: String
    let keyID: String
    let keyFile: String
  }

  /// Bytes of a key, a certificate chain or a gateway file that are read at the most.
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
    let gateway = options.value("gateway") ?? defaultGatewayFile
    if !FileSystem.exists(gateway), let endpoint = address(gateway) { return (endpoint, nil) }
    let path = FileSystem.isDirectory(gateway) ? gateway + "/gateway.json" : gateway
    let file: GatewayFile
    do {
      let bytes = try FileSystem.read(path, limit: fileBytesMax)
      file = try JSONDecoder().decode(GatewayFile.self, from: Data(bytes))
    } catch let failure as SystemFailure {
      throw SendFailure.badGatewayFile(path, reason: "\(failure)")
    } catch {
      throw SendFailure.badGatewayFile(path, reason: "it is not what a gateway writes")
    }
    // A gateway that listens everywhere is reached on this machine.
    let host = ["0.0.0.0", "::"].contains(file.host) ? "127.0.0.1" : file.host
    return (ProviderEndpoint(host: host, port: file.ports.provider), file)
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

  private static var defaultGatewayFile: String {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"] ?? "/"
    let state = environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    return (state ?? home + "/.local/state") + "/belfry/gateway/gateway.json"
  }
}
