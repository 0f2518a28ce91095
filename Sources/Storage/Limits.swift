/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Milliseconds to wait for a file that another process (a backup, `sqlite3`) has locked.
  static let busyMilliseconds: Int32 = 5_000
  /// KiB of SQLite's page cache per connection: the inner pages of some million rows.
  static let pageCacheKiB = 32_768
  /// Bytes of the write-ahead log that are retained after a checkpoint, so that it is not enlarged each time.
  static let walBytesKept = 67_108_864
  /// Operations in one transaction: more would only delay the requests that wait for it.
  static let operationsPerCommitMax = 4_096
  /// Rows read at a time: a few milliseconds of work, so that commits are made in between.
  static let rowsPerPage = 1_000
  /// Bytes of a device's public key hash: SHA-256.
  static let keyHashBytes = 32
  /// Random bytes of a channel's identifier (contract: 16, in base64).
  static let channelIDBytes = 16
}
