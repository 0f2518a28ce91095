import BelfryWire
import PostgresStorage
public import System
public import Transport

/// The files of a gateway, created at the first start and read at every later start.
///
/// ```
/// ca.pem, ca-key.pem          the authority that its clients trust
/// ca-first.pem                the first certificate of each authority that has since received another one
/// server.pem, server-key.pem  the listeners' certificate and key
/// server-added-NAME.pem, …    the certificate for clients that request a name that was added later
/// token-keys                  one key per line, hexadecimal; the first seals device tokens
/// upstream-key                the key that encrypts the publishers' keys for upstreams, hexadecimal
/// admin-token                 the token for the admin API
/// AuthKey_KEYID.p8            the first team's provider key
/// delivery-log.LOOP           the latest notification events
/// metrics                     the metrics of the last seven days
/// control.sqlite, notifications.sqlite, gateway.json, lock
/// control.sqlite-mark, …      how much each store has committed
/// database                    the URL of the database that contains the stores instead
/// restored, restoring         markers of a finished or an unfinished restore from a backup
/// manifest                    the list of files that the folder must contain
/// ```
public struct GatewayFolder: Sendable {
  /// An error that describes why a folder can't be used.
  public enum Failure: Error, CustomStringConvertible {
    case system(SystemFailure)
    case crypto(file: String, CryptoFailure)
    case damaged(file: String, String)
    /// The admin token is too short to be secret; the second string tells the operator how to fix this.
    case shortToken(file: String, String)
    /// Required files of the folder are unusable.
    case lost([LostFile], folder: GatewayFolder)
    /// The gateway's data is not in the place that its options specify; `remedy` tells the operator how to fix this.
    case otherStore(folder: String, String, remedy: String)
    /// A `belfry restore` didn't finish.
    case halfRestored(folder: String)

    /// A description of the problem and how to fix it.
    public var description: String {
      switch self {
      case .system(let failure): "\(failure)"
      case .crypto(let file, let failure):
        "\(file): \(failure): restore it from a backup, or move the folder away to start with an empty one"
      case .damaged(let file, let what):
        "\(file): \(what): restore it from a backup, or move the folder away to start with an empty one"
      case .shortToken(let file, let remedy):
        "\(file) has fewer than \(Limits.adminTokenBytesMin) characters: \(remedy)"
      case .otherStore(let folder, let why, let remedy):
        "cannot use the data folder \(folder): \(why): \(remedy)"
      case .halfRestored(let folder):
        "\(folder) was not completely restored from a backup: move it away and run 'belfry restore' again"
      case .lost(let files, let folder): "\(files.problem(in: folder)): \(files.remedy)"
      }
    }
  }

  /// The absolute path of the folder.
  public let path: String

  /// Creates a reference to the folder at a path, which need not exist.
  public init(path: String) { self.path = FileSystem.absolute(path) }

  /// Throws if the folder contains no gateway, or if the current user can't access it.
  public func requireGateway() throws(AdministrationFailure) {
    let isThere: Bool
    do throws(SystemFailure) {
      isThere = try hasStores()
    } catch {
      throw AdministrationFailure(
        .broken, "cannot read \(path) (\(error.reason))",
        do:
          "run the command as the gateway's user, or specify the gateway's data folder with --data")
    }
    guard isThere else {
      guard !isOfProvider else {
        throw AdministrationFailure(
          .missing, "\(path) is the data folder of a provider, not of a gateway",
          do:
            "specify a gateway's data folder with --data; docs/provider.md describes the provider's console, and "
            + "docs/operations/backup.md describes its backups")
      }
      throw AdministrationFailure(
        .missing, "no gateway in \(path)",
        do: "start a gateway once with 'belfry gateway', \(folderAdvice), "
          + "or run the command inside 'belfry test-gateway'")
    }
  }

  /// True if the folder contains the registry of `belfry provider`.
  private var isOfProvider: Bool { FileSystem.exists(file("registry.sqlite")) }

  /// The advice to specify another data folder, with a folder from ``otherFolders`` if there is one.
  public var folderAdvice: String {
    let advice = "specify its data folder with --data"
    return otherFolders.first.map { "\(advice), for example --data \($0)" } ?? advice
  }

  /// The paths of the folders near this one that contain a gateway: the folder `gateway` in this folder, and
  /// ``offsetFolders``.
  ///
  /// `belfry test-gateway --data DIR` and `belfry dev --data DIR` use `DIR/gateway`.
  public var otherFolders: [String] {
    let inner = GatewayFolder(path: file("gateway"))
    return ((try? inner.hasStores()) == true ? [inner.path] : []) + offsetFolders
  }

  /// The sorted paths of the folders next to this one that contain a gateway with a port offset.
  ///
  /// A gateway with a port offset of N uses `gateway-N` next to the default folder `gateway`.
  public var offsetFolders: [String] {
    let parent = FileSystem.parent(of: path)
    let name = "\(path.split(separator: "/").last ?? "")-"
    let names = ((try? FileSystem.list(parent)) ?? []).filter {
      $0.hasPrefix(name) && UInt16($0.dropFirst(name.count)) != nil
    }
    return names.sorted().map { "\(parent)/\($0)" }.filter {
      (try? GatewayFolder(path: $0).hasStores()) == true
    }
  }

  /// Returns true if the folder contains the gateway's stores, or the link to the database that contains them.
  private func hasStores() throws(SystemFailure) -> Bool {
    let hasFile = try FileSystem.isPresent(controlStoreFile)
    let hasLink = try FileSystem.isPresent(file(DatabaseLink.file))
    return hasFile || hasLink
  }

  /// Returns true if the gateway has a certificate for clients that request `host`, which is a host name or an address;
  /// nil if the certificates can't be read.
  public func isCertified(for host: String) -> Bool? {
    let certificates = listenerCertificates
    return certificates.isEmpty ? nil : certificates.contains { $0.isFor(host) }
  }

  /// The host names in the gateway's certificates, without `localhost` and Apple's names.
  public var certifiedNames: [String] {
    listenerCertificates.flatMap(\.hostNames).filter {
      $0 != "localhost" && !GatewayConfiguration.appleHostNames.contains($0)
    }
  }

  private var listenerCertificates: [Certificate] {
    [try? Certificate(pem: (try? read("server.pem")) ?? [])].compactMap(\.self) + addedCertificates
  }

  /// The certificates for names that were added after the first start, including those of earlier starts.
  var addedCertificates: [Certificate] {
    let names = (try? FileSystem.list(path)) ?? []
    let chains = names.sorted().filter { name in
      name.hasPrefix("server-added-") && name.hasSuffix(".pem") && !name.hasSuffix("-key.pem")
    }
    return chains.compactMap { try? Certificate(pem: (try? read($0)) ?? []) }
  }

  /// Returns the absolute path of a file in the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The path of the authority's certificate.
  public var authorityFile: String { file("ca.pem") }
  /// The path of the running gateway's description, in the ready file's format.
  public var descriptionFile: String { file("gateway.json") }
  /// The path of the file with the admin API's token.
  public var adminTokenFile: String { file("admin-token") }
  /// The path of the store of teams, keys, apps, devices, and registrations.
  public var controlStoreFile: String { file("control.sqlite") }
  /// The path of the store of undelivered notifications.
  public var notificationStoreFile: String { file("notifications.sqlite") }
  /// The path of the metrics of the last seven days.
  public var metricArchiveFile: String { file("metrics") }
  /// Returns the path of the delivery log of one loop.
  func deliveryLogFile(loop: Int) -> String { file("delivery-log.\(loop)") }
  /// Returns the path of the private key of a provider key, which is in the same format as Apple's keys.
  public func keyFile(_ keyID: String) -> String { file("AuthKey_\(keyID).p8") }

  /// The files that are not secret.
  private static let publicFiles: Set = [
    "ca.pem", "ca-first.pem", "server.pem", "server-names", "manifest",
  ]

  /// The names of secret files that other users of this machine can read, because neither the files' own permissions
  /// nor the folder's permissions protect them.
  public var exposedFiles: [String] {
    func mode(_ path: String) -> UInt32 { (try? FileSystem.mode(of: path)) ?? 0 }
    guard mode(path) & 0o011 != 0, let names = try? FileSystem.list(path) else { return [] }
    return names.sorted().filter { name in
      !Self.publicFiles.contains(name)
        && !Self.publicFiles.contains { name.hasPrefix("\($0).given-up-") }
        && (!name.hasPrefix("server-added-") || name.hasSuffix("-key.pem"))
        && mode(file(name)) & 0o044 != 0
    }
  }

  /// Returns the keys of device tokens, starting with the sealing key; creates the first key if necessary.
  public func tokenKeys() throws(Failure) -> [[UInt8]] {
    guard let text = try read("token-keys") else {
      let key = SystemRandom.bytes(32)
      try write(Array((Hexadecimal.encode(key) + "\n").utf8), "token-keys")
      return [key]
    }
    var keys: [[UInt8]] = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let key = Hexadecimal.decode(String(decoding: line, as: UTF8.self)),
        key.count == 32 || key.count == 64
      else {
        throw .damaged(file: file("token-keys"), "contains a line that is not a hexadecimal key")
      }
      keys.append(key)
    }
    guard !keys.isEmpty else { throw .damaged(file: file("token-keys"), "contains no key") }
    return keys
  }

  /// Reads or creates the admin API's token; if `given` isn't nil, replaces the token with the contents of that file.
  ///
  /// The method rejects a file with too few bytes, for example, because it was truncated; such a token could be
  /// guessed.
  public func adminToken(from given: String? = nil) throws(Failure) -> String {
    let own = try read("admin-token").map { String(decoding: $0, as: UTF8.self) }?
      .filter { !$0.isWhitespace }
    if let given {
      let token = try Self.text(of: given)
      guard token.utf8.count >= Limits.adminTokenBytesMin else {
        throw .shortToken(file: given, "use a longer token")
      }
      // Write the given token to the folder, where commands on this machine read it.
      if token != own { try write(Array((token + "\n").utf8), "admin-token") }
      return token
    }
    if let own {
      guard own.utf8.count >= Limits.adminTokenBytesMin else {
        throw .shortToken(
          file: adminTokenFile, "remove the file, and the gateway generates a new token")
      }
      return own
    }
    let token = Hexadecimal.encode(SystemRandom.bytes(24))
    try write(Array((token + "\n").utf8), "admin-token")
    return token
  }

  private static func text(of file: String) throws(Failure) -> String {
    do {
      return String(decoding: try FileSystem.readRegularFile(file, limit: 4_096), as: UTF8.self)
        .filter { !$0.isWhitespace }
    } catch {
      throw .system(error)
    }
  }

  /// Writes a file of the folder atomically.
  public func write(_ bytes: [UInt8], _ name: String, mode: UInt32 = 0o600) throws(Failure) {
    do { try FileSystem.write(bytes, to: file(name), mode: mode) } catch { throw .system(error) }
  }

  func read(_ name: String) throws(Failure) -> [UInt8]? {
    guard FileSystem.exists(file(name)) else { return nil }
    do {
      return try FileSystem.readRegularFile(file(name), limit: 1 << 20)
    } catch {
      throw .system(error)
    }
  }

  func crypto<Value>(
    _ name: String, _ body: () throws(CryptoFailure) -> Value
  ) throws(Failure) -> Value {
    do { return try body() } catch { throw .crypto(file: file(name), error) }
  }

}
