import BelfryWire
import System

/// The validated options of `belfry device run`.
struct FleetConfiguration {
  /// The fault of the options.
  enum Problem: Error, CustomStringConvertible {
    case badApp(String)
    case badChannel(String)
    case badGatewayFile(String, reason: String)
    case noAuthority

    var isUsage: Bool {
      if case .badGatewayFile = self { false } else { true }
    }

    var description: String {
      switch self {
      case .badApp(let text):
        "--app '\(text)' is not BUNDLE-ID[:TYPE,…]: the types are \(Self.types)"
      case .badChannel(let text):
        "--channel '\(text)' is not APP/ID: give the app's bundle id and the channel's id in base64"
      case .badGatewayFile(let path, let reason):
        "\(path) names no gateway (\(reason)): start one with belfry gateway, or give --gateway"
      case .noAuthority:
        "the gateway's authority is not known: give --ca FILE, or the gateway.json"
      }
    }

    private static var types: String {
      TokenKind.allCases.map { "\($0.name)" }.joined(separator: ", ")
    }
  }

  let host: String
  let port: UInt16
  let authorityPEM: [UInt8]
  let enrolmentCode: String
  let count: Int
  /// Devices that connect at a time.
  let connecting: Int
  let dataFolder: String
  let subjects: [LinkSubject]
  let acknowledges: Bool
  let isSummary: Bool

  init(_ options: CommandLineOptions) throws {
    let gateway = options.value("gateway") ?? "\(StateFolders.gateway)/gateway.json"
    let file: JSONObject?
    if !FileSystem.exists(gateway), let (host, port) = Self.address(gateway) {
      self.host = host
      self.port = port
      file = nil
    } else {
      let path = FileSystem.isDirectory(gateway) ? gateway + "/gateway.json" : gateway
      let object = try Self.read(path)
      guard let port = object["ports"]?.objectValue?["device"]?.integerValue.flatMap(UInt16.init),
        let host = object["host"]?.stringValue
      else { throw Problem.badGatewayFile(path, reason: "host or ports.device is missing") }
      // A gateway that listens everywhere is reached on this machine.
      self.host = ["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host
      self.port = port
      file = object
    }
    guard let authority = options.value("ca") ?? file?["caFile"]?.stringValue else {
      throw Problem.noAuthority
    }
    authorityPEM = try FileSystem.read(authority, limit: Self.fileBytesMax)
    enrolmentCode = options.value("enroll") ?? file?["enrollmentCode"]?.stringValue ?? ""
    count = try options.integer("count", in: 1...1_000_000) ?? 1
    connecting = try options.integer("connecting", in: 1...1_000_000) ?? 64
    dataFolder = FileSystem.absolute(options.value("data") ?? StateFolders.devices)
    subjects =
      try options.values("app").flatMap(Self.topics) + options.values("channel").map(Self.channel)
    acknowledges = try options.choice("ack", of: ["auto", "never"]) != "never"
    isSummary = options.has("summary")
  }

  private static let fileBytesMax = 262_144

  private static func read(_ path: String) throws -> JSONObject {
    do {
      let value = try JSONValue(parsing: try FileSystem.read(path, limit: fileBytesMax))
      guard let object = value.objectValue else {
        throw Problem.badGatewayFile(path, reason: "it holds no JSON object")
      }
      return object
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem.badGatewayFile(path, reason: "\(error)")
    }
  }

  /// `HOST:PORT`; `nil` for what can only be a file.
  private static func address(_ text: String) -> (String, UInt16)? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
      port > 0
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host.isEmpty || host.contains("/") ? nil : (host, port)
  }

  private static func topics(_ text: String) throws -> [LinkSubject] {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let bundleID = String(parts[0])
    guard (1...255).contains(bundleID.utf8.count), bundleID.utf8.allSatisfy({ $0 > 0x20 }) else {
      throw Problem.badApp(text)
    }
    guard parts.count == 2 else { return [.topic(LinkTopic(bundleID: bundleID))] }
    return try parts[1].split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let kind = TokenKind(name: String(name)) else { throw Problem.badApp(text) }
      return .topic(LinkTopic(bundleID: bundleID, kind: kind))
    }
  }

  private static func channel(_ text: String) throws -> LinkSubject {
    guard let channel = LinkChannel(reading: text) else { throw Problem.badChannel(text) }
    return .channel(channel)
  }
}

extension LinkChannel {
  /// Reads `APP/ID`, the identifier in base64; `nil` for anything else.
  init?(reading text: String) {
    // Base64 may hold a slash itself; a bundle identifier does not.
    let parts = text.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let identifier = Base64.decode(Array(parts[1].utf8).span),
      (1...LinkLimits.channelIDBytesMax).contains(identifier.count)
    else { return nil }
    self.init(bundleID: String(parts[0]), identifier: identifier)
  }
}
