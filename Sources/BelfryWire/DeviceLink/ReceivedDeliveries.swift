/// The deliveries that a device has received, and the acknowledgements that it owes.
///
/// A notification is delivered once. It is in `unpersisted` until it is on disk; from then on its unique id is
/// remembered, also on later connections, however many come meanwhile that are not kept.
struct ReceivedDeliveries {
  private(set) var memory: ReceivedMemory
  /// Delivered and not yet on disk; a delivery of 0 means that this connection has not repeated it.
  private var unpersisted: [(id: NotificationID, delivery: UInt32)] = []
  private var last: UInt32 = 0
  private var acknowledged: UInt32 = 0

  init(memory: ReceivedMemory) { self.memory = memory }

  /// Counts the next delivery; `false` where its number is not the next.
  mutating func accept(_ delivery: UInt32) -> Bool {
    guard last < .max, delivery == last + 1 else { return false }
    last = delivery
    return true
  }

  /// Returns whether the notification, whose delivery was counted, is new.
  mutating func isNew(_ id: NotificationID, delivery: UInt32) -> Bool {
    if let index = unpersisted.firstIndex(where: { $0.id == id }) {
      unpersisted[index].delivery = delivery
      return false
    }
    guard !memory.contains(id) else { return false }
    unpersisted.append((id, delivery))
    return true
  }

  /// Notes that the notification is on disk: from now on it is among the latest that were kept.
  mutating func onPersisted(_ id: NotificationID) {
    guard let index = unpersisted.firstIndex(where: { $0.id == id }) else { return }
    unpersisted.remove(at: index)
    memory.insert(id)
  }

  /// Forgets a notification that could not be stored, which is new when it comes again; returns its delivery's
  /// number on this connection, or `nil`.
  mutating func onDiscarded(_ id: NotificationID) -> UInt32? {
    guard let index = unpersisted.firstIndex(where: { $0.id == id }) else { return nil }
    let delivery = unpersisted.remove(at: index).delivery
    return delivery == 0 ? nil : delivery
  }

  /// The number to acknowledge; `nil` where nothing new is.
  var acknowledgeable: UInt32? {
    var through = last
    for entry in unpersisted where entry.delivery != 0 && entry.delivery <= through {
      through = entry.delivery - 1
    }
    return through > acknowledged ? through : nil
  }

  /// Deliveries that an acknowledgement would cover now.
  var owed: Int { acknowledgeable.map { Int($0 - acknowledged) } ?? 0 }

  /// An acknowledgement up to `number` was written.
  mutating func acknowledge(through number: UInt32) {
    assert(number > acknowledged && number <= last, "\(number) is acknowledged out of order")
    acknowledged = number
  }

  /// The connection is gone, and its numbers with it.
  mutating func disconnected() {
    last = 0
    acknowledged = 0
    for index in unpersisted.indices { unpersisted[index].delivery = 0 }
  }

  /// Asserts what holds between calls.
  func checkInvariants() {
    memory.checkInvariants()
    assert(acknowledged <= last, "\(acknowledged) is acknowledged, and \(last) the last to come")
    assert(Set(unpersisted.map(\.id)).count == unpersisted.count, "one is handed out twice")
    for entry in unpersisted {
      assert(!memory.contains(entry.id), "one that is kept waits for being kept")
      assert(entry.delivery <= last, "delivery \(entry.delivery) has not come yet")
      assert(
        entry.delivery == 0 || entry.delivery > acknowledged,
        "delivery \(entry.delivery) is acknowledged, and not kept")
    }
  }
}
