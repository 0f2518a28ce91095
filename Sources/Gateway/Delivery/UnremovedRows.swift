/// The rows that a device has acknowledged but that the store might still have.
///
/// After a crash, the gateway sends the notifications in these rows again. The device recognizes the repetition while
/// it remembers the notification, that is, for the last window of deliveries (docs/device-link.md). For this reason,
/// the gateway sends nothing more once a full window of deliveries has followed the oldest of these rows.
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

  /// Adds the row of a delivery; returns true if no other row waits for a commit.
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
  /// If the commit failed, its rows no longer limit deliveries, so that a connected device still receives
  /// notifications.
  mutating func endCommit() {
    assert(committing != nil, "a commit is running")
    committing = nil
  }
}
