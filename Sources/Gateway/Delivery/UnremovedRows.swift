/// The rows that a device has acknowledged and the store may still have.
///
/// A gateway that is killed sends them again, and the device tells the repetition as long as it remembers the
/// notification: for the last window's deliveries (docs/device-link.md). So nothing more is sent once a window's
/// deliveries have begun with such a row.
struct UnremovedRows {
  /// The delivery of the first row whose removal waits for a commit.
  private(set) var waiting: UInt64?
  /// The delivery of the first row that the running commit removes.
  private(set) var committing: UInt64?

  /// The delivery of the first of all of them.
  var first: UInt64? {
    guard let waiting else { return committing }
    return min(waiting, committing ?? waiting)
  }

  var isEmpty: Bool { waiting == nil && committing == nil }

  /// Adds the row of a delivery, and returns whether it is the first that waits for a commit.
  mutating func add(_ delivery: UInt64) -> Bool {
    defer { waiting = min(waiting ?? delivery, delivery) }
    return waiting == nil
  }

  /// Notes that a commit removes what waited.
  mutating func beginCommit() {
    assert(committing == nil, "two commits run")
    swap(&waiting, &committing)
    assert(committing != nil, "nothing waited for the commit")
  }

  /// Notes that the commit ended.
  ///
  /// While the store fails what it holds bounds nothing: a device that is connected goes on without it.
  mutating func endCommit() {
    assert(committing != nil, "a commit ended that was not begun")
    committing = nil
  }
}
