/// The connection status of a device.
struct DevicePresence: Sendable, Equatable {
  let device: UInt64
  /// True if the device is currently connected.
  let isUp: Bool
  /// The time at which the device was last connected, in milliseconds since 1970; for a connected device, the current
  /// time.
  let lastSeenMilliseconds: Int64

  /// Returns the presence of each device that any of the nodes knows: a connection, or else the latest disconnection.
  static func merged(
    _ known: [UInt64: DevicePresence], _ others: [DevicePresence]
  ) -> [UInt64: DevicePresence] {
    known.merging(others.map { ($0.device, $0) }) { first, second in
      if first.isUp != second.isUp { return first.isUp ? first : second }
      return first.lastSeenMilliseconds >= second.lastSeenMilliseconds ? first : second
    }
  }
}

/// The devices of one loop that have disconnected since the gateway started, with the times of disconnection.
///
/// Once the limit is reached, no more devices are recorded.
struct DepartedDevices {
  private var milliseconds: [UInt64: Int64] = [:]

  mutating func note(_ device: UInt64, atMilliseconds now: Int64) {
    guard milliseconds.count < Limits.departedDevicesMax || milliseconds[device] != nil else {
      return
    }
    milliseconds[device] = now
    assert(
      milliseconds.count <= Limits.departedDevicesMax,
      "the number of departed devices is within its limit")
  }

  var presences: [DevicePresence] {
    milliseconds.map { DevicePresence(device: $0, isUp: false, lastSeenMilliseconds: $1) }
  }
}
