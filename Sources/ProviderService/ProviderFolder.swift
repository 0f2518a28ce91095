internal import BelfryWire
public import PostgresStorage
public import Storage
internal import System

/// The data folder of the service: the registry, the keys, and the admin token.
///
/// Only one process at a time can lock the folder.
///
/// ```
/// registry.sqlite   sealed tokens, and campaigns
/// token-key         the key that seals the tokens
/// admin-token       the token for the operator's requests
/// apps/ID.key       the key that the installations of an app send
/// vapid.pem         the key of the sender of Web Push messages
/// provider.json     the address of the running service
/// database          the URL of the database that contains the tokens and campaigns instead
/// ```
public struct ProviderFolder: Sendable {
  private let folder: DataFolder
  /// The result of checking the store's file; nil if the store is in a database.
  private let inspection: StoreInspection?
  /// The URL of the database that contains the store; nil if the store is a file in the folder.
  public let databaseURL: String?
  /// The store of tokens and campaigns.
  public let store: any RegistryStore
  /// The registry of the stored tokens.
  public let registry: Registry
  /// The apps that can register tokens.
  public let apps: AppKeys
  /// The token that the operator's requests require.
  public let adminToken: String

  /// Returns the path of the admin token's file in a folder.
  public static func adminTokenFile(in folder: String) -> String { "\(folder)/admin-token" }
  /// Returns the path of the running service's description in a folder.
  public static func descriptionFile(in folder: String) -> String { "\(folder)/provider.json" }

  /// The path of the folder.
  public var path: String { folder.path }
  /// The path of the admin token's file.
  public var adminTokenFile: String { Self.adminTokenFile(in: folder.path) }
  /// The path of the file in which the running service describes how to reach it.
  public var descriptionFile: String { Self.descriptionFile(in: folder.path) }

  /// Locks the folder and creates missing files, including one key for each given app.
  ///
  /// Throws `StorageFailure.busy` if another process has locked the folder. If `location` is nil, the store is where the
  /// service last kept it.
  public init(
    _ path: String, apps bundleIDs: [String] = [], storeIn location: StoreLocation? = nil
  ) throws {
    folder = try DataFolder(path)
    let place = try Self.location(location, of: folder)
    let sealer = try TokenSealer(keyFile: folder.file("token-key"))
    switch place {
    case .folder:
      databaseURL = nil
      inspection = try SQLiteRegistryStore.inspect(path: folder.file("registry.sqlite"))
      store = try SQLiteRegistryStore(path: folder.file("registry.sqlite"))
    case .database(let address):
      databaseURL = address.url
      inspection = nil
      store = try Self.openStore(in: address, of: folder, sealer)
    }
    guard try store.isSealed(by: sealer) else {
      throw TokenSealer.Failure.otherKey(path: folder.file("token-key"))
    }
    registry = Registry(store: store, sealer: sealer)
    apps = try AppKeys(folder: folder.file("apps"), adding: bundleIDs)
    adminToken = try Self.adminToken(at: Self.adminTokenFile(in: folder.path))
  }

  /// The notices for the operator about the registry's file, one sentence each.
  public var notices: [String] {
    var notices: [String] = []
    if case .repaired(let repair)? = inspection {
      notices.append(
        "registry.sqlite was damaged (\(repair.damage)): \(repair.rowsKept) rows were recovered, and the damaged file "
          + "was kept as \(repair.asideFile)")
    }
    return notices + store.notices
  }

  private static func adminToken(at path: String) throws(SystemFailure) -> String {
    if !FileSystem.exists(path) {
      let token = Hexadecimal.encode(SystemRandom.bytes(32)) + "\n"
      try FileSystem.write(Array(token.utf8), to: path, mode: 0o600)
    }
    let bytes = try FileSystem.readRegularFile(path, limit: Limits.keyFileBytesMax)
      .filter { $0 > 0x20 }
    guard bytes.count >= Limits.secretBytesMin else { throw .tooShort(path) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension SystemFailure {
  /// Returns the error for a secret file that is empty, truncated, or so short that its content could be guessed.
  static func tooShort(_ path: String) -> SystemFailure {
    .unusable(
      text: path,
      reason:
        "it has fewer than \(Limits.secretBytesMin) characters: delete it to generate a new one")
  }
}
