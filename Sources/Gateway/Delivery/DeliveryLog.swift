public import BelfryWire
public import Storage

/// The last things that happened to notifications on one loop: a ring of fixed size.
///
/// Confined to its loop and off the commit path: it is lost with the process, as a log of what was
/// promised elsewhere may be.
public struct DeliveryLog {
  /// One line.
  public struct Entry: Equatable, Sendable {
    /// When, in milliseconds since 1970.
    public let atMilliseconds: Int64
    /// What.
    public let state: DeliveryState
    /// To which token.
    public let key: NotificationKey
    /// `apns-id`.
    public let id: NotificationID
    /// `apns-unique-id`.
    public let uniqueID: NotificationID
  }

  private var entries: [Entry] = []
  private var next = 0
  private let capacity: Int

  /// An empty log that keeps that many lines.
  public init(capacity: Int) { self.capacity = max(1, capacity) }

  /// Adds a line, over the oldest where the log is full.
  mutating func append(_ entry: Entry) {
    if entries.count < capacity {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % capacity
    }
  }

  /// The lines that `matches` picks, oldest first.
  public func lines(where matches: (Entry) -> Bool) -> [Entry] {
    var lines: [Entry] = []
    for offset in entries.indices {
      let entry = entries[(next + offset) % entries.count]
      if matches(entry) { lines.append(entry) }
    }
    return lines
  }
}

extension DroppedNotification.Reason {
  /// The state that the log shows.
  var state: DeliveryState {
    switch self {
    case .replaced: .replaced
    case .expired: .discardedExpired
    case .unregistered: .discardedUnregisteredFromStorage
    }
  }
}
