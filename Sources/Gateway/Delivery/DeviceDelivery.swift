import Storage

/// What the core knows of one device: its session, and what is on its way to it.
///
/// Exists only while the device is connected or something for it is not yet on disk.
final class DeviceDelivery {
  /// Where the device is.
  enum Presence: Equatable {
    case offline
    /// Connected; what is stored for it is being read, new notifications wait behind it.
    case loading(SessionID)
    case live(SessionID)

    var isLive: Bool {
      if case .live = self { true } else { false }
    }
  }

  let device: UInt64
  var presence = Presence.offline
  var power = DevicePower()
  /// What the device can take on this session.
  var topics: Set<NotificationKey> = []
  /// The channels that this session listens to.
  var channels: [ChannelState] = []
  /// Unacknowledged notifications that this session takes.
  var window = Limits.deviceWindow
  var queue = DeviceQueue()
  /// Some notifications are in the store alone, because memory's bound was reached.
  var isOverflowing = false

  init(device: UInt64) { self.device = device }

  var session: SessionID? {
    switch presence {
    case .offline: nil
    case .loading(let session), .live(let session): session
    }
  }

  /// Whether the device's power keeps `entry` back now.
  func holdsBack(_ entry: DeliveryEntry) -> Bool {
    entry.priority != 10 && (power.isRestricted || power.isAsleep)
  }

  /// Asserts what holds between events.
  func checkInvariants() {
    queue.checkInvariants(window: window, isConnected: session != nil)
    switch presence {
    case .offline:
      assert(!isOverflowing && channels.isEmpty, "device \(device) is away and has a session's state")
      assert(!queue.isForgettable, "device \(device) is away, and remembered for nothing")
    case .loading:
      assert(queue.inFlightCount == 0, "device \(device) was sent something before its load")
    case .live:
      assert(
        queue.waitingCount == 0 || queue.inFlightCount == window,
        "device \(device) could be sent what waits")
    }
    assert((1...Limits.deviceWindow).contains(window), "a window of \(window)")
  }
}
