import BelfryWire

/// What the core of one loop knows of a channel: its newest message, and which of the loop's devices want it.
final class ChannelState {
  let id: ChannelID
  let app: UInt32
  /// Names the channel on every link of the loop.
  let handle: UInt32
  /// The message that waits for devices that are away; `nil` where none does.
  var newest: Broadcast?
  /// Devices that subscribed, connected or not.
  var subscribers: Set<UInt64> = []
  /// Those that acknowledged `newest`.
  var served: Set<UInt64> = []
  /// Devices with a session that listens.
  var listeners = ListenerList()

  init(id: ChannelID, app: UInt32, handle: UInt32) {
    self.id = id
    self.app = app
    self.handle = handle
  }
}

/// Devices in an order that does not hang on chance, each once.
///
/// Copies share their storage, so that a message goes to those who listened when it came.
struct ListenerList {
  private(set) var devices: [UInt64] = []
  private var positions: [UInt64: Int] = [:]

  /// Whether the device was not among them.
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

/// A message on its way to the devices that listened when it came.
struct FanOut {
  let broadcast: Broadcast
  let devices: [UInt64]
  /// The index of the next one to be sent to.
  var next = 0
}
