internal import BelfryWire
internal import Storage
internal import System

/// Requests about damaged rows: rows of either store that don't match their checksums.
extension Administration {
  func damageLines() throws(StorageFailure) -> [JSONObject] {
    var lines = try store.rowsSetAside().map { Self.line($0, of: "control.sqlite") }
    if let notifications = try notifications() {
      lines += try notifications.rowsSetAside().map { Self.line($0, of: "notifications.sqlite") }
    }
    return lines
  }

  /// Deletes the damaged rows.
  ///
  /// Afterward, the gateway treats anything that depended on those rows as unknown.
  func forgetDamage() throws(StorageFailure) -> AdministrationAnswer {
    let rows = try damageLines()
    if store.damage.count > 0 { try apply([.forgetSetAside]) }
    if let notifications = try notifications() { _ = try notifications.forgetSetAside() }
    return .success(rows)
  }

  /// Returns the running gateway's store of queued notifications; for a stopped gateway, opens the store in the data
  /// folder, or returns nil if the folder has none.
  private func notifications() throws(StorageFailure) -> (any NotificationStore)? {
    if let runtime { return runtime.notifications }
    return FileSystem.exists(folder.notificationStoreFile)
      ? try folder.openNotificationStore() : nil
  }

  private static func line(_ row: SetAsideRow, of store: String) -> JSONObject {
    [
      "store": .string(store), "table": .string(row.table),
      "keyIsKnown": .bool(row.isKeyKnown),
      "foundAt": .string(Timestamp.rfc3339(unixMilliseconds: row.foundMilliseconds)),
      "row": .string(row.content.replacing("\n", with: ", ")),
    ]
  }
}
