internal import PushWire

/// The columns of a notification in the schemas before the log, which `belfry store copy` also writes.
extension SQLiteStatement {
  /// The notification in the columns of `NotificationSchema.legacyRows`.
  var legacyNotification: StoredNotification {
    StoredNotification(
      key: NotificationKey(
        device: unsigned(0), app: UInt32(truncatingIfNeeded: integer(1)),
        kind: UInt8(truncatingIfNeeded: integer(2))),
      sequence: unsigned(3),
      // One column holds two values: the push type in the low byte, and the flag for a lowercase ID above that byte.
      id: NotificationID(
        high: unsigned(4), low: unsigned(5), isLowercase: integer(10) >= 256),
      uniqueID: NotificationID(high: unsigned(6), low: unsigned(7)), expiration: integer(8),
      priority: UInt8(truncatingIfNeeded: integer(9)),
      pushType: UInt8(truncatingIfNeeded: integer(10)), collapseID: bytes(12), payload: bytes(13),
      acceptedMilliseconds: integer(11))
  }
}

extension StoredNotification {
  /// The values of the columns of `NotificationSchema.legacyRows`.
  var legacyValues: [StoreExport.Value] {
    [
      .integer(Int64(bitPattern: key.device)), .integer(Int64(key.app)), .integer(Int64(key.kind)),
      .integer(Int64(bitPattern: sequence)), .integer(Int64(bitPattern: id.high)),
      .integer(Int64(bitPattern: id.low)), .integer(Int64(bitPattern: uniqueID.high)),
      .integer(Int64(bitPattern: uniqueID.low)), .integer(expiration), .integer(Int64(priority)),
      .integer(Int64(pushType) + (id.isLowercase ? 256 : 0)), .integer(acceptedMilliseconds),
      .data(collapseID), .data(payload),
    ]
  }
}
