/// The rows that a device has acknowledged and that the store may still have.
///
/// After a crash, the gateway sends the notifications in these rows again. The device recognizes the repetition while
/// it remembers the notification, that is, for the last window of deliveries (docs/device-link.md). For this reason,
/// nothing more is sent once the oldest such row is a full window of deliveries ago.
struct UnremovedRows {
  /// The delivery number of the first row whose removal waits for a commit.
  private(set) var waiting: UInt64?
  /// The delivery number of the first row that the running commit removes.
  private(set) var committing: UInt64?

  /// The lower of the two delivery numbers.
  var first: UInt64? {
    guard let waiting else { return committing }
    return min(waiting, committing ?? waiting)
  }

  var isEmpty: Bool { waiting == nil && committing == nil }

  /// Adds the row of a delivery; returns true if it is the first that waits for a commit.
  mutating func add(_ delivery: UInt64) -> Bool {
    defer { waiting = min(waiting ?? delivery, delivery) }
    return waiting == nil
  }

  /// Records the start of a commit that removes the waiting rows.
  mutating func beginCommit() {
    assert(committing == nil, "no other commit is running")
    swap(&waiting, &committing)
    assert(committing != nil, "rows were waiting for the commit")
  }

  /// Records the end of the commit.
  ///
  /// If the commit failed, its rows no longer limit deliveries: a connected device continues without that limit.
  mutating func endCommit() {
    assert(committing != nil, "a commit is running")
    committing = nil
  }
}
