/// The rules that decide when the records of ended notifications are removed from the log, and how many at once.
package struct SweepPace: Sendable {
  /// The bytes that the log can always occupy before records are removed.
  package var slackBytes = 44 << 20
  /// The tenths of the stored notifications' bytes that the log can occupy in addition to the slack.
  ///
  /// SQLite merges pages that are less than a third full, so removing records cannot reduce the log to less than three
  /// times these bytes. The file stays below four times these bytes, because a sweep frees pages faster than commits
  /// use new ones.
  package var liveTenths = 34
  /// The fewest records that a slice removes: one or two milliseconds of work and a sync.
  package var sliceRecordsMin = 2_000
  /// The fewest records that are appended between two slices while the writer is busy.
  package var appendedPerSliceMin = 1_000
  /// The records that a slice removes for each record that was appended since the previous slice.
  package var recordsPerAppended = 4
  /// The pages that a slice returns to the file system.
  package var pagesPerSlice = 256
  /// True if a sweep removes the newest records first.
  ///
  /// Tests use this order, which revives notifications after a crash, to show that such an error is found.
  package var isReversed = false

  package init() {}
}
