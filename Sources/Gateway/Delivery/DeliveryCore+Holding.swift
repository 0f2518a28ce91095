import BelfryWire
import Storage

/// What is kept back for a while: for a device's power, or because an app has had its background pushes.
extension DeliveryCore {
  mutating func hold(_ entry: DeliveryEntry, on device: DeviceDelivery, now: Moment) {
    entry.heldSinceNanoseconds = now.nanoseconds
    entry.isForConnected = false
    if entry.isTransient {
      stage.stage(entry, deadlineNanoseconds: now.nanoseconds, now: now)
    }
    device.queue.hold(entry)
    holding.insert(device.device)
  }

  /// Holds what has or gets a row; what is tried once has had its moment.
  mutating func hold(orGiveUp entry: DeliveryEntry, on device: DeviceDelivery, now: Moment) {
    if entry.isTransient { giveUp(entry) } else { hold(entry, on: device, now: now) }
  }

  /// The power was restricted while the window was full: what had to wait for it waits for that too.
  mutating func holdWaiting(on device: DeviceDelivery, now: Moment) {
    for entry in device.queue.removeWaiting(where: { device.holdsBack($0) }) {
      hold(orGiveUp: entry, on: device, now: now)
    }
  }

  /// The device is awake: what was kept back for its sleep is to be sent.
  mutating func releaseHeld(on device: DeviceDelivery, now: Moment) {
    guard device.queue.heldCount > 0, !device.power.isRestricted else { return }
    release(on: device) { core, entry in !core.isThrottled(entry, now: now) }
  }

  /// Moves what `isDue` from what is held to what waits to be sent.
  private mutating func release(
    on device: DeviceDelivery, where isDue: (inout DeliveryCore, DeliveryEntry) -> Bool
  ) {
    guard device.queue.releaseHeld(where: { isDue(&self, $0) }) else { return }
    if device.queue.heldCount == 0 { holding.remove(device.device) }
  }

  /// Whether the app has had its background pushes on the device for now; one that has not is counted.
  mutating func isThrottled(_ entry: DeliveryEntry, now: Moment) -> Bool {
    guard entry.pushType == .background, entry.throttle != .passed else { return false }
    if case .until(let end) = entry.throttle, end > now.nanoseconds { return true }
    let limit = Limits.backgroundRate
    if limit.admits(&backgroundNext[entry.key, default: 0], at: now.nanoseconds) {
      entry.throttle = .passed
      return false
    }
    let wait = limit.wait(backgroundNext[entry.key, default: 0], at: now.nanoseconds)
    entry.throttle = .until(nanoseconds: now.nanoseconds + wait)
    return true
  }

  /// Does what time alone asks for; to be called about once a second.
  public mutating func tick(now: Moment) {
    // Sorted, so that a run can be replayed.
    for number in holding.sorted() {
      guard let device = devices[number], !device.power.isRestricted else { continue }
      release(on: device) { core, entry in
        let waited = now.nanoseconds - entry.heldSinceNanoseconds
        guard
          !device.holdsBack(entry) || entry.priority == 5 && waited >= Limits.sleepHoldNanoseconds
        else { return false }
        return !core.isThrottled(entry, now: now)
      }
      sendWaiting(on: device, now: now)
    }
    guard now.nanoseconds >= nextSweepNanoseconds else { return }
    nextSweepNanoseconds = now.nanoseconds + Limits.expirySweepNanoseconds
    stage.stageSweep(now: now)
    sweepBroadcasts(now: now)
    backgroundNext = backgroundNext.filter { $0.value > now.nanoseconds }
  }
}
