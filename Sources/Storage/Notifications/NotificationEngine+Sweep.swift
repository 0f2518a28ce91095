/// The removal of records that are no longer needed.
///
/// A pass removes, from the oldest to the newest, the records of notifications that had ended when the pass began, and
/// the records that had ended them. A record that has ended others is therefore removed only after them: they are
/// older, and had ended before the pass began. After a crash at any moment, the remaining records give the same stored
/// notifications.
extension NotificationEngine {
  /// Removes some of the records that are no longer needed, or returns some unused pages to the file system.
  ///
  /// Returns true if there is more to do. Call this method after the commits have been answered. If the writer is not
  /// idle, the removal waits until enough records have been appended, because it costs a sync.
  func sweep(isIdle: Bool) throws(StorageFailure) -> Bool {
    if sweeping.pass == nil {
      if sweeping.isCheckDue(pace) { try beginPassIfDue() }
      guard sweeping.pass != nil || sweeping.isShrinking else {
        sweeping.noteNothingToDo()
        return false
      }
    }
    guard isIdle || sweeping.isSliceDue(pace) else { return true }
    try sweepSlice()
    return sweeping.isShrinking || sweeping.pass != nil
  }

  private func beginPassIfDue() throws(StorageFailure) {
    sweeping.noteCheck()
    let space = try fileSpace()
    // A pass writes most pages of the file, so it must find enough to remove.
    let isWorthwhile = sweeping.endedBytes >= max(pace.slackBytes / 2, index.byteCount / 4)
    if isWorthwhile, mustSweep(space) {
      // Among the newest records, few have usually ended, so removing these would write almost as many pages.
      beginPass(below: position - min(position, UInt64(index.count)), space)
    }
    sweeping.isShrinking = mustShrink(space)
  }

  private func beginPass(below end: UInt64, _ space: (fileBytes: Int, usedBytes: Int)) {
    let words = sweeping.ended.take(below: end)
    sweeping.begin(
      pace.isReversed ? words.reversed() : words, isComplete: end == .max,
      endedBytes: space.usedBytes - index.byteCount)
  }

  private func mustSweep(_ space: (fileBytes: Int, usedBytes: Int)) -> Bool {
    space.usedBytes > index.byteCount / 10 * pace.liveTenths + pace.slackBytes
  }

  /// The pages of the file, as of the last commit.
  private func fileSpace() throws(StorageFailure) -> (fileBytes: Int, usedBytes: Int) {
    let page = Int(try database.integer("PRAGMA page_size"))
    let pages = Int(try database.integer("PRAGMA page_count"))
    let free = Int(try database.integer("PRAGMA freelist_count"))
    assert(free <= pages, "no more pages are free than there are")
    return (pages * page, (pages - free) * page)
  }

  private func mustShrink(_ space: (fileBytes: Int, usedBytes: Int)) -> Bool {
    let bound = index.byteCount / 10 * (pace.liveTenths + 3) + pace.slackBytes / 4 * 5
    return space.fileBytes > bound && space.usedBytes < space.fileBytes
  }

  /// Removes some records of the pass, if there is one, and returns pages to the file system if the file is too large.
  private func sweepSlice() throws(StorageFailure) {
    let limit = sweeping.takeSlice(pace)
    var pass = sweeping.pass
    let runs = pass?.take(atMost: limit, fromHighest: pace.isReversed) ?? []
    if !runs.isEmpty || sweeping.isShrinking {
      // Even this transaction is synced: if a later sync failed, SQLite could otherwise copy pages that the disk has lost
      // into the file.
      try database.transaction { () throws(StorageFailure) in
        for run in runs {
          try remove.bind(1, run.lowerBound)
          try remove.bind(2, run.upperBound)
          try remove.run()
        }
        guard sweeping.isShrinking else { return }
        try database.prepare(once: "PRAGMA incremental_vacuum(\(pace.pagesPerSlice))").run()
      }
    }
    let space = try fileSpace()
    let wasShrinking = sweeping.isShrinking
    sweeping.isShrinking = mustShrink(space)
    if wasShrinking, !sweeping.isShrinking {
      // The file itself becomes shorter when the write-ahead file is copied into it.
      try database.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }
    guard let pass else { return }
    sweeping.advance(to: pass)
    // The newest records take up most of the file if they are larger than the others, or if a few keys get them all.
    if sweeping.pass == nil, !pass.isComplete, mustSweep(space) { beginPass(below: .max, space) }
  }
}

/// The progress of the removal of records.
struct SweepState {
  /// A pass over the records that had ended when it began.
  struct Pass {
    let words: [PositionSet.Word]
    /// True if the pass includes the newest records.
    let isComplete: Bool
    /// The number of records that the pass removes for each byte of all records that had ended when it began.
    let recordsPerByte: Double
    /// The index of the first word whose records are not all removed.
    var next = 0
    /// The bits of that word whose records are removed.
    var done: UInt64 = 0

    var isFinished: Bool { next >= words.count }

    /// Removes at most `limit` of the positions from the pass, and returns them as runs without gaps.
    mutating func take(atMost limit: Int, fromHighest isReversed: Bool) -> [ClosedRange<UInt64>] {
      var runs: [ClosedRange<UInt64>] = []
      var count = 0
      while next < words.count, count < limit {
        let left = words[next].bits & ~done
        guard left != 0 else {
          next += 1
          done = 0
          continue
        }
        let shift = isReversed ? 63 - left.leadingZeroBitCount : left.trailingZeroBitCount
        let length =
          isReversed ? 1 : min((~(left >> UInt64(shift))).trailingZeroBitCount, limit - count)
        let first = words[next].first + UInt64(shift)
        done |= (UInt64.max >> UInt64(64 - length)) << UInt64(shift)
        count += length
        if let last = runs.last, last.upperBound + 1 == first {
          runs[runs.count - 1] = last.lowerBound...first + UInt64(length) - 1
        } else {
          runs.append(first...first + UInt64(length) - 1)
        }
      }
      return runs
    }
  }

  /// A number of records and their bytes.
  private struct Amount {
    var records = 0
    var bytes = 0

    mutating func add(_ count: Int) {
      records += 1
      bytes += count
    }
  }

  /// The positions of the records that are no longer needed, and that no pass removes yet.
  var ended = PositionSet()
  private(set) var pass: Pass?
  /// True if the file has more unused pages than it should.
  var isShrinking = false
  /// The bytes that were appended or have ended since the size of the file was checked.
  private var uncheckedBytes = unknownBytes
  /// The bytes of the records that have ended since the last pass began.
  private(set) var endedBytes = unknownBytes
  /// The records that were appended since the last slice.
  private var appended = Amount()
  /// The records that have ended since the last slice.
  private var fresh = Amount()
  /// The records that the next slice should remove because of earlier commits.
  private var dueRecords = 0

  /// A number of bytes that is more than a file has, because the log of a store that has just been opened can contain
  /// any number of records that are no longer needed.
  private static let unknownBytes = Int.max / 2

  /// Begins a pass over the records in `words`.
  ///
  /// `endedBytes` are the bytes of the file that stored notifications do not need.
  mutating func begin(_ words: [PositionSet.Word], isComplete: Bool, endedBytes bytes: Int) {
    endedBytes = 0
    dueRecords = 0
    let count = words.reduce(0) { $0 + $1.bits.nonzeroBitCount }
    // A pass without records ends with its first slice.
    pass = Pass(
      words: words, isComplete: isComplete, recordsPerByte: Double(count) / Double(max(1, bytes)))
  }

  /// Advances the pass after some of its records have been removed.
  mutating func advance(to pass: Pass) { self.pass = pass.isFinished ? nil : pass }

  mutating func note(appendedBytes count: Int) {
    appended.add(count)
    uncheckedBytes += count
  }

  mutating func note(endedBytes count: Int) {
    fresh.add(count)
    uncheckedBytes += count
    endedBytes += count
  }

  /// Returns whether the file might have grown enough for a pass.
  func isCheckDue(_ pace: SweepPace) -> Bool { uncheckedBytes > pace.slackBytes / 32 }

  /// The larger of the amounts that were appended and that have ended since the last slice.
  private var changed: Amount {
    Amount(records: max(appended.records, fresh.records), bytes: max(appended.bytes, fresh.bytes))
  }

  /// Returns whether enough was appended or has ended since the last slice.
  func isSliceDue(_ pace: SweepPace) -> Bool {
    dueRecords > 0 || changed.records >= pace.changedPerSliceMin
      || changed.bytes >= pace.changedBytesPerSliceMin
  }

  mutating func noteCheck() { uncheckedBytes = 0 }

  /// Forgets what the commits before the next pass have changed.
  mutating func noteNothingToDo() { (appended, fresh) = (Amount(), Amount()) }

  /// Returns the number of records that the next slice removes.
  ///
  /// A pass ends before the file has grown by a quarter of what the pass removes, even if the records that are appended
  /// are much larger than those that have ended. It also ends soon if many notifications end and few are appended, as
  /// when devices return.
  mutating func takeSlice(_ pace: SweepPace) -> Int {
    let byBytes = Double(changed.bytes * pace.removedPerChanged) * (pass?.recordsPerByte ?? 0)
    dueRecords += max(changed.records * pace.removedPerChanged, Int(byBytes.rounded(.up)))
    (appended, fresh) = (Amount(), Amount())
    let records = min(max(pace.sliceRecordsMin, dueRecords), pace.sliceRecordsMax)
    dueRecords = max(0, dueRecords - records)
    return records
  }
}
