import Storage

/// What a device may have got already: it is told so by its unique id, of which a device remembers only the
/// last ones. So it goes before what the device has not seen.
extension DeliveryCore {
  /// Remembers what a session leaves unacknowledged, as long as the gateway lives.
  func noteUnsettled(on device: DeviceDelivery) {
    for notification in device.inFlight where !notification.isDropped {
      switch notification.durability {
      case .staged, .committing, .stored: device.unsettled.insert(notification.sequence)
      case .none, .channel: break
      }
    }
  }

  /// Sorts what waits: repetitions, and the messages of channels that may be some, before the rest.
  func putRepetitionsFirst(on device: DeviceDelivery, of rows: [StoredNotification]) {
    guard !device.unsettled.isEmpty || device.waiting.contains(where: { $0.broadcast != nil })
    else { return }
    func isRepetition(_ notification: AcceptedNotification) -> Bool {
      device.unsettled.contains(notification.sequence) || notification.durability == .channel
    }
    let rest = device.waiting.filter { !isRepetition($0) }
    device.waiting.removeAll { !isRepetition($0) }
    device.waiting.append(contentsOf: rest)
    // What was replaced, expired or unregistered meanwhile is not sent again.
    var known = Set(rows.map(\.sequence))
    for notification in device.waiting + device.held { known.insert(notification.sequence) }
    device.unsettled.formIntersection(known)
  }
}
