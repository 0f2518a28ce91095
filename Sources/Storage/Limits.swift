/// The limits of this module, each with its unit and its reason.
enum Limits {
  /// Milliseconds to wait for a file that another process (a backup, `sqlite3`) has locked.
  static let busyMilliseconds: Int32 = 5_000
  /// KiB of SQLite's page cache per connection: the inner pages of a few million rows.
  static let pageCacheKiB = 32_768
  /// Bytes of the write-ahead log that are retained after a checkpoint, so that the log is not extended each time.
  static let walBytesKept = 67_108_864
  /// Operations in one transaction; more operations would only delay the requests that wait for the transaction.
  static let operationsPerCommitMax = 4_096
  /// Rows per read: a few milliseconds of work, so that commits can run in between.
  static let rowsPerPage = 1_000
  /// Registered tokens that one request reads in a search without an index, which takes about a tenth of a second.
  static let tokensSearchedMax: Int64 = 200_000
  /// Bytes of a device's public key hash: SHA-256.
  static let keyHashBytes = 32
  /// Random bytes of a channel's identifier (contract: 16, in base64).
  static let channelIDBytes = 16
  /// Attempts to copy a store, each of which waits `busyMilliseconds` for a locked file.
  static let backupAttempts = 12
  /// Bytes per read and write when files are copied.
  static let copiedAtOnceBytes = 1_048_576
  /// Files in an archive: a folder has about twenty files, plus one per provider key.
  static let archiveEntriesMax = 10_000
  /// Bytes of zeros after an archive's last file: tar's default record has 10,240 bytes.
  static let archiveEndBytesMax = 1_048_576
  /// Nanoseconds for checking a file at startup; if the check takes longer, the file is used unchecked.
  ///
  /// Checking a gigabyte takes one second if the file is cached in memory.
  static let checkNanoseconds: Int64 = 10_000_000_000
  /// SQLite steps between two readings of the clock: about one millisecond.
  static let stepsBetweenClockReadings: Int32 = 10_000
  /// Nanoseconds before the first retry of a failed write; the delay doubles with each failure.
  static let writeRetryNanosecondsMin: Int64 = 100_000_000
  /// The longest time in nanoseconds between write attempts on a failing disk, which limits the wait after an operator
  /// frees space.
  static let writeRetryNanosecondsMax: Int64 = 10_000_000_000
  /// Nanoseconds between two log lines about the same failing store.
  static let failureLogNanoseconds: Int64 = 60_000_000_000
}
