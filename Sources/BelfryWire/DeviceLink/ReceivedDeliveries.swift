/// What one device has received and owes acknowledgements for.
///
/// A notification is handed out once: until it is kept it stands in `unkept`, and its unique id is
/// remembered from then on, over connections.
struct ReceivedDeliveries {
  private(set) var memory: ReceivedMemory
  /// Handed out and not kept yet; a delivery of 0 means that this connection has not repeated it.
  private var unkept: [(id: NotificationID, delivery: UInt32)] = []
  private var last: UInt32 = 0
  private var acknowledged: UInt32 = 0

  init(memory: ReceivedMemory) { self.memory = memory }

  /// Takes the next delivery's number; `false` where it is not the next.
  mutating func take(_ delivery: UInt32) -> Bool {
    guard last < .max, delivery == last + 1 else { return false }
    last = delivery
    return true
  }

  /// Whether the notification, whose number was taken, has to be handed out.
  mutating func isNew(_ id: NotificationID, delivery: UInt32) -> Bool {
    if memory.contains(id) {
      if let index = unkept.firstIndex(where: { $0.id == id }) { unkept[index].delivery = delivery }
      return false
    }
    memory.insert(id)
    unkept.append((id, delivery))
    return true
  }

  /// The notification is kept.
  mutating func kept(_ id: NotificationID) {
    unkept.removeAll { $0.id == id }
  }

  /// The notification was thrown away; its delivery's number on this connection, or `nil`.
  mutating func dropped(_ id: NotificationID) -> UInt32? {
    guard let index = unkept.firstIndex(where: { $0.id == id }) else { return nil }
    let delivery = unkept.remove(at: index).delivery
    return delivery == 0 ? nil : delivery
  }

  /// The number to acknowledge; `nil` where nothing new is.
  var acknowledgeable: UInt32? {
    var through = last
    for entry in unkept where entry.delivery != 0 && entry.delivery <= through {
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
    for index in unkept.indices { unkept[index].delivery = 0 }
  }

  /// Asserts what holds between calls.
  func checkInvariants() {
    memory.checkInvariants()
    assert(acknowledged <= last, "\(acknowledged) is acknowledged, and \(last) the last to come")
    assert(Set(unkept.map(\.id)).count == unkept.count, "one is handed out twice")
    for entry in unkept {
      assert(entry.delivery <= last, "delivery \(entry.delivery) has not come yet")
      assert(
        entry.delivery == 0 || entry.delivery > acknowledged,
        "delivery \(entry.delivery) is acknowledged, and not kept")
    }
  }
}
