internal import PushWire
internal import System

/// The notification store's database connection and the index of its log, which are used only under the store's lock.
///
/// A commit appends the records of new notifications, and one record with the positions of the notifications that have
/// ended. `sweep` later removes the records that are no longer needed (decision 0025).
final class NotificationEngine: MarkedStoreEngine {
  static var schema: SQLiteDatabase.Schema { NotificationSchema.current }

  let database: SQLiteDatabase
  let damage: StoreDamage
  let pace: SweepPace
  var index = NotificationIndex()
  /// The summary of the positions in `index`.
  var digest = LiveDigest()
  /// The positions of the notifications with a collapse ID, by the hash of their key and collapse ID.
  var collapseHolders: [UInt64: UInt64] = [:]
  /// The IDs of the newest notifications.
  var recentIDs = RecentIDs()
  /// The highest sequence ever stored.
  var highest: UInt64 = 0
  /// The highest position ever used.
  var position: UInt64 = 0
  /// The state of the removal of records.
  var sweeping = SweepState()
  /// The number of notifications ever stored.
  private var stored: UInt64 = 0
  private let mark: CommitMark?
  private let insert: SQLiteStatement
  /// The statement that removes the records in a range of positions.
  let remove: SQLiteStatement
  private let advance: SQLiteStatement
  private let select: SQLiteStatement
  private let selectHead: SQLiteStatement
  /// The changes to the index since the current transaction began, so that they can be reversed.
  private var changes: [Change] = []
  /// The positions of the notifications that the current transaction has ended.
  private var ended: [UInt64] = []
  private var bytes: [UInt8] = []
  /// The index of the current operation.
  private var current = 0

  private enum Change {
    case inserted(NotificationKey, sequence: UInt64)
    case removed(NotificationKey, IndexedRow)
    case held(hash: UInt64, former: UInt64?)
  }

  /// The number of rows that this connection has changed.
  var changeCount: Int64 { database.changeCount }

  convenience init(path: String, mayCreate: Bool, damage: StoreDamage) throws(StorageFailure) {
    try self.init(path: path, mayCreate: mayCreate, damage: damage, pace: SweepPace())
  }

  init(
    path: String, mayCreate: Bool, damage: StoreDamage, pace: SweepPace
  ) throws(StorageFailure) {
    try NotificationConversion.run(path: path)
    database = try SQLiteDatabase(path: path, schema: Self.schema, mayCreate: mayCreate)
    self.damage = damage
    self.pace = pace
    // More pages would rarely be reused, because replaced notifications are spread over the whole file.
    try database.execute("PRAGMA cache_size = -\(Limits.logPageCacheKiB)")
    mark = try CommitMark.open(ofStore: path)
    insert = try database.prepare("INSERT INTO notification (position, data) VALUES (?1, ?2)")
    remove = try database.prepare("DELETE FROM notification WHERE position BETWEEN ?1 AND ?2")
    advance = try database.prepare(
      """
      UPDATE progress SET highest = ?1, stored = ?2, position = ?3, waiting = ?4, digest = ?5
      """)
    select = try database.prepare(
      kept: "SELECT data, \(NotificationSchema.log.isWhole) FROM notification WHERE position = ?1")
    selectHead = try database.prepare("SELECT data FROM notification WHERE position = ?1")
    try noteDamage()
    stored = UInt64(bitPattern: try database.integer("SELECT stored FROM progress"))
    try buildIndex()
  }

  // MARK: Commits

  func commit(_ operations: [StoreOperation]) throws(StorageFailure) -> [DroppedNotification] {
    guard !operations.isEmpty else { return [] }
    var added: UInt64 = 0
    let dropped = try transaction { () throws(StorageFailure) in
      var dropped: [DroppedNotification] = []
      for index in operations.indices {
        current = index
        if case .put(let notification, _) = operations[index] {
          highest = max(highest, notification.sequence)
          added += 1
        }
        let start = dropped.count
        try apply(operations[index], &dropped)
        if dropped.count > start + 1 { dropped[start...].sort { $0.sequence < $1.sequence } }
      }
      assert(
        zip(dropped, dropped.dropFirst()).allSatisfy {
          ($0.operation, $0.sequence) < ($1.operation, $1.sequence)
        }, "dropped notifications are ordered by operation and sequence")
      stored += added
      if added > 0 || !ended.isEmpty { try finish() }
      recentIDs.fit(rows: index.count)
      return dropped
    }
    if added > 0 { mark?.advance(to: stored) }
    return dropped
  }

  /// Runs `body` in a transaction, and reverses its changes to the index if it fails.
  func transaction<Answer>(
    _ body: () throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    let former = (highest, position, stored)
    assert(changes.isEmpty && ended.isEmpty, "the previous transaction has ended")
    defer {
      // A commit that ends a large queue does not keep its memory.
      changes.removeAll(keepingCapacity: changes.count <= Limits.operationsPerCommitMax * 4)
      ended.removeAll(keepingCapacity: ended.count <= Limits.operationsPerCommitMax * 4)
    }
    do throws(StorageFailure) {
      let answer = try database.transaction(body)
      for position in ended { sweeping.ended.insert(position) }
      return answer
    } catch {
      for change in changes.reversed() { undo(change) }
      (highest, position, stored) = former
      throw error
    }
  }

  private func undo(_ change: Change) {
    switch change {
    case .inserted(let key, let sequence):
      guard let row = index.remove(key, sequence: sequence) else {
        return assertionFailure("a row that was inserted is there")
      }
      digest.remove(row.position)
    case .removed(let key, let row):
      index.restore(row, of: key)
      digest.add(row.position)
    case .held(let hash, let former):
      collapseHolders[hash] = former
    }
  }

  /// Appends the end record, and writes the counters.
  func finish() throws(StorageFailure) {
    if !ended.isEmpty {
      ended.sort()
      bytes.removeAll(keepingCapacity: true)
      EndRecord(highest: highest, positions: ended).append(to: &bytes)
      // The record itself is needed only as long as those that it has ended.
      ended.append(try appendRecord())
      sweeping.note(endedBytes: bytes.count)
    }
    bytes.removeAll(keepingCapacity: bytes.count <= Limits.recordBytesKept)
    digest.append(to: &bytes)
    try advance.bind(1, highest)
    try advance.bind(2, stored)
    try advance.bind(3, position)
    try advance.bind(4, Int64(index.count))
    try advance.bind(5, bytes)
    try advance.run()
  }

  /// Appends the record in `bytes` to the log, and returns its position.
  private func appendRecord() throws(StorageFailure) -> UInt64 {
    position += 1
    try insert.run(position, bytes)
    sweeping.note(appendedBytes: bytes.count)
    return position
  }

  private func apply(
    _ operation: StoreOperation, _ dropped: inout [DroppedNotification]
  ) throws(StorageFailure) {
    switch operation {
    case .put(let notification, let keep):
      assert(keep > 0, "an app keeps at least one notification")
      if keep == 1, notification.collapseID.isEmpty, try replace(with: notification, &dropped) {
        return
      }
      let place = try put(notification)
      if !notification.collapseID.isEmpty { try collapse(notification, at: place, &dropped) }
      guard keep < .max else { return }
      for row in index.excess(of: notification.key, keep: Int(keep)) {
        try drop(row, of: notification.key, .replaced, &dropped)
      }
    case .remove(let key, let sequence):
      guard let row = index.row(key, sequence: sequence) else { return }
      end(row, of: key, collapseHash: row.hasCollapseID ? try readCollapseHash(of: row) : nil)
    case .withdraw(let key, let uniqueID):
      // A key has a bounded number of rows, so no index contains the unique IDs.
      for row in index.rows(of: key) where try self.uniqueID(of: row) == uniqueID {
        try drop(row, of: key, .withdrawn, &dropped)
      }
    case .removeKey(let key):
      for row in index.rows(of: key) { try drop(row, of: key, .unregistered, &dropped) }
    case .removeDevice(let device):
      for row in index.rows(ofDevice: device) {
        try drop(row, of: index.key(of: row), .unregistered, &dropped)
      }
    case .removeExpired(let second, let limit):
      assert(limit > 0, "the limit is positive")
      for row in index.expired(before: second, limit: limit) {
        try drop(row, of: index.key(of: row), .expired, &dropped)
      }
    }
  }

  /// Appends a notification unless it is stored already, and returns the position of its record.
  private func put(_ notification: StoredNotification) throws(StorageFailure) -> UInt64 {
    assert(notification.sequence > 0, "sequences count from 1")
    let key = notification.key
    if let row = index.row(key, sequence: notification.sequence) { return row.position }
    bytes.removeAll(keepingCapacity: true)
    StoredRecord.append(notification, to: &bytes)
    guard
      let row = index.makeRow(
        key, sequence: notification.sequence, position: position + 1,
        expiration: notification.expiration, recordBytes: bytes.count,
        hasCollapseID: !notification.collapseID.isEmpty)
    else {
      throw .engine(
        path: database.path, operation: "store a notification",
        detail: "more than \(KeyNames.numberMax) apps have stored notifications")
    }
    index.insert(row)
    recentIDs.fit(rows: index.count)
    recentIDs.insert(row.position, notification.id, notification.uniqueID)
    digest.add(row.position)
    changes.append(.inserted(key, sequence: row.sequence))
    let place = try appendRecord()
    assert(place == row.position, "the record has the position that the index states")
    return place
  }

  /// Replaces the only stored notification of a key with a new one, which is the usual case.
  ///
  /// Returns false if the key has no notification or several ones, or has a newer one.
  private func replace(
    with notification: StoredNotification, _ dropped: inout [DroppedNotification]
  ) throws(StorageFailure) -> Bool {
    let key = notification.key
    guard let (place, former) = index.only(of: key), former.sequence < notification.sequence else {
      return false
    }
    let collapseHash = try report(former, of: key, .replaced, &dropped)
    bytes.removeAll(keepingCapacity: true)
    StoredRecord.append(notification, to: &bytes)
    let row = IndexedRow(
      device: key.device, name: former.name, sequence: notification.sequence,
      position: position + 1, expiration: notification.expiration,
      units: IndexedRow.units(ofBytes: bytes.count), hasCollapseID: false)
    index.replace(former, at: place, with: row)
    changes.append(.removed(key, former))
    changes.append(.inserted(key, sequence: row.sequence))
    digest.add(row.position)
    noteEnd(of: former, collapseHash: collapseHash)
    recentIDs.insert(row.position, notification.id, notification.uniqueID)
    _ = try appendRecord()
    return true
  }

  /// Drops the older one of two notifications that have the same key and collapse ID.
  private func collapse(
    _ notification: StoredNotification, at place: UInt64, _ dropped: inout [DroppedNotification]
  ) throws(StorageFailure) {
    let key = notification.key
    let hash = Self.collapseHash(key, notification.collapseID)
    if let holder = collapseHolders[hash], holder != place,
      let row = try row(at: holder, key: key, collapseID: notification.collapseID)
    {
      guard row.sequence < notification.sequence else {
        guard let own = index.row(key, sequence: notification.sequence) else { return }
        return try drop(own, of: key, .replaced, &dropped)
      }
      try drop(row, of: key, .replaced, &dropped)
    }
    hold(hash, place)
  }

  private func hold(_ hash: UInt64, _ place: UInt64?) {
    changes.append(.held(hash: hash, former: collapseHolders[hash]))
    collapseHolders[hash] = place
  }

  static func collapseHash(_ key: NotificationKey, _ collapseID: [UInt8]) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(collapseID)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  // MARK: Ends

  /// Ends a notification, and reports it.
  private func drop(
    _ row: IndexedRow, of key: NotificationKey, _ reason: DroppedNotification.Reason,
    _ dropped: inout [DroppedNotification]
  ) throws(StorageFailure) {
    end(row, of: key, collapseHash: try report(row, of: key, reason, &dropped))
  }

  /// Reports that a notification ends, and returns the hash of its key and collapse ID, if it has one.
  private func report(
    _ row: IndexedRow, of key: NotificationKey, _ reason: DroppedNotification.Reason,
    _ dropped: inout [DroppedNotification]
  ) throws(StorageFailure) -> UInt64? {
    let known = row.hasCollapseID ? nil : recentIDs.ids(at: row.position)
    let (record, collapseHash) = known == nil ? try readHead(of: row) : (nil, nil)
    guard let id = known?.id ?? record?.id, let uniqueID = known?.uniqueID ?? record?.uniqueID,
      record == nil || record?.key == key
    else { throw damagedRow() }
    dropped.append(
      DroppedNotification(
        key: key, sequence: row.sequence, id: id, uniqueID: uniqueID, reason: reason,
        operation: current))
    return collapseHash
  }

  /// Removes a notification from the index; the commit's end record contains its position.
  func end(_ row: IndexedRow, of key: NotificationKey, collapseHash: UInt64?) {
    guard let removed = index.remove(key, sequence: row.sequence) else {
      return assertionFailure("a row that has been found is there")
    }
    assert(removed.position == row.position, "the removed row is the one that has been found")
    changes.append(.removed(key, removed))
    noteEnd(of: row, collapseHash: collapseHash)
  }

  private func noteEnd(of row: IndexedRow, collapseHash: UInt64?) {
    digest.remove(row.position)
    ended.append(row.position)
    sweeping.note(endedBytes: row.byteCount)
    if let collapseHash, collapseHolders[collapseHash] == row.position { hold(collapseHash, nil) }
  }

  /// Adds positions of notifications that have ended to the current transaction's end record.
  func addToEndRecord(_ positions: [UInt64]) { ended += positions }

  // MARK: Reading

  /// Reads the head of a notification's record, and verifies it.
  ///
  /// Returns the hash of the key and the collapse ID for a row with a collapse ID.
  private func readHead(
    of row: IndexedRow
  ) throws(StorageFailure) -> (record: StoredRecord, collapseHash: UInt64?) {
    try selectHead.bind(1, row.position)
    guard try selectHead.step() else { throw missingRecord() }
    defer { selectHead.reset() }
    let found = try selectHead.withRecord(0) {
      bytes throws(StorageFailure) -> (StoredRecord, UInt64?)? in
      guard let record = StoredRecord(bytes) else { return nil }
      let collapseID = row.hasCollapseID ? bytes.array(record.collapseRange) : nil
      return (record, collapseID.map { Self.collapseHash(record.key, $0) })
    }
    guard let found, found.0.sequence == row.sequence, found.0.key.device == row.device else {
      throw damagedRow()
    }
    return found
  }

  private func uniqueID(of row: IndexedRow) throws(StorageFailure) -> NotificationID {
    if let known = recentIDs.ids(at: row.position) { return known.uniqueID }
    return try readHead(of: row).record.uniqueID
  }

  func readCollapseHash(of row: IndexedRow) throws(StorageFailure) -> UInt64? {
    try readHead(of: row).collapseHash
  }

  /// Returns the stored notification at a position, if it has this key and collapse ID.
  private func row(
    at place: UInt64, key: NotificationKey, collapseID: [UInt8]
  ) throws(StorageFailure) -> IndexedRow? {
    try selectHead.bind(1, place)
    guard try selectHead.step() else { return nil }
    defer { selectHead.reset() }
    let sequence = try selectHead.withRecord(0) { bytes throws(StorageFailure) -> UInt64? in
      guard let record = StoredRecord(bytes), record.key == key,
        bytes.array(record.collapseRange) == collapseID
      else { return nil }
      return record.sequence
    }
    return sequence.flatMap { index.row(key, sequence: $0) }.flatMap {
      $0.position == place ? $0 : nil
    }
  }

  /// Returns the times of a stored notification, or nil.
  func times(
    _ key: NotificationKey, uniqueID: NotificationID
  ) throws(StorageFailure) -> StoredTimes? {
    for row in index.rows(of: key) where try self.uniqueID(of: row) == uniqueID {
      let record = try readHead(of: row).record
      return StoredTimes(
        acceptedMilliseconds: record.acceptedMilliseconds, expiration: record.expiration)
    }
    return nil
  }

  func load(
    device: UInt64, after: UInt64, limit: Int
  ) throws(StorageFailure) -> [StoredNotification] {
    assert(limit > 0, "the limit is positive")
    var loaded: [StoredNotification] = []
    for row in index.rows(ofDevice: device, after: after, limit: limit) {
      assert(row.sequence > loaded.last?.sequence ?? after, "rows are in ascending order")
      loaded.append(try notification(of: row))
    }
    return loaded
  }

  /// Reads a notification, and verifies its whole record.
  func notification(of row: IndexedRow) throws(StorageFailure) -> StoredNotification {
    try select.bind(1, row.position)
    guard try select.step() else { throw missingRecord() }
    defer { select.reset() }
    let notification = try select.withRecord(0) {
      bytes throws(StorageFailure) -> StoredNotification? in
      StoredRecord(bytes)?.notification(bytes)
    }
    guard select.integer(1) != 0, let notification, notification.sequence == row.sequence,
      notification.key == index.key(of: row)
    else { throw damagedRow() }
    return notification
  }

  private func missingRecord() -> StorageFailure {
    .corrupt(path: database.path, detail: "a record of a stored notification is missing")
  }

  private func damagedRow() -> StorageFailure {
    .damagedRow(path: database.path, table: NotificationSchema.log.name)
  }

  // MARK: The mark

  /// Performs a write to test whether the disk accepts writes.
  func probe() throws(StorageFailure) {
    try transaction { () throws(StorageFailure) in
      stored += 1
      try finish()
    }
    mark?.advance(to: stored)
  }

  /// The number of notifications that were stored but are missing from the file.
  ///
  /// If the count itself was damaged, the number is unknown and 0 is returned.
  var lostCount: UInt64 {
    damage.has(table: NotificationSchema.progress.name) ? 0 : mark?.missing(from: stored) ?? 0
  }

  /// Discards the record of lost notifications.
  func forgetLost() { mark?.reset(to: stored) }

  /// Searches for damaged rows, sets them aside, and reads the log again.
  func setAsideDamage() throws(StorageFailure) {
    try database.setAsideDamage(of: Self.schema, atMilliseconds: SystemClock.unixMilliseconds)
    try noteDamage()
    stored = max(stored, UInt64(bitPattern: try database.integer("SELECT stored FROM progress")))
    try buildIndex()
  }
}
