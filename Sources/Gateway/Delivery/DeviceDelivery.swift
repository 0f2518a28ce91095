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
  /// Sent and not yet acknowledged, in order of acceptance.
  var inFlight: [AcceptedNotification] = []
  /// The sequences of what its sessions left unacknowledged: it may have those, and they are sent first,
  /// while it still knows them by their unique ids.
  var unsettled: Set<UInt64> = []
  /// To be sent when the window or the load allows, in order of acceptance.
  var waiting: [AcceptedNotification] = []
  /// Kept back for the device's power, in order of acceptance.
  var held: [AcceptedNotification] = []
  /// Accepted while offline or loading and not known to be on disk yet.
  var uncommitted: [AcceptedNotification] = []
  /// Some notifications are in the store alone, because memory's bound was reached.
  var isOverflowing = false

  init(device: UInt64) { self.device = device }

  var session: SessionID? {
    switch presence {
    case .offline: nil
    case .loading(let session), .live(let session): session
    }
  }

  /// Whether the device's power keeps `notification` back now.
  func holdsBack(_ notification: AcceptedNotification) -> Bool {
    notification.priority != 10 && (power.isRestricted || power.isAsleep)
  }

  /// What its session has to deal with under a sequence.
  func known(_ sequence: UInt64) -> AcceptedNotification? {
    let isIt = { (one: AcceptedNotification) in one.sequence == sequence }
    return inFlight.first(where: isIt) ?? waiting.first(where: isIt) ?? held.first(where: isIt)
      ?? uncommitted.first(where: isIt)
  }

  /// Takes out the unsent ones of its collapse id and, of those that came while the device was away or
  /// that its power keeps back, the oldest beyond the newest `keep`.
  func takeReplaced(by newer: AcceptedNotification) -> [AcceptedNotification] {
    var replaced: [AcceptedNotification] = []
    Self.takeReplaced(
      by: newer, keeping: newer.isForConnected ? .max : newer.keep, from: &waiting, into: &replaced)
    Self.takeReplaced(by: newer, keeping: newer.keep, from: &held, into: &replaced)
    return replaced
  }

  private static func takeReplaced(
    by newer: AcceptedNotification, keeping keep: UInt32, from list: inout [AcceptedNotification],
    into replaced: inout [AcceptedNotification]
  ) {
    guard !list.isEmpty else { return }
    var kept: UInt32 = 1
    for index in list.indices.reversed() {
      let older = list[index]
      // What is tried once takes no place in the store, and none from those that do.
      guard older.key == newer.key, older.sequence < newer.sequence, older.durability != .none
      else { continue }
      let collapses = !older.collapseID.isEmpty && older.collapseID == newer.collapseID
      if collapses || kept >= keep && !older.isForConnected {
        replaced.append(older)
        list.remove(at: index)
      } else if !older.isForConnected {
        kept += 1
      }
    }
  }
}
