public import PostgresStorage
import Storage
import System

/// The place where a gateway keeps its stores.
public enum StoreLocation: Sendable, Equatable {
  /// SQLite files in the data folder.
  case folder
  /// A PostgreSQL database; the data folder contains only keys, certificates and logs.
  case database(PostgresAddress)

  /// The URL that selects this place.
  public var url: String {
    switch self {
    case .folder: "sqlite:"
    case .database(let address): address.url
    }
  }

  /// The error for a URL that selects no place.
  public struct Invalid: Error {
    /// The URL, unless it contains a password, which must not get into a log.
    public let value: String
    /// A description of a valid URL.
    public let expected: String
  }

  /// Creates the location with this URL.
  public init(url: String) throws(Invalid) {
    if url == "sqlite:" {
      self = .folder
      return
    }
    do throws(PostgresAddress.Failure) {
      self = .database(try PostgresAddress(url))
    } catch .hasPassword {
      throw Invalid(
        value: "postgres://…", expected: "\(PostgresAddress.Failure.hasPassword)")
    } catch {
      throw Invalid(value: url, expected: "sqlite: or \(error)")
    }
  }
}

extension GatewayFolder {
  /// Returns a function that counts the undelivered notifications without delaying the gateway; the function returns nil
  /// if they cannot be counted now.
  public func notificationCounter(storesIn location: StoreLocation) -> @Sendable () -> Int? {
    switch location {
    case .folder:
      let path = notificationStoreFile
      return { StoredNotificationCounter(path: path).count() }
    case .database(let address):
      let counter = PostgresNotificationCounter(address)
      return { counter.count() }
    }
  }

  /// The place of the stores of a gateway that has started before.
  func storeLocation() throws(Failure) -> StoreLocation {
    guard let link = try DatabaseLink(of: self) else { return .folder }
    do {
      return try StoreLocation(url: link.url)
    } catch {
      throw .damaged(file: file(DatabaseLink.file), "expected \(error.expected)")
    }
  }

  /// Throws if the folder already has stores in another place.
  func checkStoreLocation(_ location: StoreLocation) throws(Failure) {
    switch (location, try DatabaseLink(of: self)) {
    case (.database, .some): return
    case (.folder, nil):
      guard isOfDatabase else { return }
      throw .otherStore(
        folder: path, "its data is in a database, but the file \(DatabaseLink.file) is missing",
        remedy: "restore the file from a backup, or start the gateway with --store and --recover")
    case (.folder, .some(let link)):
      throw .otherStore(
        folder: path, "its data is in the database \(link.url)",
        remedy: "start the gateway with --store \(link.url)")
    case (.database(let address), nil):
      guard FileSystem.exists(controlStoreFile) else { return }
      throw .otherStore(
        folder: path, "its data is in control.sqlite and notifications.sqlite",
        remedy:
          "copy it to the database with 'belfry store copy sqlite:\(path) \(address.url)', start the gateway "
          + "without --store, or choose an empty data folder")
    }
  }

  /// True if the folder's first start has finished, and its manifest does not contain the files of stores.
  private var isOfDatabase: Bool {
    guard
      let manifest = try? FileSystem.readRegularFile(
        file(FolderRecovery.manifest), limit: FolderRecovery.manifestBytesMax),
      !manifest.isEmpty
    else { return false }
    return !String(decoding: manifest, as: UTF8.self).split(separator: "\n").contains {
      $0.utf8.elementsEqual("control.sqlite".utf8)
    }
  }

  /// Opens the stores in a database, and checks that they belong to this folder.
  ///
  /// If `isComplete` is true, the folder's first start has finished, so its database must not be empty. If `recovers` is
  /// true, a missing link is created again.
  func openStores(
    in address: PostgresAddress, isComplete: Bool, recovers: Bool = false
  ) throws -> PostgresStores {
    let own = try DatabaseLink(of: self)
    let stores = try PostgresStores(address, mayCreate: !isComplete)
    var link = own ?? DatabaseLink(url: address.url)
    let recorded = try stores.control.setting(ControlSetting.databaseLink)
    if let recorded, own == nil, isComplete, recovers {
      link.id = String(decoding: recorded, as: UTF8.self)
    } else if let recorded, !recorded.elementsEqual(own?.id.utf8 ?? "".utf8) {
      throw Failure.otherStore(
        folder: path, "the database \(address.url) belongs to a gateway with another data folder",
        remedy: "use that folder, or choose an empty database")
    }
    if recorded == nil, own != nil, isComplete {
      throw Failure.otherStore(
        folder: path, "the database \(address.url) does not contain its data",
        remedy: "restore the database from a backup, or choose an empty data folder")
    }
    if own == nil || !link.url.utf8.elementsEqual(address.url.utf8) {
      link.url = address.url
      try link.write(to: self)
    }
    if recorded == nil {
      try stores.control.apply([
        .putSetting(name: ControlSetting.databaseLink, value: Array(link.id.utf8))
      ])
    }
    return stores
  }
}
