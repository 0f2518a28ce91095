import Dispatch
import Synchronization
import System

/// The connection status of a device.
struct DevicePresence: Sendable, Equatable {
  let device: UInt64
  /// True if the device is currently connected.
  let isUp: Bool
  /// The time at which the device was last connected, in milliseconds since 1970: the current time, or the end of its
  /// last connection.
  let lastSeenMilliseconds: Int64
}

/// The times at which devices of one loop disconnected, since the gateway started.
///
/// Once the limit is reached, further devices aren't recorded.
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

/// A collector of the loops' answers; any thread may wait for them.
final class PresenceCollector: Sendable {
  private let presences = Mutex<[DevicePresence]>([])
  private let answered = DispatchSemaphore(value: 0)

  init() {}

  /// Adds a loop's answer.
  func add(_ part: [DevicePresence]) {
    presences.withLock { $0 += part }
    answered.signal()
  }

  /// Waits for the answers of `loops` loops; a loop that doesn't answer in time is omitted.
  func wait(for loops: Int) -> [UInt64: DevicePresence] {
    let deadline = DispatchTime.now() + .milliseconds(Limits.logAnswerMilliseconds)
    for _ in 0..<loops where answered.wait(timeout: deadline) == .timedOut { break }
    return presences.withLock { list in
      // A current connection takes precedence over an earlier departure.
      Dictionary(list.map { ($0.device, $0) }) { $0.isUp ? $0 : $1.isUp ? $1 : $0 }
    }
  }
}
