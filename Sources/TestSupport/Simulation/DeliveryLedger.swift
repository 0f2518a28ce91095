import BelfryWire
import Gateway
import Storage

/// What was promised for each push and what became of it: where the invariants are checked.
final class DeliveryLedger {
  struct Push {
    let number: UInt64
    let key: NotificationKey
    let priority: UInt8
    /// Seconds since 1970.
    let expiration: Int64
    let acceptedSeconds: Int64
    let collapseID: String
    let keep: UInt32
    var isAnswered = false
    var isFailed = false
    var isOrphaned = false
    var states: [DeliveryState] = []
    var arrivals = 0
    var shown = 0
    var isUnregistered = false

    var isOnce: Bool { expiration <= acceptedSeconds }
    /// The provider may rely on it, or the gateway does as if: a crash took the answer, yet it was on
    /// disk, from where it was shown or expired.
    var counts: Bool {
      isAnswered || shown > 0 || isOrphaned && states.contains(.discardedExpired)
    }
  }

  private unowned let world: DeliverySimulation
  private(set) var pushes: [Push] = []
  private(set) var discards: [LinkDiscardReason: Int] = [:]

  init(in world: DeliverySimulation) { self.world = world }

  /// The number of a new push, which is the low half of its unique id.
  func open(
    _ key: NotificationKey, priority: UInt8, expiration: Int64, collapseID: String, keep: UInt32
  ) -> UInt64 {
    pushes.append(
      Push(
        number: UInt64(pushes.count), key: key, priority: priority, expiration: expiration,
        acceptedSeconds: world.time.unixMilliseconds / 1_000, collapseID: collapseID, keep: keep))
    return UInt64(pushes.count - 1)
  }

  private func change(_ id: NotificationID, _ body: (inout Push) -> Void) {
    guard pushes.indices.contains(Int(id.low)) else {
      return world.fail("there is no push #\(id.low)")
    }
    body(&pushes[Int(id.low)])
  }

  func answered(_ id: NotificationID) {
    change(id) { push in
      world.expect(!push.isAnswered && !push.isFailed, "#\(id.low) is answered twice")
      world.note("#\(id.low) is answered 200")
      push.isAnswered = true
    }
  }

  func failed(_ id: NotificationID) {
    change(id) { push in
      world.expect(!push.isAnswered && !push.isFailed, "#\(id.low) is answered twice")
      world.note("#\(id.low) is answered 500")
      push.isFailed = true
    }
  }

  func refused(_ number: UInt64) { pushes[Int(number)].isFailed = true }

  func recorded(_ state: DeliveryState, _ id: NotificationID) {
    change(id) { $0.states.append(state) }
  }

  /// Whether it went to its device before.
  func wasSent(_ id: NotificationID) -> Bool {
    pushes.indices.contains(Int(id.low)) && pushes[Int(id.low)].states.contains(.sent)
  }

  /// Answers that were not given never will be.
  func gatewayCrashed() {
    for index in pushes.indices where !pushes[index].isAnswered && !pushes[index].isFailed {
      pushes[index].isOrphaned = true
    }
  }

  func unregistered(_ key: NotificationKey) {
    for index in pushes.indices where pushes[index].key == key && pushes[index].shown == 0 {
      pushes[index].isUnregistered = true
    }
  }

  func arrived(
    _ id: NotificationID, for topic: LinkTopic, on device: SimulatedDevice,
    _ notification: LinkNotification
  ) {
    change(id) { push in
      push.arrivals += 1
      world.expect(push.key.device == device.number, "#\(id.low) came to another device")
      world.expect(
        world.gateway.key(topic, of: device.number) == push.key, "#\(id.low) came to another app")
      world.expect(device.wants(topic), "#\(id.low) came for an app that wants nothing")
      world.expect(notification.priority == push.priority, "#\(id.low) has another priority")
      world.expect(
        notification.payload.elementsEqual("push \(push.number)".utf8),
        "#\(id.low) has another payload")
      world.expect(
        notification.collapseID.elementsEqual(push.collapseID.utf8),
        "#\(id.low) has another collapse id")
    }
  }

  /// A device tells repetitions as long as it remembers what it kept, which is all that is promised.
  func shown(_ id: NotificationID, on device: SimulatedDevice) {
    change(id) { push in
      push.shown += 1
      world.expect(
        push.shown == 1 || !device.remembers(id), "#\(id.low) is shown twice")
    }
  }

  func discarded(by device: UInt64, _ reason: LinkDiscardReason) {
    discards[reason, default: 0] += 1
  }

  // MARK: The end

  /// Accepted means: shown, replaced, expired, discarded for a reason, or stored.
  func check() {
    let stored = Set(
      ((try? world.gateway.store.devices()) ?? []).flatMap {
        ((try? world.gateway.store.load(device: $0)) ?? []).map(\.uniqueID.low)
      })
    let now = world.time.unixMilliseconds / 1_000
    for push in pushes {
      world.expect(
        push.isAnswered || push.isFailed || push.isOrphaned, "#\(push.number) was never answered")
      guard push.isAnswered, push.shown == 0, !push.isOnce, !stored.contains(push.number),
        push.expiration > now, !push.isUnregistered,
        !push.states.contains(.discardedDisabled), !isReplaced(push)
      else { continue }
      let device = world.devices[Int(push.key.device) - 1]
      let topic = world.topics[Int(push.key.app) - 1]
      // The device itself throws away what a person or the app does not want.
      guard device.wants(topic), !device.isDisabled(topic), !world.wasUnwanted(push.key) else {
        continue
      }
      world.fail(
        "#\(push.number) was answered 200 and is lost: \(push.states.map(\.label))")
    }
  }

  /// Whether newer ones of the same app took its place.
  private func isReplaced(_ push: Push) -> Bool {
    var newer: Set<String> = []
    for other in pushes[(Int(push.number) + 1)...] where other.key == push.key && other.counts {
      guard !other.isOnce else { continue }
      if !push.collapseID.isEmpty, other.collapseID == push.collapseID { return true }
      newer.insert(other.collapseID.isEmpty ? "#\(other.number)" : other.collapseID)
      if newer.count >= Int(min(other.keep, UInt32(Int32.max))) { return true }
    }
    return false
  }
}
