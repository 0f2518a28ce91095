internal import PostgresStorage
internal import Storage
internal import System

/// The place of a provider's store.
extension ProviderFolder {
  /// The reason that a folder cannot be used with a store.
  public enum Failure: Error, CustomStringConvertible {
    /// The file that links the folder to its database is damaged.
    case damagedLink(file: String)
    /// The data is not in the place that the options specify; `remedy` tells the operator how to fix this.
    case otherStore(folder: String, String, remedy: String)

    /// A description of the problem and how to fix it.
    public var description: String {
      switch self {
      case .damagedLink(let file):
        "\(file): expected a URL and an identifier: restore it from a backup"
      case .otherStore(let folder, let why, let remedy):
        "cannot use the data folder \(folder): \(why): \(remedy)"
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
    case (.database, nil):
      guard FileSystem.exists(folder.file("registry.sqlite")) else { return wanted ?? .folder }
      throw Failure.otherStore(
        folder: folder.path, "its data is in registry.sqlite",
        remedy: "start the provider without --store, or choose an empty data folder")
    case (.some(let location), _): return location
    }
  }

  /// Opens the store in a database, and checks that it belongs to this folder.
  ///
  /// The identifier of the link depends on the key that seals the tokens, so it is the same if the first start is
  /// interrupted. It is written to the database first: if the folder has a link, its database must not be empty.
  static func openStore(
    in address: PostgresAddress, of folder: DataFolder, _ sealer: TokenSealer
  ) throws -> PostgresRegistryStore {
    let own = try link(of: folder)
    let link = DatabaseLink(
      url: address.url, id: Array(sealer.seal(Array("belfry database link".utf8)).prefix(16)))
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

  private static func link(of folder: DataFolder) throws -> DatabaseLink? {
    let file = folder.file(DatabaseLink.file)
    guard FileSystem.exists(file) else { return nil }
    let bytes = try FileSystem.readRegularFile(file, limit: Limits.keyFileBytesMax)
    guard let link = DatabaseLink(contents: bytes) else { throw Failure.damagedLink(file: file) }
    return link
  }
}
