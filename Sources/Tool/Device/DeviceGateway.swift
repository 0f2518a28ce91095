import BelfryWire
import System
import Transport

/// The gateway that a device joins: where it is, what to trust, and the code to enrol with.
struct DeviceGateway: Equatable {
  /// The fault of what names it.
  enum Problem: Error, CustomStringConvertible {
    case badFile(String, reason: String)
    case badInvitation(reason: String)
    case badAuthority(String, reason: String)
    case noAuthority

    /// Whether the options are to blame, and no file.
    var isUsage: Bool {
      if case .badFile = self { false } else { true }
    }

    var description: String {
      switch self {
      case .badFile(let path, let reason):
        "\(path) names no gateway (\(reason)): start one with belfry gateway, or give --gateway"
      case .badInvitation(let reason):
        "the invitation cannot be used (\(reason)): take the whole line that 'belfry device invite' "
          + "prints"
      case .badAuthority(let path, let reason):
        "--ca '\(path)' is not understood: give the gateway's authority, a certificate in PEM form "
          + "(\(reason))"
      case .noAuthority:
        "the gateway's authority is not known: give --ca FILE, the gateway.json, or an invitation"
      }
    }
  }

  /// What `--gateway` may be.
  static let optionName = "FILE|HOST:PORT|INVITATION"

  var host: String
  var port: UInt16
  var authorityPEM: [UInt8]
  /// The enrolment code; empty where none is known, which an open gateway and an enrolled device do without.
  var enrolmentCode: String
  /// Whether it listens on every address of this machine; `host` is then the one on loopback.
  private(set) var listensEverywhere = false

  /// The description of this user's gateway.
  static var usersFile: String { "\(StateFolders.gateway)/gateway.json" }

  /// Reads `--gateway`, or this user's gateway where it is not given, with `--ca` and `--enroll` on top.
  init(_ options: CommandLineOptions) throws {
    let text = options.value("gateway") ?? Self.usersFile
    if text.hasPrefix(Invitation.scheme) {
      self = try Invitation.parse(text)
      try override(by: options)
    } else if !FileSystem.exists(text), let (host, port) = Self.address(text) {
      // Without an authority, this user's own gateway may be meant.
      let own = try? Self(file: Self.usersFile)
      let isOwn = own?.host == host && own?.port == port
      guard options.value("ca") != nil || isOwn else { throw Problem.noAuthority }
      self.init(
        host: host, port: port, authorityPEM: isOwn ? own?.authorityPEM ?? [] : [],
        enrolmentCode: isOwn ? own?.enrolmentCode ?? "" : "")
      try override(by: options)
    } else if let invitation = Self.invitation(in: text) {
      self = try Invitation.parse(invitation)
      try override(by: options)
    } else {
      try self.init(
        file: FileSystem.isDirectory(text) ? text + "/gateway.json" : text,
        readsAuthority: options.value("ca") == nil)
      try override(by: options)
    }
  }

  init(host: String, port: UInt16, authorityPEM: [UInt8], enrolmentCode: String) {
    self.host = host
    self.port = port
    self.authorityPEM = authorityPEM
    self.enrolmentCode = enrolmentCode
  }

  private mutating func override(by options: CommandLineOptions) throws {
    if let file = options.value("ca") { authorityPEM = try Self.authority(file) }
    if let code = options.value("enroll") { enrolmentCode = code }
  }

  /// Reads a `gateway.json`.
  init(file path: String, readsAuthority: Bool = true) throws {
    let object = try Self.object(path)
    guard let port = object["ports"]?.objectValue?["device"]?.integerValue.flatMap(UInt16.init),
      let host = object["host"]?.stringValue
    else { throw Problem.badFile(path, reason: "host or ports.device is missing") }
    var authority: [UInt8] = []
    if readsAuthority {
      guard let file = object["caFile"]?.stringValue else { throw Problem.noAuthority }
      authority = try Self.authority(file)
    }
    self.init(
      host: SocketAddress.hostOnThisMachine(ofListener: host), port: port, authorityPEM: authority,
      enrolmentCode: object["enrollmentCode"]?.stringValue ?? "")
    listensEverywhere = self.host != host
  }

  /// The invitation that a file holds, which no list of processes shows; nil for any other file.
  private static func invitation(in path: String) -> String? {
    guard let bytes = try? FileSystem.read(path, limit: fileBytesMax),
      bytes.starts(with: Invitation.scheme.utf8)
    else { return nil }
    return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
  }

  private static let fileBytesMax = 262_144

  private static func object(_ path: String) throws -> JSONObject {
    do {
      let value = try JSONValue(parsing: try FileSystem.read(path, limit: fileBytesMax))
      guard let object = value.objectValue else {
        throw Problem.badFile(path, reason: "it holds no JSON object")
      }
      return object
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem.badFile(path, reason: "\(error)")
    }
  }

  private static func authority(_ path: String) throws(Problem) -> [UInt8] {
    do {
      let pem = try FileSystem.read(path, limit: fileBytesMax)
      _ = try Certificate(pem: pem)
      return pem
    } catch {
      throw .badAuthority(path, reason: "\(error)")
    }
  }

  /// `HOST:PORT`; nil for what can only be a file.
  static func address(_ text: String) -> (String, UInt16)? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
      port > 0
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host.isEmpty || host.contains("/") ? nil : (host, port)
  }
}
