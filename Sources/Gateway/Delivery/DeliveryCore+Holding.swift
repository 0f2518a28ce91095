import BelfryWire
import Storage

/// What is kept back for a while: for a device's power, or because an app has had its background pushes.
extension DeliveryCore {
  mutating func hold(
    _ notification: AcceptedNotification, on device: DeviceDelivery, now: Moment
  ) {
    notification.heldSinceNanoseconds = now.nanoseconds
    notification.isForConnected = false
    device.held.append(notification)
    holding.insert(device.device)
    if notification.durability == .none {
      stage(notification, deadlineNanoseconds: now.nanoseconds)
    }
  }

  /// The power was restricted while the window was full: what had to wait for it waits for that too.
  mutating func holdWaiting(on device: DeviceDelivery, now: Moment) {
    let unsent = device.waiting
    device.waiting.removeAll(where: device.holdsBack)
    for notification in unsent where device.holdsBack(notification) {
      hold(orGiveUp: notification, on: device, now: now)
    }
    device.held.sort { $0.sequence < $1.sequence }
  }

  mutating func hold(
    orGiveUp notification: AcceptedNotification, on device: DeviceDelivery, now: Moment
  ) {
    guard notification.durability == .none else {
      return hold(notification, on: device, now: now)
    }
    // To be tried once, and this is not the moment.
    effects.append(.record(.discardedExpired, notification))
    answer(notification)
  }

  mutating func releaseHeld(on device: DeviceDelivery, now: Moment) {
    guard !device.held.isEmpty, !device.power.isRestricted else { return }
    release(from: device) { core, notification in !core.isThrottled(notification, now: now) }
  }

  /// Moves what `isDue` from what is held to what waits to be sent.
  private mutating func release(
    from device: DeviceDelivery, where isDue: (inout DeliveryCore, AcceptedNotification) -> Bool
  ) {
    var due: [AcceptedNotification] = []
    var held: [AcceptedNotification] = []
    for notification in device.held {
      if isDue(&self, notification) {
        notification.waited()
        due.append(notification)
      } else {
        held.append(notification)
      }
    }
    guard !due.isEmpty else { return }
    device.held = held
    if held.isEmpty { holding.remove(device.device) }
    device.waiting.append(contentsOf: due)
    device.waiting.sort { $0.sequence < $1.sequence }
  }

  /// Whether the app has had its background pushes on the device for now; one that has not is counted.
  mutating func isThrottled(_ notification: AcceptedNotification, now: Moment) -> Bool {
    guard notification.pushType == .background, !notification.hasPassedThrottle else {
      return false
    }
    guard notification.throttledUntilNanoseconds <= now.nanoseconds else { return true }
    let limit = Limits.backgroundRate
    if limit.admits(&backgroundNext[notification.key, default: 0], at: now.nanoseconds) {
      notification.hasPassedThrottle = true
      return false
    }
    let wait = limit.wait(backgroundNext[notification.key, default: 0], at: now.nanoseconds)
    notification.throttledUntilNanoseconds = now.nanoseconds + wait
    return true
  }

  /// Does what time alone asks for; to be called about once a second.
  public mutating func tick(now: Moment) {
    // Sorted, so that a run can be replayed.
    for number in holding.sorted() {
      guard let device = devices[number], !device.power.isRestricted else { continue }
      release(from: device) { core, notification in
        let waited = now.nanoseconds - notification.heldSinceNanoseconds
        guard
          !device.holdsBack(notification)
            || notification.priority == 5 && waited >= Limits.sleepHoldNanoseconds
        else { return false }
        return !core.isThrottled(notification, now: now)
      }
      pump(device, now: now)
    }
    guard now.nanoseconds >= nextSweepNanoseconds else { return }
    nextSweepNanoseconds = now.nanoseconds + Limits.expirySweepNanoseconds
    stageRemoval(.removeExpired(beforeUnixSeconds: now.unixSeconds), now: now)
    sweepBroadcasts(now: now)
    backgroundNext = backgroundNext.filter { $0.value > now.nanoseconds }
  }
}
