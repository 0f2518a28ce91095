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
  /// Attempts at a store's copy, each of which waits `busyMilliseconds` for a file that is locked.
  static let backupAttempts = 12
  /// Bytes read and written at a time where files are copied.
  static let copiedAtOnceBytes = 1_048_576
  /// Files in an archive: a folder has some twenty, and a provider key each.
  static let archiveEntriesMax = 10_000
  /// Bytes of zeros after an archive's last file: tar's default record has 10,240.
  static let archiveEndBytesMax = 1_048_576
  /// Nanoseconds for the check of a file at the start, beyond which it is served unchecked: a gigabyte takes one
  /// second where the file is in memory.
  static let checkNanoseconds: Int64 = 10_000_000_000
  /// SQLite's steps between two looks at the clock: about a millisecond.
  static let stepsBetweenClockReadings: Int32 = 10_000
  /// Nanoseconds before a write is tried again after the first one that failed; doubled with each.
  static let writeRetryNanosecondsMin: Int64 = 100_000_000
  /// Nanoseconds between attempts on a disk that fails for long: an operator who freed some space waits no longer.
  static let writeRetryNanosecondsMax: Int64 = 10_000_000_000
  /// Nanoseconds between two lines of the log about one store that fails.
  static let failureLogNanoseconds: Int64 = 60_000_000_000
}
