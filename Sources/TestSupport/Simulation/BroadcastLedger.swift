import PushWire
import Gateway
import Storage

/// A ledger of the promises about each broadcast and of its outcome on each device.
final class BroadcastLedger {
  struct Message {
    let number: UInt64
    let channel: LinkChannel
    let isKept: Bool
    let priority: UInt8
    /// The expiration in seconds since 1970.
    let expiration: Int64
    /// True if the broadcast was sent after all faults had stopped; every subscriber must then receive it.
    let isForAll: Bool
    /// The devices that had a large backlog when the broadcast was sent.
    ///
    /// Such a device might have no capacity for a broadcast with a single delivery attempt.
    let laggards: Set<UInt64>
    var isAnswered = false
    var isStored = false
    /// The number of times that each device displayed the broadcast.
    ///
    /// The inner key is the number of times that the device had previously left the channel.
    var shown: [UInt64: [Int: Int]] = [:]
  }

  private unowned let world: GatewaySimulation
  private(set) var messages: [Message] = []
  /// The newest message on disk for each channel that stores its messages.
  private var newest: [LinkChannel: UInt64] = [:]

  init(in world: GatewaySimulation) { self.world = world }

  /// Records a new message and returns its number, which the payload contains.
  func open(
    _ channel: LinkChannel, isKept: Bool, priority: UInt8, expiration: Int64, isForAll: Bool
  ) -> UInt64 {
    let laggards = isForAll && !isKept ? try? world.gateway.notificationStore.devices() : nil
    messages.append(
      Message(
        number: UInt64(messages.count), channel: channel, isKept: isKept, priority: priority,
        expiration: expiration, isForAll: isForAll, laggards: Set(laggards ?? [])))
    return UInt64(messages.count - 1)
  }

  /// Records that a channel's message is on disk.
  func stored(_ record: BroadcastRecord) {
    guard let number = GatewaySimulation.broadcast(record.payload) else {
      return world.fail("the gateway stored a broadcast that no provider sent")
    }
    world.note("broadcast \(number) is on disk")
    messages[Int(number)].isStored = true
    newest[messages[Int(number)].channel] = number
  }

  /// Handles the restoration of an older control store, which replaces the messages that are stored for channels.
  func restored() { newest = [:] }

  func answered(_ number: UInt64) {
    let message = messages[Int(number)]
    world.note("broadcast \(number) was answered with 200")
    world.expect(!message.isAnswered, "broadcast \(number) was answered twice")
    world.expect(
      !message.isKept || message.isStored || isTooLate(message) || world.profile.hasUnevenClocks,
      "broadcast \(number) was answered with 200, although it is not on disk")
    messages[Int(number)].isAnswered = true
  }

  /// Returns true if the message might have expired before the provider sent it.
  ///
  /// The gateway makes a single delivery attempt for such a message.
  private func isTooLate(_ message: Message) -> Bool {
    message.expiration <= world.time.unixMilliseconds / 1_000
  }

  func refused(_ number: UInt64, status: Int, _ reason: String) {
    world.note("broadcast \(number) was answered with \(status) \(reason)")
    world.expect(
      world.isTroubled || world.wasTroubledLately,
      "broadcast \(number) was answered with \(status) \(reason) without a recent fault")
  }

  func arrived(
    _ notification: LinkNotification, for channel: LinkChannel, on device: SimulatedDevice
  ) {
    guard let number = GatewaySimulation.broadcast(Array(notification.payload)),
      messages.indices.contains(Int(number))
    else { return world.fail("device \(device.index) received a broadcast that no provider sent") }
    let message = messages[Int(number)]
    world.expect(message.channel == channel, "broadcast \(number) arrived on another channel")
    world.expect(
      device.wants(channel),
      "broadcast \(number) arrived on a device that is not subscribed to its channel")
    world.expect(
      message.priority == notification.priority,
      "broadcast \(number) has priority \(notification.priority), not \(message.priority)")
    world.expect(
      notification.isFromStorage == false || message.isKept,
      "broadcast \(number) was delivered from storage, although it must not be stored")
  }

  func shown(_ number: UInt64, _ id: NotificationID, on device: SimulatedDevice) {
    let departures = device.departures[messages[Int(number)].channel] ?? 0
    messages[Int(number)].shown[device.number, default: [:]][departures, default: 0] += 1
    world.expect(
      messages[Int(number)].shown[device.number]?[departures] == 1 || !device.remembers(id),
      "device \(device.number) displayed broadcast \(number) twice")
  }

  // MARK: The end of the run

  /// Checks that every subscriber has the newest message that a channel stores, and all messages sent after the faults
  /// stopped.
  func check() {
    let now = world.time.unixMilliseconds / 1_000
    // Some devices have not yet finished receiving thousands of pushes.
    let laggards = Set((try? world.gateway.notificationStore.devices()) ?? [])
    for device in world.devices where !device.mayBeRevoked && !laggards.contains(device.number) {
      for (channel, number) in newest where device.wants(channel) {
        let message = messages[Int(number)]
        guard message.expiration > now + 60, !world.profile.hasUnevenClocks else { continue }
        world.expect(
          message.shown[device.number] != nil,
          "device \(device.number) never displayed broadcast \(number), the newest on its channel")
      }
      for message in messages where message.isForAll && device.wants(message.channel) {
        world.expect(message.isAnswered, "broadcast \(message.number) was not answered with 200")
        // A newer message can replace an older stored message.
        let isReplaced = message.isKept && newest[message.channel] != message.number
        world.expect(
          message.shown[device.number] != nil || isReplaced
            || message.laggards.contains(device.number),
          "device \(device.number) never displayed broadcast \(message.number)")
      }
    }
  }
}
