import PushWire

/// A channel's state on one loop: its newest message, and the loop's subscribed devices.
final class ChannelState {
  let id: ChannelID
  let app: UInt32
  /// The number that identifies the channel on every link of the loop.
  let handle: UInt32
  /// The channel's newest message, if it is stored for offline devices; otherwise `nil`.
  var newest: Broadcast?
  /// The subscribed devices, connected or not.
  var subscribers: Set<UInt64> = []
  /// The devices that acknowledged `newest`.
  var served: Set<UInt64> = []
  /// The devices with a session that listens to the channel.
  var listeners = ListenerList()

  init(id: ChannelID, app: UInt32, handle: UInt32) {
    self.id = id
    self.app = app
    self.handle = handle
  }
}

/// A set of devices with a deterministic order, so that a simulation can be replayed.
///
/// Copies share storage until one of them changes. A broadcast in progress can therefore cheaply keep the set as it was
/// when the message arrived.
struct ListenerList {
  private(set) var devices: [UInt64] = []
  private var positions: [UInt64: Int] = [:]

  /// Adds a device; returns true if it wasn't in the set yet.
  mutating func add(_ device: UInt64) -> Bool {
    guard positions[device] == nil else { return false }
    positions[device] = devices.count
    devices.append(device)
    return true
  }

  mutating func remove(_ device: UInt64) {
    guard let position = positions.removeValue(forKey: device), let last = devices.popLast(),
      last != device
    else { return }
    devices[position] = last
    positions[last] = position
  }

  func contains(_ device: UInt64) -> Bool { positions[device] != nil }
}

/// A broadcast in progress to the devices that were listening when it arrived.
struct FanOut {
  let broadcast: Broadcast
  let devices: [UInt64]
  /// The index of the next device to send to.
  var next = 0
}
