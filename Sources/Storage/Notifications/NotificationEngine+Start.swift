internal import System

/// The reading of the log at a start, which builds the index.
extension NotificationEngine {
  /// The maximum number of positions between two records of a damaged log that are considered those of lost records.
  private static let gapMax: UInt64 = 4_096
  /// The maximum number of positions of lost records that are considered.
  private static let lostMax = 1 << 18

  /// Reads the log: first the end records, and then the notifications.
  ///
  /// The first pass also verifies all checksums. If the log cannot be read, the index stays as it was: with only some
  /// of the notifications, the next commit would write a wrong summary.
  func buildIndex() throws(StorageFailure) {
    let former = (
      index, digest, collapseHolders, recentIDs, sweeping, (highest: highest, position: position)
    )
    do throws(StorageFailure) {
      try readLog()
    } catch {
      (index, digest, collapseHolders, recentIDs, sweeping) = (
        former.0, former.1, former.2, former.3, former.4
      )
      (highest, position) = former.5
      throw error
    }
  }

  private func readLog() throws(StorageFailure) {
    let isDamaged = damage.has(table: NotificationSchema.log.name)
    var (ended, isWhole) = try readEnds()
    if !isWhole {
      // The check of the file has not found these rows, or has been skipped.
      try database.setAsideDamage(
        of: Self.schema, atMilliseconds: SystemClock.unixMilliseconds)
      try noteDamage()
      (ended, isWhole) = try readEnds()
      guard isWhole else {
        throw .corrupt(path: database.path, detail: "damaged records cannot be set aside")
      }
    }
    let aside =
      isDamaged || damage.has(table: NotificationSchema.log.name)
      ? try RecordsSetAside(in: database) : RecordsSetAside()
    try readRows(except: ended, aside)
  }

  /// Returns the positions of the notifications that have ended, and whether all records are unchanged.
  private func readEnds() throws(StorageFailure) -> (ended: PositionSet, isWhole: Bool) {
    var ended = PositionSet()
    var isWhole = true
    // If the row of the counters was damaged while the store was open, the numbers in memory are the higher ones.
    highest = max(highest, UInt64(bitPattern: try database.integer("SELECT highest FROM progress")))
    position = max(
      position, UInt64(bitPattern: try database.integer("SELECT position FROM progress")))
    let records = try database.prepare(
      once: "SELECT position, data, \(NotificationSchema.log.isWhole) FROM notification "
        + "ORDER BY position")
    while try records.step() {
      guard records.integer(2) != 0 else {
        isWhole = false
        continue
      }
      let place = records.unsigned(0)
      position = max(position, place)
      let isKnown = try records.withRecord(1) { bytes throws(StorageFailure) in
        if bytes.count > 0, bytes.byte(0) == StoredRecord.tag { return true }
        guard let record = EndRecord(bytes) else { return false }
        highest = max(highest, record.highest)
        for position in record.positions { ended.insert(position) }
        return true
      }
      guard isKnown, place <= PackedRow.positionMax else {
        throw .corrupt(path: database.path, detail: "record \(place) has an unknown format")
      }
    }
    return (ended, isWhole)
  }

  private func readRows(
    except ended: PositionSet, _ aside: RecordsSetAside
  ) throws(StorageFailure) {
    index = NotificationIndex()
    digest = LiveDigest()
    collapseHolders = [:]
    recentIDs = RecentIDs()
    sweeping = SweepState()
    // A new record must not get a position that a record set aside has ended.
    position = max(position, aside.positionMax)
    var lost = aside.positions
    var rescued: [UInt64] = []
    var last: UInt64 = 0
    let records = try database.prepare(
      once: "SELECT position, data FROM notification ORDER BY position")
    while try records.step() {
      let place = records.unsigned(0)
      if aside.hasGap, place - last <= Self.gapMax, lost.count < Self.lostMax {
        lost += (last + 1)..<place
      }
      last = place
      let isRescued = aside.ended.contains(place) && !ended.contains(place)
      if isRescued { rescued.append(place) }
      guard !isRescued, !ended.contains(place) else {
        sweeping.ended.insert(place)
        continue
      }
      try records.withRecord(1) { bytes throws(StorageFailure) in
        guard bytes.byte(0) == StoredRecord.tag else { return sweeping.ended.insert(place) }
        guard let record = StoredRecord(bytes) else {
          throw .corrupt(path: database.path, detail: "record \(place) has an unknown format")
        }
        try add(record, bytes, at: place)
      }
    }
    try reconcile(aside, lost: lost, rescued: rescued)
  }

  private func add(
    _ record: StoredRecord, _ bytes: borrowing RecordBytes, at place: UInt64
  ) throws(StorageFailure) {
    highest = max(highest, record.sequence)
    guard index.row(record.key, sequence: record.sequence) == nil,
      let row = index.makeRow(
        record.key, sequence: record.sequence, position: place, expiration: record.expiration,
        recordBytes: bytes.count, hasCollapseID: !record.collapseRange.isEmpty)
    else { return }
    index.insert(row)
    recentIDs.fit(rows: index.count)
    recentIDs.insert(place, record.id, record.uniqueID)
    digest.add(place)
    if row.hasCollapseID {
      collapseHolders[Self.collapseHash(record.key, bytes.array(record.collapseRange))] = place
    }
  }

  // MARK: Lost records

  /// Compares the log with the summary that the last commit wrote.
  ///
  /// If an end record was lost, the notifications that it named have reappeared. They are ended again, or set aside if
  /// they cannot be identified: a notification that may have ended is not delivered.
  private func reconcile(
    _ aside: RecordsSetAside, lost: [UInt64], rescued: [UInt64]
  ) throws(StorageFailure) {
    let written = try database.prepare("SELECT digest FROM progress")
    let expected = try written.step() ? LiveDigest(written.bytes(0)) : nil
    written.reset()
    guard let expected else {
      guard index.count > 0 || !rescued.isEmpty else { return }
      return try transaction { () throws(StorageFailure) in
        addToEndRecord(rescued)
        try finish()
      }
    }
    guard expected != digest || !rescued.isEmpty else { return }
    var present: [UInt64] = []
    try index.forEach { row throws(StorageFailure) in present.append(row.position) }
    let explanation = expected.explain(digest, present: present, lost: lost)
    var revived: [IndexedRow] = []
    var doubtful: [IndexedRow] = []
    let places = Set(explanation.revived)
    try index.forEach { row throws(StorageFailure) in
      if places.contains(row.position) {
        revived.append(row)
      } else if explanation.unexplained.contains(LiveDigest.bucket(row.position)) {
        doubtful.append(row)
      }
    }
    try transaction { () throws(StorageFailure) in
      for row in revived { try endAgain(row) }
      for row in doubtful { try setAside(row) }
      if aside.isEmpty, !revived.isEmpty || !doubtful.isEmpty { try noteRevival(revived.count) }
      // From now on, the operator can discard the records that were set aside.
      addToEndRecord(rescued)
      try finish()
    }
    try noteDamage()
  }

  private func endAgain(_ row: IndexedRow) throws(StorageFailure) {
    let hash = row.hasCollapseID ? try readCollapseHash(of: row) : nil
    end(row, of: index.key(of: row), collapseHash: hash)
  }

  private func setAside(_ row: IndexedRow) throws(StorageFailure) {
    let put = try database.prepare(
      once: """
        INSERT INTO set_aside (source, key, content, found)
        SELECT 'notification', quote(position), \(NotificationSchema.log.content), ?2
        FROM notification WHERE position = ?1
        """)
    try put.bind(1, row.position)
    try put.bind(2, SystemClock.unixMilliseconds)
    try put.run()
    try endAgain(row)
  }

  /// Records that ended notifications were found although no record is known to be damaged.
  private func noteRevival(_ count: Int) throws(StorageFailure) {
    let note = try database.prepare(
      once: "INSERT INTO set_aside (source, content, found) VALUES ('notification', ?1, ?2)")
    try note.bind(1, "\(count) notifications that had ended were found, and were ended again")
    try note.bind(2, SystemClock.unixMilliseconds)
    try note.run()
  }
}

/// The records of the log that were set aside.
struct RecordsSetAside {
  /// The positions of the notifications that these records have ended, as far as the records can be read.
  private(set) var ended: Set<UInt64> = []
  /// The positions of these records.
  private(set) var positions: [UInt64] = []
  /// True if an unknown number of records could not be read.
  private(set) var hasGap = false
  /// The highest position of a notification that these records have ended; 0 if no such position is known.
  private(set) var positionMax: UInt64 = 0

  init() {}

  /// Reads the records from the table `set_aside`, which contains them as text.
  init(in database: SQLiteDatabase) throws(StorageFailure) {
    let rows = try database.prepare(
      once: "SELECT content FROM set_aside WHERE source = '\(NotificationSchema.log.name)'")
    while try rows.step() {
      let content = rows.text(0)
      guard !content.hasPrefix(TableCopy.gapNote) else {
        hasGap = true
        continue
      }
      let lines = content.split(separator: "\n")
      guard let first = lines.first, first.hasPrefix("position="),
        let position = UInt64(first.dropFirst("position=".count))
      else { continue }
      positions.append(position)
      guard let data = lines.dropFirst().first, let bytes = Self.bytes(data) else { continue }
      guard let record = RecordBytes.read(bytes, { EndRecord($0) }) else { continue }
      ended.formUnion(record.positions)
      positionMax = max(positionMax, record.positions.last ?? 0)
    }
  }

  var isEmpty: Bool { positions.isEmpty && !hasGap }

  /// Returns the bytes of a line such as `data=X'0A0B'`.
  private static func bytes(_ line: Substring) -> [UInt8]? {
    guard line.hasPrefix("data=X'"), line.hasSuffix("'") else { return nil }
    let digits = Array(line.utf8.dropFirst("data=X'".utf8.count).dropLast())
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

extension NotificationEngine {
  /// Asserts that the index and the summary match the log.
  ///
  /// This method reads the whole log, so call it only in tests and simulations.
  func checkInvariants() throws(StorageFailure) {
    index.checkInvariants()
    let (ended, isWhole) = try readEnds()
    guard isWhole else { return }
    var expected: Set<UInt64> = []
    let records = try database.prepare(once: "SELECT position, data FROM notification")
    while try records.step() {
      guard !ended.contains(records.unsigned(0)) else { continue }
      let isStored = try records.withRecord(1) { bytes throws(StorageFailure) in
        bytes.byte(0) == StoredRecord.tag
      }
      if isStored { expected.insert(records.unsigned(0)) }
    }
    var found = LiveDigest()
    var positions: Set<UInt64> = []
    try index.forEach { row throws(StorageFailure) in
      positions.insert(row.position)
      found.add(row.position)
    }
    assert(positions == expected, "the index has the notifications that a start would find")
    assert(found == digest, "the summary matches the index")
  }
}
