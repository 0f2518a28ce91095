import BelfryWire
import Gateway
import System
import Transport

/// The gateway that a device joins: its address, the certificate authority to trust, and the enrollment code.
struct DeviceGateway: Equatable {
  /// An error in the specification of the gateway.
  enum Problem: CommandFailure, CustomStringConvertible {
    case badFile(String, reason: String)
    /// The file that `--gateway` specifies isn't a valid description of a gateway.
    case badChosenFile(String, reason: String)
    /// The data folder of a command that runs on the gateway's machine doesn't contain a valid description.
    case badFileInFolder(String, reason: String)
    case badInvitation(reason: String)
    case badAuthority(String, reason: String)
    case noAuthority

    /// True if the error is in the options, not in a file.
    var isUsage: Bool {
      switch self {
      case .badFile, .badChosenFile, .badFileInFolder: false
      default: true
      }
    }

    var exitStatus: Int32 { isUsage ? 2 : 1 }

    var description: String {
      switch self {
      case .badFile(let path, let reason):
        "cannot read the gateway description \(path) (\(reason)): start a gateway with "
          + "'belfry gateway', or use --gateway"
          + (DeviceGateway.example(insteadOf: path).map { " \($0)" } ?? "")
      case .badChosenFile(let path, let reason):
        DeviceGateway.awaitedFile(path) != nil
          ? "cannot read the gateway description \(path) (\(reason)): check --gateway, or start the "
            + "gateway with 'belfry gateway'"
          : "invalid value '\(path)' for --gateway (\(reason)): expected a gateway.json file, HOST:PORT, an "
            + "invitation or an invitation file"
      case .badFileInFolder(let path, let reason):
        "cannot read the gateway description \(path) (\(reason)): run this command on the "
          + "gateway's machine, or specify the gateway's data folder with --data"
          + DeviceGateway.folderExample(insteadOf: path)
      case .badInvitation(let reason):
        "invalid invitation (\(reason)): use the whole line that 'belfry device invite' prints"
      case .badAuthority(let path, let reason):
        "invalid value '\(path)' for --ca: expected the gateway's CA certificate in PEM format "
          + "(\(reason))"
      case .noAuthority:
        "missing CA certificate: add --ca FILE, or use the gateway's gateway.json or an invitation"
      }
    }
  }

  /// The accepted values of `--gateway`, for the help.
  static let optionName = "FILE|HOST:PORT|INVITATION"

  var host: String
  var port: UInt16
  var authorityPEM: [UInt8]
  /// The enrollment code; empty if unknown.
  ///
  /// An open gateway requires no code, and an enrolled device needs none.
  var enrollmentCode: String
  /// True if the gateway listens on all addresses of this machine; `host` is then the loopback address.
  private(set) var listensEverywhere = false
  /// The host names that the operator configured, in order.
  private(set) var names: [String] = []
  /// The folder of the gateway, if the description is a `gateway.json` in that folder.
  private(set) var folder: String?

  /// The first name that the operator configured and by which other machines might reach the gateway; nil if there is
  /// none.
  var publicName: String? { Self.publicName(among: names) }

  /// Returns the first of a gateway's names by which other machines might reach the gateway; nil if every name is local.
  static func publicName(among names: [String]) -> String? {
    names.first { $0 != "localhost" && SocketAddress(host: $0, port: 0)?.isLoopback != true }
  }

  /// The path of the description of the current user's gateway.
  static var usersFile: String { "\(StateFolders.gateway)/gateway.json" }

  /// Reads `--gateway`, or `file` if the option isn't given, and applies `--ca` and `--enroll`.
  init(_ options: CommandLineOptions, default file: @autoclosure () -> String = usersFile) throws {
    let text = options.value("gateway") ?? file()
    if text.hasPrefix(Invitation.scheme) {
      self = try Invitation.parse(text)
      try override(by: options)
    } else if !FileSystem.exists(text), let (host, port) = Self.address(text) {
      // If no authority is specified, the address might be that of the current user's own gateway.
      let own = StateFolders.isGatewayKnown ? (try? Self(file: Self.usersFile)) : nil
      let isOwn = own?.host == host && own?.port == port
      guard options.value("ca") != nil || isOwn else { throw Problem.noAuthority }
      self.init(
        host: host, port: port, authorityPEM: isOwn ? own?.authorityPEM ?? [] : [],
        enrollmentCode: isOwn ? own?.enrollmentCode ?? "" : "")
      try override(by: options)
    } else if let invitation = Self.invitation(in: text) {
      self = try Invitation.parse(invitation)
      try override(by: options)
    } else {
      do {
        try self.init(
          file: FileSystem.isDirectory(text) ? text + "/gateway.json" : text,
          readsAuthority: options.value("ca") == nil)
      } catch Problem.badFile(let path, let reason) where options.value("gateway") != nil {
        throw Problem.badChosenFile(path, reason: reason)
      }
      try override(by: options)
    }
  }

  init(host: String, port: UInt16, authorityPEM: [UInt8], enrollmentCode: String) {
    self.host = host
    self.port = port
    self.authorityPEM = authorityPEM
    self.enrollmentCode = enrollmentCode
  }

  private mutating func override(by options: CommandLineOptions) throws {
    if let file = options.value("ca") { authorityPEM = try Self.authority(file) }
    if let code = options.value("enroll") { enrollmentCode = code }
  }

  /// Reads a gateway from a `gateway.json`.
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
      enrollmentCode: object["enrollmentCode"]?.stringValue ?? "")
    listensEverywhere = self.host != host
    names = (object["names"]?.arrayValue ?? []).compactMap(\.stringValue)
    folder =
      path.hasSuffix("/gateway.json") ? FileSystem.parent(of: FileSystem.absolute(path)) : nil
  }

  /// Returns the `gateway.json` of a gateway whose folder is near the folder of the missing file `path`
  /// (``GatewayFolder/otherFolders``); nil if there is no such gateway.
  static func example(insteadOf path: String) -> String? {
    guard !FileSystem.exists(path), path.hasSuffix("/gateway.json") else { return nil }
    return GatewayFolder(path: FileSystem.parent(of: path)).otherFolders.lazy
      .map { GatewayFolder(path: $0).descriptionFile }.first(where: FileSystem.exists)
  }

  /// Returns an example for `--data`, with the folder of ``example(insteadOf:)``; empty if there is none.
  private static func folderExample(insteadOf path: String) -> String {
    guard let file = example(insteadOf: path) else { return "" }
    return ", for example --data \(FileSystem.parent(of: file))"
  }

  /// Returns true if this value of `--gateway` contains the gateway's address, not the path of a file.
  static func isAddressOrInvitation(_ text: String) -> Bool {
    text.hasPrefix(Invitation.scheme) || invitation(in: text) != nil
      || !FileSystem.exists(text) && address(text) != nil
  }

  /// Returns the path of the description that a gateway with this value of `--gateway` will write: the file itself, or
  /// `gateway.json` in a folder.
  ///
  /// Returns nil for an invitation, an address, and a file that no gateway writes.
  static func awaitedFile(_ text: String) -> String? {
    guard !text.hasPrefix(Invitation.scheme), text != "none", address(text) == nil else {
      return nil
    }
    guard !FileSystem.exists(text) || FileSystem.isDirectory(text) else { return nil }
    if text.hasSuffix(".json") { return text }
    let name = text.split(separator: "/").last ?? ""
    guard FileSystem.isDirectory(text) || text.contains("/") && !name.contains(".") else {
      return nil
    }
    return text + "/gateway.json"
  }

  /// Returns the invitation in a file, or nil for any other file.
  ///
  /// An invitation in a file isn't visible in the list of processes.
  private static func invitation(in path: String) -> String? {
    guard let bytes = try? FileSystem.read(path, limit: fileBytesMax),
      bytes.starts(with: Invitation.scheme.utf8)
    else { return nil }
    return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
  }

  private static let fileBytesMax = 262_144

  private static func object(_ path: String) throws -> JSONObject {
    do {
      let bytes = try FileSystem.read(path, limit: fileBytesMax)
      // The position of an error does not help if the file is something else, such as a picture.
      guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
        let object = try JSONValue(parsing: bytes).objectValue
      else { throw Problem.badFile(path, reason: "not a JSON object") }
      return object
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem.badFile(path, reason: (error as? SystemFailure)?.reason ?? "\(error)")
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

  /// Parses `HOST:PORT`.
  ///
  /// Returns nil for a string that can only be the path of a file.
  static func address(_ text: String) -> (String, UInt16)? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
      port > 0
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host.isEmpty || host.contains("/") ? nil : (host, port)
  }
}
