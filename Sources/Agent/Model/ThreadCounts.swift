import BelfryWire

/// The notifications of each thread of an app, counted once for all that are presented together.
struct ThreadCounts {
  private let delivered: DeliveredList
  /// By the bytes of the thread's name: apps and pushes choose it.
  private var counts: [AppID: [[UInt8]: Int]] = [:]

  /// Counts in a list as it is now.
  init(_ delivered: DeliveredList) { self.delivered = delivered }

  /// The delivered notifications of a thread of an app.
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
