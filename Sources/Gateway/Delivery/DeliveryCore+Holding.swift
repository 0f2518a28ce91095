import PushWire
import Storage

/// The holding of notifications until the device's power state or the app's rate of background pushes allows sending
/// them.
extension DeliveryCore {
  mutating func hold(_ entry: DeliveryEntry, on device: DeviceDelivery, now: Moment) {
    entry.heldSinceNanoseconds = now.nanoseconds
    entry.isExemptFromKeep = false
    if entry.isTransient {
      stage.stage(entry, deadlineNanoseconds: now.nanoseconds, now: now)
    }
    device.queue.hold(entry)
    holding.insert(device.device)
  }

  /// Holds an entry that has a row or will have one; gives up any other entry.
  mutating func hold(orGiveUp entry: DeliveryEntry, on device: DeviceDelivery, now: Moment) {
    if entry.isTransient { giveUp(entry) } else { hold(entry, on: device, now: now) }
  }

  /// Holds queued entries that the device's new power state doesn't allow.
  mutating func holdWaiting(on device: DeviceDelivery, now: Moment) {
    for entry in device.queue.removeWaiting(where: { device.holdsBack($0) }) {
      hold(orGiveUp: entry, on: device, now: now)
    }
  }

  /// Releases the entries held for a sleeping device that is now awake.
  mutating func releaseHeld(on device: DeviceDelivery, now: Moment) {
    guard !device.power.isRestricted else { return }
    release(on: device) { core, entry in !core.isThrottled(entry, now: now) }
  }

  /// Moves held entries for which `isDue` is true to the waiting list.
  private mutating func release(
    on device: DeviceDelivery, where isDue: (inout DeliveryCore, DeliveryEntry) -> Bool
  ) {
    device.queue.releaseHeld { isDue(&self, $0) }
    if device.queue.heldCount == 0 { holding.remove(device.device) }
  }

  /// Returns true if the app has used up its allowance of background pushes on the device; otherwise, counts the push
  /// and returns false.
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

  /// Ends attempt-once entries that would have waited too long by the next tick.
  ///
  /// Their providers are told that the notifications were accepted, as they would be if the device were offline.
  private mutating func giveUpOverdue(now: Moment) {
    let since = now.nanoseconds + Limits.tickNanoseconds - Limits.onceWaitNanoseconds
    for number in awaited.sorted() {
      while let device = devices[number], let entry = device.queue.firstUnanswered,
        entry.heldSinceNanoseconds < since
      {
        device.queue.removeWaiting(entry)
        giveUp(entry)
      }
      if devices[number]?.queue.firstUnanswered == nil { awaited.remove(number) }
    }
  }

  /// Performs the work that has become due; the loop calls this method about once per second.
  public mutating func tick(now: Moment) {
    // Sort the numbers, so that a simulation can be replayed.
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
    tryPaused(now: now)
    giveUpOverdue(now: now)
    guard now.nanoseconds >= nextSweepNanoseconds else { return }
    nextSweepNanoseconds = now.nanoseconds + Limits.expirySweepNanoseconds
    stage.stageSweep(now: now)
    sweepBroadcasts(now: now)
    backgroundNext = backgroundNext.filter { $0.value > now.nanoseconds }
  }
}
