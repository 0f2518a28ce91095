/// The limits of this module, each with its unit and its reason.
enum Limits {
  /// The maximum time, in nanoseconds, to wait for the answer of a database server before the connection is closed: a
  /// commit waits for standby servers, which usually answer within milliseconds.
  static let serverAnswerNanoseconds: Int64 = 10_000_000_000
  /// The maximum time, in nanoseconds, to wait for the answer to a read: the gateway's main loop waits for some reads, and
  /// its watchdog ends a gateway that hangs for 30 seconds.
  static let readAnswerNanoseconds: Int64 = 3_000_000_000
  /// The maximum time, in nanoseconds, for which a write with an unknown result is repeated.
  static let serverRetryNanoseconds: Int64 = 5_000_000_000
  /// The maximum time, in nanoseconds, to wait for the answer to a read of the registry that counts millions of tokens.
  static let registryReadNanoseconds: Int64 = 60_000_000_000
  /// The maximum time, in nanoseconds, to wait for the answer to a write of the registry that changes millions of rows,
  /// such as the start of a campaign by time zone.
  static let registryBulkNanoseconds: Int64 = 120_000_000_000
  /// The number of tokens above which a write of the registry is given the time of a bulk write.
  static let registryBulkTokens = 1_000
  /// The number of recipients that are removed in one transaction, so that other writes can run in between.
  static let recipientsRemoved = 4_096
  /// The maximum number of registered tokens that one request reads in a search without an index, which takes about a
  /// tenth of a second.
  static let tokensSearchedMax: Int64 = 200_000
  /// The pause, in nanoseconds, between two attempts to connect to a database server.
  static let serverPauseNanoseconds = 50_000_000
  /// The number of rows that are copied in one transaction; a notification has at most about 6 KB.
  static let importedRows = 1_000
  /// The number of campaigns that are copied in one transaction; the document of a campaign has up to a megabyte.
  static let importedCampaigns = 16
  /// The maximum time, in nanoseconds, to wait for the next rows of a copy: before the first row, the server might sort
  /// millions of rows.
  static let importReadNanoseconds: Int64 = 60_000_000_000
  /// The maximum time, in nanoseconds, to wait until a database is unlocked: a restarted gateway can be faster than the
  /// server, which has to notice that the previous connection is closed.
  static let databaseLockNanoseconds: Int64 = 3_000_000_000
  /// The number of times that a transaction is repeated after a deadlock, which only rare administrative changes can
  /// cause.
  static let deadlockRepeats = 3
  /// The number of times that a commit uses the newer claims of its devices before it counts them as lost: each time,
  /// another thread has claimed a device again during the commit.
  static let claimRepeats = 5
}
