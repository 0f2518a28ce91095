/// The settings that were sent and that the peer hasn't acknowledged, in order.
struct HTTP2SettingsInFlight {
  struct Values {
    var tableBytes: UInt32?
    var streams: UInt32?
    var window: UInt32?
    var frameBytes: UInt32?
    /// The number of acknowledgments after which the values apply.
    var frames = 1
  }

  private var queue: [Values] = []

  /// Adds the values of a SETTINGS frame.
  ///
  /// If the peer doesn't acknowledge, the queue remains short, because new values join the last ones.
  mutating func append(_ values: Values) {
    guard queue.count >= Limits.settingsInFlight, var last = queue.popLast() else {
      queue.append(values)
      return
    }
    last.tableBytes = values.tableBytes ?? last.tableBytes
    last.streams = values.streams ?? last.streams
    last.window = values.window ?? last.window
    last.frameBytes = values.frameBytes ?? last.frameBytes
    last.frames += 1
    queue.append(last)
  }

  /// Handles an acknowledgment, and returns the values that now apply, or nil if no SETTINGS frame awaits one.
  mutating func acknowledge() -> Values? {
    guard !queue.isEmpty else { return nil }
    assert(queue[0].frames > 0, "the oldest values await an acknowledgment")
    queue[0].frames -= 1
    return queue[0].frames == 0 ? queue.removeFirst() : Values()
  }
}

/// A queue of stream IDs.
struct HTTP2StreamQueue {
  private var ids: [Int32] = []
  private var taken = 0

  var isEmpty: Bool { taken == ids.count }
  var count: Int { ids.count - taken }

  mutating func append(_ id: Int32) { ids.append(id) }

  mutating func popFirst() -> Int32? {
    guard taken < ids.count else { return nil }
    let id = ids[taken]
    taken += 1
    if taken == ids.count {
      ids.removeAll(keepingCapacity: true)
      taken = 0
    }
    return id
  }

  /// Keeps only the IDs for which `body` returns true.
  mutating func filter(_ body: (Int32) -> Bool) {
    ids = ids[taken...].filter(body)
    taken = 0
  }
}
