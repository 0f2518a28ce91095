/// The rows that a device has acknowledged but that the store might still have.
///
/// After a crash, the gateway sends these notifications again. The device recognizes a repeated notification only for
/// the next window of deliveries (docs/device-link.md). For this reason, the gateway stops sending once a full window
/// of deliveries has followed the oldest of these rows.
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
  /// The rows no longer limit deliveries, even if the commit failed; otherwise, a connected device would receive
  /// nothing more.
  mutating func endCommit() {
    assert(committing != nil, "a commit is running")
    committing = nil
  }
}
