import PostgresStorage
import Storage

/// The stores of a gateway; only this file and `GatewayFolder+StoreLocation.swift` name their engines.
extension GatewayFolder {
  /// Opens the control store of a stopped gateway, in its folder or its database.
  func openControlStore() throws(AdministrationFailure) -> any ControlStore {
    do {
      switch try storeLocation() {
      case .folder: return try openControlFile()
      case .database(let address):
        return try openStores(in: address, isComplete: true).control
      }
    } catch StorageFailure.inUse(let server) {
      // The folder of a stopped node must not lead its operator to stop the other nodes.
      throw AdministrationFailure(
        .broken, "another gateway, or a node of a cluster, is using the database \(server)",
        do: "run the command on the gateway that is running, with --data and its data folder")
    } catch let failure as StorageFailure {
      throw AdministrationFailure(failure)
    } catch Failure.otherStore(let folder, let why, let remedy) {
      throw AdministrationFailure(
        .broken, "cannot use the data folder \(folder): \(why)", do: remedy)
    } catch {
      throw AdministrationFailure(
        .broken, "cannot open the gateway's stores (\(error))", do: "check the gateway's log")
    }
  }

  /// Opens or creates the file of the control store.
  func openControlFile() throws(StorageFailure) -> any ControlStore {
    try SQLiteControlStore(path: controlStoreFile)
  }

  /// Opens or creates the store of undelivered notifications.
  func openNotificationStore() throws(StorageFailure) -> any NotificationStore {
    try SQLiteNotificationStore(path: notificationStoreFile)
  }

  /// Checks the control store's file for damage, and replaces a damaged file with its readable parts.
  func inspectControlStore() throws(StorageFailure) -> StoreInspection {
    try SQLiteControlStore.inspect(path: controlStoreFile)
  }

  /// Checks the notification store's file for damage, and replaces a damaged file with its readable parts.
  func inspectNotificationStore() throws(StorageFailure) -> StoreInspection {
    try SQLiteNotificationStore.inspect(path: notificationStoreFile)
  }
}
