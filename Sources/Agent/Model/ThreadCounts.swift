import AppWire

/// The number of notifications in each thread of an app, counted once for all notifications that are presented
/// together.
struct ThreadCounts {
  private let delivered: DeliveredList
  /// The counts, keyed by the bytes of the thread's name, because apps and pushes choose the name.
  private var counts: [AppID: [[UInt8]: Int]] = [:]

  /// Creates counts for a list in its current state.
  init(_ delivered: DeliveredList) { self.delivered = delivered }

  /// Returns the number of delivered notifications in a thread of an app.
  mutating func count(of thread: String, _ app: AppID) -> Int {
    let key = Array(thread.utf8)
    if let known = counts[app] { return known[key] ?? 0 }
    var own: [[UInt8]: Int] = [:]
    for entry in delivered.of(app) {
      own[Array(entry.retained.outline.thread.utf8), default: 0] += 1
    }
    counts[app] = own
    return own[key] ?? 0
  }
}
