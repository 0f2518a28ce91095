/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Milliseconds to wait for another process (a backup, `sqlite3`) to let go of a file.
  static let busyMilliseconds: Int32 = 5_000
  /// KiB of SQLite's page cache a connection: the inner pages of some million rows.
  static let pageCacheKiB = 32_768
  /// Bytes that the write-ahead log may keep after a checkpoint.
  static let walBytesKept = 67_108_864
  /// Operations that share one transaction: more would only delay those who wait for it.
  static let operationsPerCommitMax = 4_096
  /// Rows that are read at a time, some milliseconds' work: commits go in between.
  static let rowsPerPage = 1_000
  /// Bytes of a device's public key hash: SHA-256.
  static let keyHashBytes = 32
  /// Random bytes of a channel's identifier (contract: 16, in base64).
  static let channelIDBytes = 16
}
