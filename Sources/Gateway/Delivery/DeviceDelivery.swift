import Storage

/// The core's state of one device: its session and its undelivered notifications.
///
/// Exists only while the device is connected or some notification for it is not yet on disk.
final class DeviceDelivery {
  /// Where the device is.
  enum Presence: Equatable {
    case offline
    /// Connected, while its stored notifications are being read; new ones wait behind them.
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

  /// Whether the device can store what it is sent, as its discards say.
  enum Room: Equatable {
    case available
    /// It had none: nothing is sent before this monotonic time.
    case none(untilNanoseconds: Int64)
    /// One notification is sent to find out.
    case unknown
  }

  let device: UInt64
  var presence = Presence.offline
  var power = DevicePower()
  /// The topics that the device has registered on this session.
  var topics: Set<NotificationKey> = []
  /// The channels that this session listens to.
  var channels: [ChannelState] = []
  /// Unacknowledged notifications allowed on this session.
  var window = Limits.deviceWindow
  /// Whether the device has room for what it is sent.
  var room = Room.available
  var queue = DeviceQueue()
  /// Deliveries over all sessions.
  private(set) var deliveries: UInt64 = 0
  var unremoved = UnremovedRows()
  /// Whether some notifications are only in the store, because the limit in memory was reached.
  var isOverflowing = false
  /// The last sequence number that was read of a backlog that is read in pages; 0 where none is.
  var loadedThrough: UInt64 = 0
  /// Whether a topic was added while the store was read.
  var hasNewRows = false

  init(device: UInt64) { self.device = device }

  var session: SessionID? { presence.session }

  /// Whether one more notification may be sent now.
  var maySend: Bool {
    guard deliveriesSinceUnremoved < window else { return false }
    switch room {
    case .available: return queue.inFlightCount < window
    case .none: return false
    case .unknown: return queue.inFlightCount == 0
    }
  }

  /// Deliveries from the first on whose acknowledged row the store may still have.
  private var deliveriesSinceUnremoved: Int {
    guard let first = unremoved.first else { return 0 }
    return Int(deliveries - first)
  }

  /// Whether rows should be removed soon, so that the window does not close meanwhile.
  var needsRemovals: Bool { unremoved.waiting != nil && deliveriesSinceUnremoved >= window / 2 }

  /// Numbers an entry that is sent.
  func noteDelivery(of entry: DeliveryEntry) {
    entry.delivery = deliveries
    deliveries += 1
  }

  /// Whether memory holds back as much as it may: the rest of the backlog stays in the store.
  var isHeldFull: Bool { queue.heldCount >= Limits.deviceWaitingMax }

  /// Whether the device had no room, and nothing is sent for a while.
  var isPaused: Bool {
    if case .none = room { true } else { false }
  }

  /// Whether the device's power state holds `entry` back now.
  func holdsBack(_ entry: DeliveryEntry) -> Bool {
    entry.priority != 10 && (power.isRestricted || power.isAsleep)
  }

  /// Asserts what holds between events; looks into no list with more than `entriesMax` entries.
  func checkInvariants(entriesMax: Int) {
    queue.checkInvariants(window: window, presence: presence, entriesMax: entriesMax)
    switch presence {
    case .offline:
      assert(
        !isOverflowing && channels.isEmpty && room == .available && loadedThrough == 0,
        "device \(device) is away and has a session's state")
      assert(
        !queue.isForgettable || !unremoved.isEmpty,
        "device \(device) is away, and remembered for nothing")
    case .loading:
      assert(queue.inFlightCount == 0, "device \(device) was sent something before its load")
    case .live:
      assert(queue.waitingCount == 0 || !maySend, "device \(device) could be sent what waits")
    }
    assert((1...Limits.deviceWindow).contains(window), "a window of \(window)")
  }
}
