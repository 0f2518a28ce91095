/// The limits of this module, each with its unit and its reason.
enum Limits {
  /// The time, in milliseconds, to wait for a file that another process (a backup, `sqlite3`) has locked.
  static let busyMilliseconds: Int32 = 5_000
  /// The size, in KiB, of SQLite's page cache per connection: enough for the inner pages of a few million rows.
  static let pageCacheKiB = 32_768
  /// The size, in KiB, of SQLite's page cache for the log of notifications: enough for the inner pages of ten million
  /// rows.
  static let logPageCacheKiB = 8_192
  /// The maximum number of bytes of the write-ahead log that are retained after a checkpoint, so that later writes do
  /// not have to extend the log again.
  static let walBytesKept = 67_108_864
  /// The maximum number of operations in one transaction; more operations would only delay the requests that wait for
  /// the transaction.
  static let operationsPerCommitMax = 4_096
  /// The maximum number of bytes of memory that are retained after a record has been written: several times the size of
  /// a notification.
  static let recordBytesKept = 65_536
  /// The maximum number of rows per read: a few milliseconds of work, so that commits can run between reads.
  static let rowsPerPage = 1_000
  /// The maximum number of registered tokens that one request reads in a search without an index, which takes about a
  /// tenth of a second.
  static let tokensSearchedMax: Int64 = 200_000
  /// The number of bytes in the SHA-256 hash of a device's public key.
  static let keyHashBytes = 32
  /// The number of random bytes in a channel's identifier, which is sent in base64.
  static let channelIDBytes = 16
  /// The maximum number of attempts to copy a store; each attempt waits up to `busyMilliseconds` for a locked file.
  static let backupAttempts = 12
  /// The number of bytes per read and write when files are copied.
  static let copiedAtOnceBytes = 1_048_576
  /// The maximum number of files in an archive: a folder has about twenty files, plus one per provider key and three
  /// per host name that was added later.
  static let archiveEntriesMax = 10_000
  /// The maximum number of zero bytes after an archive's last file: tar's default record has 10,240 bytes.
  static let archiveEndBytesMax = 1_048_576
  /// The maximum time, in nanoseconds, for checking a file at startup; if the check takes longer, the file is used
  /// unchecked.
  ///
  /// Checking a gigabyte takes one second if the file is cached in memory.
  static let checkNanoseconds: Int64 = 10_000_000_000
  /// The number of SQLite steps between two readings of the clock: about one millisecond of work.
  static let stepsBetweenClockReadings: Int32 = 10_000
  /// The time, in nanoseconds, before the first retry of a failed write; the delay doubles with each failure.
  static let writeRetryNanosecondsMin: Int64 = 100_000_000
  /// The longest time, in nanoseconds, between write attempts on a failing disk, which limits the wait after an
  /// operator frees space.
  static let writeRetryNanosecondsMax: Int64 = 10_000_000_000
  /// The minimum time, in nanoseconds, between two log lines about the same failing store.
  static let failureLogNanoseconds: Int64 = 60_000_000_000
}
