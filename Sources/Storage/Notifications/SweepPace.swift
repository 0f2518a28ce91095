/// The rules that decide when the records of ended notifications are removed from the log, and how many at once.
package struct SweepPace: Sendable {
  /// The number of bytes that the log can always occupy before records are removed.
  package var slackBytes = 44 << 20
  /// The number of bytes that the log can occupy in addition to the slack, in tenths of the stored notifications'
  /// bytes.
  ///
  /// SQLite merges pages that are less than a third full, so removing records cannot reduce the log to less than three
  /// times these bytes. The file stays below four times these bytes, because a sweep frees pages faster than commits
  /// use new ones.
  package var liveTenths = 34
  /// The minimum number of records that a slice removes: one or two milliseconds of work and a sync.
  package var sliceRecordsMin = 2_000
  /// The maximum number of records that a slice removes: about ten milliseconds of work.
  package var sliceRecordsMax = 20_000
  /// The number of records that must be appended, or end, before the next slice while the writer is busy, unless
  /// `changedBytesPerSliceMin` is reached first.
  package var changedPerSliceMin = 1_000
  /// The number of bytes that must be appended, or end, before the next slice while the writer is busy, unless
  /// `changedPerSliceMin` is reached first.
  package var changedBytesPerSliceMin = 256 << 10
  /// The number of records that a slice removes for each record that was appended or has ended since the previous
  /// slice, and the number of bytes that it removes for each of their bytes.
  package var removedPerChanged = 4
  /// The number of pages that a slice returns to the file system.
  package var pagesPerSlice = 512
  /// True if a sweep removes the newest records first.
  ///
  /// Tests use this order, with which notifications reappear after a crash, to show that such an error is detected.
  package var isReversed = false

  package init() {}
}
