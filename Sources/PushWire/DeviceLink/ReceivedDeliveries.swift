/// The deliveries that a device has received, and the acknowledgments that it still has to send.
///
/// Each notification is delivered to the app only once. The notification's unique ID is in `unpersisted` until the
/// notification is on disk. The device then remembers the ID, even on later connections. A notification that is not
/// stored never displaces a remembered ID.
struct ReceivedDeliveries {
  private(set) var memory: ReceivedMemory
  /// The notifications that have been delivered but are not yet on disk.
  ///
  /// A notification without delivery numbers arrived on an earlier connection, and has not been sent again on the current
  /// connection. A gateway of a cluster can send a notification twice on one connection. Neither delivery can be
  /// acknowledged before the notification is on disk.
  private var unpersisted: [(id: NotificationID, deliveries: [UInt32])] = []
  private var last: UInt32 = 0
  private var acknowledged: UInt32 = 0

  init(memory: ReceivedMemory) { self.memory = memory }

  /// Counts the next delivery.
  ///
  /// Returns `false` if `delivery` is not the expected number.
  mutating func accept(_ delivery: UInt32) -> Bool {
    guard last < .max, delivery == last + 1 else { return false }
    last = delivery
    return true
  }

  /// Returns true if the notification is new; its delivery was already counted.
  mutating func isNew(_ id: NotificationID, delivery: UInt32) -> Bool {
    if let index = unpersisted.firstIndex(where: { $0.id == id }) {
      unpersisted[index].deliveries.append(delivery)
      return false
    }
    guard !memory.contains(id) else { return false }
    unpersisted.append((id, [delivery]))
    return true
  }

  /// Records that the notification is on disk, and remembers its unique ID.
  mutating func onPersisted(_ id: NotificationID) {
    guard let index = unpersisted.firstIndex(where: { $0.id == id }) else { return }
    unpersisted.remove(at: index)
    memory.insert(id)
  }

  /// Forgets a notification that could not be stored, so that it counts as new when it is delivered again.
  ///
  /// Returns the notification's delivery numbers on this connection.
  mutating func onDiscarded(_ id: NotificationID) -> [UInt32] {
    guard let index = unpersisted.firstIndex(where: { $0.id == id }) else { return [] }
    return unpersisted.remove(at: index).deliveries
  }

  /// The number to acknowledge, or `nil` if no further delivery can be acknowledged.
  var acknowledgeable: UInt32? {
    var through = last
    for case let delivery? in unpersisted.lazy.map(\.deliveries.first) where delivery <= through {
      through = delivery - 1
    }
    return through > acknowledged ? through : nil
  }

  /// The number of deliveries that an acknowledgment sent now would cover.
  var owed: Int { acknowledgeable.map { Int($0 - acknowledged) } ?? 0 }

  /// Records that an acknowledgment up to `number` was written.
  mutating func acknowledge(through number: UInt32) {
    assert(number > acknowledged && number <= last, "acknowledgments are in order: \(number)")
    acknowledged = number
  }

  /// Discards the delivery numbers of the lost connection.
  mutating func disconnected() {
    last = 0
    acknowledged = 0
    for index in unpersisted.indices { unpersisted[index].deliveries = [] }
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    memory.checkInvariants()
    assert(
      acknowledged <= last,
      "the acknowledged delivery \(acknowledged) is not after the last one, \(last)")
    assert(
      Set(unpersisted.map(\.id)).count == unpersisted.count,
      "every unpersisted notification is listed only once")
    for entry in unpersisted {
      assert(!memory.contains(entry.id), "a remembered notification is not listed as unpersisted")
      assert(
        zip(entry.deliveries, entry.deliveries.dropFirst()).allSatisfy { $0 < $1 },
        "the deliveries \(entry.deliveries) are in order")
      assert(
        entry.deliveries.allSatisfy { $0 > acknowledged && $0 <= last },
        "the unpersisted deliveries \(entry.deliveries) were received, but are not acknowledged")
    }
  }
}
