internal import System

/// The conversion of a store whose rows are not yet records of a log.
///
/// The rows are copied into a new file, which is synced and then takes the place of the old one. The old file is kept
/// as `NAME.schema-N`. If the conversion is interrupted, the next start begins again.
public enum NotificationConversion {
  /// A step of the conversion, after which tests interrupt it.
  enum Step: CaseIterable {
    case copied, synced, kept
  }

  /// The space that a conversion needs, which is known before it begins.
  public struct Space: Sendable, Equatable {
    /// The schema version of the old file.
    public let version: Int
    /// The number of bytes that the new file can take up while both files exist.
    public let neededBytes: Int
    /// The number of free bytes on the disk; nil if it is unknown.
    public let freeBytes: Int?

    /// The error if the disk has too little space for converting the file at `path`.
    func refusal(path: String) -> StorageFailure? {
      guard let freeBytes, freeBytes < neededBytes else { return nil }
      return .system(
        .unusable(
          text: path,
          reason: "its conversion needs \(neededBytes >> 20) MB on the disk, but only "
            + "\(freeBytes >> 20) MB are free: free some disk space"))
    }
  }

  /// The number of bytes for the new file's write-ahead file and for the tables without rows.
  private static let additionalBytes = 32 << 20
  /// The maximum number of rows in a transaction, which take up at most 10 MB of the write-ahead file.
  private static let rowsPerTransaction = 1_024

  /// Returns the space that a conversion of the file at `path` needs, or nil if the file needs no conversion.
  public static func space(path: String) throws(StorageFailure) -> Space? {
    guard let version = try legacyVersion(path: path) else { return nil }
    let bytes = ["", "-wal"].reduce(0) { $0 + (FileSystem.byteCount(of: path + $1) ?? 0) }
    return Space(
      version: version, neededBytes: bytes + additionalBytes,
      freeBytes: FileSystem.space(at: path)?.freeBytes)
  }

  /// Returns the schema version of a file that must be converted, or nil for any other file.
  static func legacyVersion(path: String) throws(StorageFailure) -> Int? {
    guard !path.isEmpty, FileSystem.isRegularFile(path), FileSystem.byteCount(of: path) ?? 0 > 0,
      let file = try? StoreBackup.Connection(path),
      let id = try? file.text("PRAGMA application_id"),
      id == "\(NotificationSchema.current.applicationID)",
      let version = Int(try file.text("PRAGMA user_version"))
    else { return nil }
    return (1..<NotificationSchema.logVersion).contains(version) ? version : nil
  }

  /// Converts the file at `path` if it is necessary.
  static func run(
    path: String, after step: (Step) throws(StorageFailure) -> Void = { _ in }
  ) throws(StorageFailure) {
    guard let space = try space(path: path) else { return }
    if let refusal = space.refusal(path: path) { throw refusal }
    let new = path + ".converted"
    try system { () throws(SystemFailure) in
      for ending in ["", "-wal", "-shm"] { try FileSystem.remove(new + ending) }
    }
    let old = try SQLiteDatabase(
      path: path, schema: NotificationSchema.legacy(version: space.version), mayCreate: false)
    try copy(old, version: space.version, to: new)
    try step(.copied)
    try system { () throws(SystemFailure) in try FileSystem.synchronize(file: new) }
    try step(.synced)
    // Empty the write-ahead file, because SQLite would otherwise apply it to the new file.
    try old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    old.close()
    guard (FileSystem.byteCount(of: path + "-wal") ?? 0) == 0 else { throw .busy(path: path) }
    try system { () throws(SystemFailure) in
      let kept = SchemaCopy.path(of: path, schema: space.version)
      try FileSystem.remove(kept)
      // This also syncs the folder, so that the old write-ahead file cannot reappear beside the new file.
      try FileSystem.link(path, at: kept)
    }
    try step(.kept)
    try system { () throws(SystemFailure) in try FileSystem.move(new, to: path) }
  }

  private static func copy(
    _ old: SQLiteDatabase, version: Int, to path: String
  ) throws(StorageFailure) {
    let new = try SQLiteDatabase(path: path, schema: NotificationSchema.current)
    defer { new.close() }
    // The file is synced once it is complete.
    try new.execute("PRAGMA synchronous = OFF")
    var writer = try Writer(new, source: old, version: version)
    while try new.transaction({ () throws(StorageFailure) in
      try writer.copyRows(atMost: rowsPerTransaction)
    }) {}
    try new.transaction { () throws(StorageFailure) in try writer.finish() }
    try new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private static func system(_ body: () throws(SystemFailure) -> Void) throws(StorageFailure) {
    do throws(SystemFailure) {
      try body()
    } catch {
      throw .system(error)
    }
  }

  /// The copy in progress.
  private struct Writer {
    private let new: SQLiteDatabase
    private let old: SQLiteDatabase
    private let version: Int
    private let rows: SQLiteStatement
    private let insert: SQLiteStatement
    private let setAside: SQLiteStatement
    private var digest = LiveDigest()
    private var position: UInt64 = 0
    private var waiting = 0

    init(
      _ new: SQLiteDatabase, source old: SQLiteDatabase, version: Int
    ) throws(StorageFailure) {
      self.new = new
      self.old = old
      self.version = version
      let table = NotificationSchema.legacyRows
      let hasChecksums = version >= NotificationSchema.checksumVersion
      rows = try old.prepare(
        once: "SELECT \((table.key + table.rest).joined(separator: ", ")), "
          + (hasChecksums ? "\(table.isWhole), \(table.vouchedKey), \(table.content)" : "1, 0, 0")
          + " FROM notification NOT INDEXED ORDER BY sequence")
      insert = try new.prepare("INSERT INTO notification (position, data) VALUES (?1, ?2)")
      setAside = try new.prepare(
        "INSERT INTO set_aside (source, key, content, found) VALUES ('notification', ?1, ?2, ?3)")
    }

    /// Copies the next rows.
    ///
    /// Returns false at the end.
    mutating func copyRows(atMost limit: Int) throws(StorageFailure) -> Bool {
      var bytes: [UInt8] = []
      for _ in 0..<limit {
        guard try rows.step() else { return false }
        let notification = rows.legacyNotification
        guard rows.integer(14) != 0, notification.sequence > 0 else {
          try setAside.bind(1, rows.optionalText(15))
          try setAside.bind(2, rows.text(16))
          try setAside.bind(3, SystemClock.unixMilliseconds)
          try setAside.run()
          continue
        }
        position += 1
        waiting += 1
        digest.add(position)
        bytes.removeAll(keepingCapacity: true)
        StoredRecord.append(notification, to: &bytes)
        try insert.bind(1, position)
        try insert.bind(2, bytes)
        try insert.run()
      }
      return true
    }

    /// Copies the counters, and the rows that were set aside earlier.
    func finish() throws(StorageFailure) {
      let hasChecksums = version >= NotificationSchema.checksumVersion
      // Without the check, a damaged row would get a valid checksum.
      let isWhole = hasChecksums ? " WHERE \(NotificationSchema.legacyProgress.isWhole)" : ""
      let counters = try old.prepare(
        once: "SELECT highest, \(version >= 2 ? "epoch" : "0"), \(version >= 3 ? "stored" : "0") "
          + "FROM progress" + isWhole)
      let put = try new.prepare(
        """
        UPDATE progress SET highest = ?1, epoch = ?2, stored = ?3, position = ?4, waiting = ?5,
          digest = ?6
        """)
      if try counters.step() {
        for column in Int32(0)...2 { try put.bind(column + 1, column, of: counters) }
      } else {
        for parameter in Int32(1)...3 { try put.bind(parameter, Int64(0)) }
      }
      var bytes: [UInt8] = []
      digest.append(to: &bytes)
      try put.bind(4, position)
      try put.bind(5, Int64(waiting))
      try put.bind(6, bytes)
      try put.run()
      guard hasChecksums else { return }
      let table = ChecksummedTable.setAside
      try copyAside("SELECT source, key, content, found FROM set_aside WHERE \(table.isWhole)")
      for table in [table, NotificationSchema.legacyProgress] {
        try copyAside(
          """
          SELECT '\(table.name)', \(table.vouchedKey), \(table.content),
            \(SystemClock.unixMilliseconds) FROM \(table.name) WHERE NOT \(table.isWhole)
          """)
      }
    }

    /// Copies the rows of a query to the table `set_aside`.
    private func copyAside(_ query: String) throws(StorageFailure) {
      let rows = try old.prepare(once: query)
      let copy = try new.prepare(
        once: "INSERT INTO set_aside (source, key, content, found) VALUES (?1, ?2, ?3, ?4)")
      while try rows.step() {
        for column in Int32(0)...3 { try copy.bind(column + 1, column, of: rows) }
        try copy.run()
      }
    }
  }
}
