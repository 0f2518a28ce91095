import Storage

/// The stores in a gateway's folder; only this file names their engine.
extension GatewayFolder {
  /// Opens or creates the control store.
  func openControlStore() throws(StorageFailure) -> any ControlStore {
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
