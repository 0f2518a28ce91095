public import Storage

/// Functions that change the stored notifications of a stopped gateway so that they appear to have been stored earlier.
public enum StoredExpirations {
  /// Moves the expiration of all stored notifications to an earlier time, and returns the previous expirations.
  ///
  /// The expirations are in seconds since 1970.
  public static func bringForward(
    bySeconds seconds: Int64, inStore path: String
  ) throws(StorageFailure) -> [Int64] {
    let store = try SQLiteNotificationStore(path: path)
    defer { store.close() }
    var former: [Int64] = []
    for device in try store.devices() {
      for row in try store.load(device: device) {
        former.append(row.expiration)
        let earlier = StoredNotification(
          key: row.key, sequence: row.sequence, id: row.id, uniqueID: row.uniqueID,
          expiration: row.expiration - seconds, priority: row.priority, pushType: row.pushType,
          collapseID: row.collapseID, payload: row.payload,
          acceptedMilliseconds: row.acceptedMilliseconds)
        try store.commit([
          .remove(row.key, sequence: row.sequence), .put(earlier, keep: .max),
        ])
      }
    }
    return former
  }
}
