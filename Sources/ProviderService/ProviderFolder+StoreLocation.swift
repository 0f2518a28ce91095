internal import PostgresStorage
internal import Storage
public import System

/// The place of a provider's store.
extension ProviderFolder {
  /// The reason that a folder cannot be used with a store.
  public enum Failure: Error, CustomStringConvertible {
    /// The file that links the folder to its database is damaged.
    case damagedLink(file: String)
    /// The data is not in the place that the options specify; `remedy` tells the operator how to fix this.
    case otherStore(folder: String, String, remedy: String)
    /// The data cannot be copied to a database; `remedy` tells the operator how to fix this.
    case notCopied(String, remedy: String)

    /// A description of the problem and how to fix it.
    public var description: String {
      switch self {
      case .damagedLink(let file):
        "\(file): expected a URL and an identifier: restore it from a backup"
      case .otherStore(let folder, let why, let remedy):
        "cannot use the data folder \(folder): \(why): \(remedy)"
      case .notCopied(let why, let remedy): "\(why): \(remedy)"
      }
    }
  }

  /// Returns the place of the folder's store, or throws if the folder already has a store in another place.
  static func location(
    _ wanted: StoreLocation?, of folder: DataFolder
  ) throws -> StoreLocation {
    switch (wanted, try link(of: folder)) {
    case (nil, nil): return .folder
    case (nil, .some(let link)):
      do throws(StoreLocation.Invalid) {
        return try StoreLocation(url: link.url)
      } catch {
        throw Failure.damagedLink(file: folder.file(DatabaseLink.file))
      }
    case (.folder, .some(let link)):
      throw Failure.otherStore(
        folder: folder.path, "its data is in the database \(link.url)",
        remedy: "start the provider with --store \(link.url)")
    case (.database(let address), nil):
      guard FileSystem.exists(folder.file(registryFile)) else { return .database(address) }
      throw Failure.otherStore(
        folder: folder.path, "its data is in registry.sqlite",
        remedy:
          "copy it to the database with 'belfry store copy sqlite:\(folder.path) \(address.url)', start the "
          + "provider without --store, or choose an empty data folder")
    case (.some(let location), _): return location
    }
  }

  /// The name of the file that contains the registry.
  static let registryFile = "registry.sqlite"

  /// Returns true if a folder contains the registry of a provider, or the key of a registry that is in a database.
  ///
  /// Throws if the current user is not permitted to check.
  public static func isProvider(_ path: String) throws(SystemFailure) -> Bool {
    let hasRegistry = try FileSystem.isPresent("\(path)/\(registryFile)")
    let hasKey = try FileSystem.isPresent("\(path)/token-key")
    return hasRegistry || hasKey
  }

  /// Returns the link that connects a folder with its database.
  ///
  /// The identifier of the link depends on the key that seals the tokens, so it is the same if the first start, or a copy
  /// to the database, is interrupted.
  static func link(to address: PostgresAddress, _ sealer: TokenSealer) -> DatabaseLink {
    DatabaseLink(
      url: address.url, id: Array(sealer.seal(Array("belfry database link".utf8)).prefix(16)))
  }

  /// Opens the store in a database, and checks that it belongs to this folder.
  ///
  /// The identifier is written to the database first: if the folder has a link, its database must not be empty.
  static func openStore(
    in address: PostgresAddress, of folder: DataFolder, _ sealer: TokenSealer
  ) throws -> PostgresRegistryStore {
    let own = try link(of: folder)
    let link = Self.link(to: address, sealer)
    if let own, !own.id.utf8.elementsEqual(link.id.utf8) {
      throw TokenSealer.Failure.otherKey(path: folder.file("token-key"))
    }
    let store = try PostgresRegistryStore(address, mayCreate: own == nil)
    switch try store.folderID() {
    case .some(let recorded):
      guard recorded.utf8.elementsEqual(link.id.utf8) else {
        throw Failure.otherStore(
          folder: folder.path,
          "the database \(address.url) belongs to a provider with another data folder",
          remedy: "use that folder, or choose an empty database")
      }
    case nil:
      guard own == nil else {
        throw Failure.otherStore(
          folder: folder.path, "the database \(address.url) does not contain its data",
          remedy: "restore the database from a backup, or choose an empty data folder")
      }
      try store.putFolderID(link.id)
    }
    if own?.url.utf8.elementsEqual(link.url.utf8) != true {
      try FileSystem.write(link.contents, to: folder.file(DatabaseLink.file), mode: 0o600)
    }
    return store
  }

  /// Returns the link in a folder; nil if the folder belongs to no database.
  static func link(of folder: DataFolder) throws -> DatabaseLink? {
    let file = folder.file(DatabaseLink.file)
    guard FileSystem.exists(file) else { return nil }
    let bytes = try FileSystem.readRegularFile(file, limit: Limits.keyFileBytesMax)
    guard let link = DatabaseLink(contents: bytes) else { throw Failure.damagedLink(file: file) }
    return link
  }
}
