public import PostgresStorage
import Storage
import System

/// The place of a gateway's stores.
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
  var isOfDatabase: Bool {
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
  /// true, a missing link is created again. A node of a cluster adopts the identifier of its database. Neither the folder
  /// nor the database is changed, and no node joins the cluster, if they do not belong together or if `check` throws.
  func openStores(
    in address: PostgresAddress, isComplete: Bool, recovers: Bool = false,
    asNode nodeName: String? = nil, check: (PostgresDatabase) throws -> Void = { _ in }
  ) throws -> PostgresStores {
    let own = try DatabaseLink(of: self)
    let database = try PostgresDatabase(address, asNode: nodeName != nil)
    if nodeName == nil, try database.setting(ControlSetting.cluster) != nil {
      // Keys that are rotated in this folder would be lost when the node takes the cluster's keys again.
      throw Failure.otherStore(
        folder: path, "its data is in the database of a cluster",
        remedy: "start the gateway with --bus, and run commands on a running node")
    }
    try check(database)
    var link = own ?? DatabaseLink(url: address.url)
    let recorded = try database.setting(ControlSetting.databaseLink)
    if let recorded, own == nil, isComplete && recovers || !isComplete && nodeName != nil {
      link.id = String(decoding: recorded, as: UTF8.self)
    } else if let recorded, !recorded.elementsEqual(own?.id.utf8 ?? "".utf8) {
      throw Failure.otherStore(
        folder: path, "the database \(address.url) belongs to a gateway with another data folder",
        remedy: nodeName == nil
          ? "use that folder, or choose an empty database"
          : "use an empty data folder, which gets the keys of the cluster, or correct --store")
    }
    if recorded == nil, own != nil, isComplete, try database.hasTables() {
      throw Failure.otherStore(
        folder: path, "the database \(address.url) does not contain its data",
        remedy: "restore the database from a backup, or choose an empty data folder")
    }
    let stores = try PostgresStores(database, nodeName: nodeName, mayCreate: !isComplete)
    do {
      if own == nil || !link.url.utf8.elementsEqual(address.url.utf8) {
        link.url = address.url
        try link.write(to: self)
      }
      if recorded == nil {
        try stores.control.apply([
          .putSetting(name: ControlSetting.databaseLink, value: Array(link.id.utf8))
        ])
      }
    } catch {
      try? stores.cluster?.membership.leave()
      throw error
    }
    return stores
  }
}
