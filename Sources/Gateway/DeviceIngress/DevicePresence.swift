import Dispatch
import Synchronization
import System

/// Whether a device is connected, and when it was last.
struct DevicePresence: Sendable, Equatable {
  let device: UInt64
  /// Whether it is connected now.
  let isUp: Bool
  /// When it was there last, in milliseconds since 1970: now, or at the end of its last connection.
  let lastSeenMilliseconds: Int64
}

/// When devices of one loop went away, since the gateway's start.
///
/// Of more devices than the bound the later ones are forgotten: the list says nothing of them.
struct DepartedDevices {
  private var milliseconds: [UInt64: Int64] = [:]

  mutating func note(_ device: UInt64, atMilliseconds now: Int64) {
    guard milliseconds.count < Limits.departedDevicesMax || milliseconds[device] != nil else {
      return
    }
    milliseconds[device] = now
    assert(milliseconds.count <= Limits.departedDevicesMax, "a bounded memory")
  }

  var presences: [DevicePresence] {
    milliseconds.map { DevicePresence(device: $0, isUp: false, lastSeenMilliseconds: $1) }
  }
}

/// Collects the loops' answers; any thread may wait for them.
final class PresenceCollector: Sendable {
  private let presences = Mutex<[DevicePresence]>([])
  private let answered = DispatchSemaphore(value: 0)

  init() {}

  /// Adds a loop's part.
  func add(_ part: [DevicePresence]) {
    presences.withLock { $0 += part }
    answered.signal()
  }

  /// Waits for the answers of `loops` loops; a loop that does not answer is left out.
  func wait(for loops: Int) -> [UInt64: DevicePresence] {
    let deadline = DispatchTime.now() + .milliseconds(Limits.logAnswerMilliseconds)
    for _ in 0..<loops where answered.wait(timeout: deadline) == .timedOut { break }
    return presences.withLock { list in
      // One that is up wins over its own former departure.
      Dictionary(list.map { ($0.device, $0) }) { $0.isUp ? $0 : $1.isUp ? $1 : $0 }
    }
  }
}

extension GatewayLoop {
  func answer(to collector: PresenceCollector) {
    let now = loop.unixMilliseconds
    let up = connections.allDevices.compactMap { connection in
      connection.device.map {
        DevicePresence(device: $0, isUp: true, lastSeenMilliseconds: now)
      }
    }
    collector.add(departedDevices.presences + up)
  }
}
