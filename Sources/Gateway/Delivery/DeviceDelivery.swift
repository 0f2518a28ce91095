import Storage

/// The core's state of one device: its session and its undelivered notifications.
///
/// The state exists while the device is connected. Afterward, it is kept only while a notification isn't on disk yet,
/// might have been received without an acknowledgment, or was acknowledged but still has a row.
final class DeviceDelivery {
  /// The connection state of a device.
  enum Presence: Equatable {
    case offline
    /// The device is connected, and its stored notifications are being read; new notifications are queued after them.
    case loading(SessionID)
    case live(SessionID)

    var isLive: Bool {
      if case .live = self { true } else { false }
    }

    var session: SessionID? {
      switch self {
      case .offline: nil
      case .loading(let session), .live(let session): session
      }
    }
  }

  /// A device's room for notifications, inferred from the notifications that it discards.
  enum Room: Equatable {
    case available
    /// The device had no room; nothing is sent to it before this monotonic time.
    case none(untilNanoseconds: Int64)
    /// It isn't known whether the device has room; one notification is sent to find out.
    case unknown
  }

  let device: UInt64
  var presence = Presence.offline
  var power = DevicePower()
  /// The topics that the device has registered on this session.
  var topics: Set<NotificationKey> = []
  /// The channels that this session listens to.
  var channels: [ChannelState] = []
  /// The maximum number of unacknowledged notifications on this session.
  var window = Limits.deviceWindow
  /// The device's room for notifications.
  var room = Room.available
  var queue = DeviceQueue()
  /// The number of deliveries to the device in all sessions so far.
  private(set) var deliveries: UInt64 = 0
  var unremoved = UnremovedRows()
  /// True if some notifications are only in the store, because the limit in memory was reached.
  var isOverflowing = false
  /// The last sequence number that was read while a backlog is being loaded in pages; otherwise, 0.
  var loadedThrough: UInt64 = 0
  /// True if a topic was added while the store was being read.
  var hasNewRows = false

  init(device: UInt64) { self.device = device }

  var session: SessionID? { presence.session }

  /// True if one more notification can be sent now.
  var maySend: Bool {
    guard deliveriesSinceUnremoved < window else { return false }
    switch room {
    case .available: return queue.inFlightCount < window
    case .none: return false
    case .unknown: return queue.inFlightCount == 0
    }
  }

  /// The number of deliveries since the oldest delivery that was acknowledged but might still have a row in the store.
  private var deliveriesSinceUnremoved: Int {
    guard let first = unremoved.first else { return 0 }
    return Int(deliveries - first)
  }

  /// True if a commit should soon remove acknowledged rows, before they close the window.
  var needsRemovals: Bool { unremoved.waiting != nil && deliveriesSinceUnremoved >= window / 2 }

  /// Assigns a delivery number to an entry that is being sent.
  func noteDelivery(of entry: DeliveryEntry) {
    entry.delivery = deliveries
    deliveries += 1
  }

  /// True if the number of held entries in memory has reached its limit; the rest of the backlog stays in the store.
  var isHeldFull: Bool { queue.heldCount >= Limits.deviceWaitingMax }

  /// True if the device had no room; nothing is then sent to it for a while.
  var isPaused: Bool {
    if case .none = room { true } else { false }
  }

  /// Returns true if the device's power state currently holds back `entry`.
  func holdsBack(_ entry: DeliveryEntry) -> Bool {
    entry.priority != 10 && (power.isRestricted || power.isAsleep)
  }

  /// Asserts the invariants that hold between events; skips lists with more than `entriesMax` entries.
  func checkInvariants(entriesMax: Int) {
    queue.checkInvariants(window: window, presence: presence, entriesMax: entriesMax)
    switch presence {
    case .offline:
      assert(
        !isOverflowing && channels.isEmpty && room == .available && loadedThrough == 0,
        "offline device \(device) has no session state")
      assert(
        !queue.isForgettable || !unremoved.isEmpty,
        "offline device \(device) is stored only while it is needed")
    case .loading:
      assert(queue.inFlightCount == 0, "device \(device) is sent nothing before its load finishes")
    case .live:
      assert(
        queue.waitingCount == 0 || !maySend,
        "device \(device) has no waiting entries that it could be sent")
    }
    assert((1...Limits.deviceWindow).contains(window), "the window is within its limits: \(window)")
  }
}
