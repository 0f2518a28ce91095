import BelfryWire
import Gateway

/// What was promised for each broadcast and what became of it on each device.
final class BroadcastLedger {
  /// Stands in the high half of a broadcast's unique id; pushes have 0 there.
  static let idHigh: UInt64 = 1

  struct Message {
    let number: UInt64
    let channel: LinkChannel
    let isKept: Bool
    let priority: UInt8
    /// Seconds since 1970.
    let expiration: Int64
    /// Sent when all was well again: everyone has to get it.
    let isForAll: Bool
    var isAnswered = false
    /// How often each device showed it, by the times that it had left the channel.
    var shown: [UInt64: [Int: Int]] = [:]
  }

  private unowned let world: DeliverySimulation
  private(set) var messages: [Message] = []
  /// The newest message on disk of each channel that keeps it.
  private var newest: [LinkChannel: UInt64] = [:]

  init(in world: DeliverySimulation) { self.world = world }

  /// The number of a new message, which is the low half of its unique id.
  func open(
    _ channel: LinkChannel, isKept: Bool, priority: UInt8, expiration: Int64, isForAll: Bool
  ) -> UInt64 {
    messages.append(
      Message(
        number: UInt64(messages.count), channel: channel, isKept: isKept, priority: priority,
        expiration: expiration, isForAll: isForAll))
    return UInt64(messages.count - 1)
  }

  func kept(_ number: UInt64) { newest[messages[Int(number)].channel] = number }

  func answered(_ number: UInt64) { messages[Int(number)].isAnswered = true }

  func arrived(
    _ notification: LinkNotification, for channel: LinkChannel, on device: SimulatedDevice
  ) {
    let number = notification.uniqueID.low
    guard messages.indices.contains(Int(number)) else {
      return world.fail("there is no broadcast \(number)")
    }
    let message = messages[Int(number)]
    world.expect(message.channel == channel, "broadcast \(number) came through another channel")
    world.expect(device.wants(channel), "broadcast \(number) came to one who left its channel")
    world.expect(
      message.priority == notification.priority, "broadcast \(number) has another priority")
    world.expect(
      notification.payload.elementsEqual("broadcast \(number)".utf8),
      "broadcast \(number) has another payload")
    world.expect(
      notification.isFromStorage == false || message.isKept,
      "broadcast \(number) came from a store that it was never in")
  }

  func shown(_ number: UInt64, on device: SimulatedDevice) {
    let departures = device.departures[messages[Int(number)].channel] ?? 0
    messages[Int(number)].shown[device.number, default: [:]][departures, default: 0] += 1
    let id = NotificationID(high: Self.idHigh, low: number)
    world.expect(
      messages[Int(number)].shown[device.number]?[departures] == 1 || !device.remembers(id),
      "device \(device.number) shows broadcast \(number) twice")
  }

  // MARK: The end

  /// Whoever is subscribed has the newest message that a channel keeps, and what came when all was well.
  func check() {
    let now = world.time.unixMilliseconds / 1_000
    for device in world.devices {
      for (channel, number) in newest where device.wants(channel) {
        let message = messages[Int(number)]
        guard message.expiration > now + 60 else { continue }
        world.expect(
          message.shown[device.number] != nil,
          "device \(device.number) never got broadcast \(number), the newest of its channel")
      }
      for message in messages where message.isForAll && device.wants(message.channel) {
        world.expect(message.isAnswered, "broadcast \(message.number) was not answered")
        // A newer one may stand for an older one that is kept.
        let isReplaced = message.isKept && newest[message.channel] != message.number
        world.expect(
          message.shown[device.number] != nil || isReplaced,
          "device \(device.number) never got broadcast \(message.number)")
      }
    }
  }
}
