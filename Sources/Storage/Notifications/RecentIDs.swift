internal import PushWire

/// The IDs of the newest notifications, in memory.
///
/// A notification that ends is reported with its IDs. Reading them from a random page of the log takes as much time as
/// appending three records. Most notifications that are replaced or expire while the gateway is busy are among the
/// newest ones, so this cache, whose size is bounded, avoids most of these reads.
struct RecentIDs {
  private struct Slot {
    /// The position of the record, with the letter case of the ID in the highest bit; 0 if the slot is empty.
    var tag: UInt64 = 0
    var idHigh: UInt64 = 0
    var idLow: UInt64 = 0
    var uniqueHigh: UInt64 = 0
    var uniqueLow: UInt64 = 0
  }

  private static let lowercase: UInt64 = 1 << 63
  private static let slotsMin = 1 << 10
  /// The largest number of slots, which take up 21 MB.
  static let slotsMax = 1 << 19

  /// The slots; the number is a power of two, and the low bits of a position select its slot.
  private var slots = [Slot](repeating: Slot(), count: slotsMin)

  /// The number of slots.
  var slotCount: Int { slots.count }

  /// Adjusts the number of slots to the number of stored notifications.
  mutating func fit(rows: Int) {
    if rows * 2 > slots.count, slots.count < Self.slotsMax {
      resize(to: slots.count * 2)
    } else if rows * 16 < slots.count, slots.count > Self.slotsMin {
      resize(to: slots.count / 2)
    }
  }

  private mutating func resize(to count: Int) {
    assert(count & (count - 1) == 0, "the number of slots is a power of two")
    let former = slots
    slots = [Slot](repeating: Slot(), count: count)
    for slot in former where slot.tag != 0 {
      let index = Self.index(slot.tag, count)
      if slot.tag & ~Self.lowercase > slots[index].tag & ~Self.lowercase { slots[index] = slot }
    }
  }

  @inline(__always)
  private static func index(_ tag: UInt64, _ count: Int) -> Int {
    Int(truncatingIfNeeded: tag & UInt64(count - 1))
  }

  @inline(__always)
  mutating func insert(_ position: UInt64, _ id: NotificationID, _ uniqueID: NotificationID) {
    assert(position > 0 && position < Self.lowercase, "a position leaves room for the flag")
    slots[Self.index(position, slots.count)] = Slot(
      tag: id.isLowercase ? position | Self.lowercase : position, idHigh: id.high, idLow: id.low,
      uniqueHigh: uniqueID.high, uniqueLow: uniqueID.low)
  }

  /// Returns the IDs of the notification whose record is at a position, if they are known.
  @inline(__always)
  func ids(at position: UInt64) -> (id: NotificationID, uniqueID: NotificationID)? {
    let slot = slots[Self.index(position, slots.count)]
    guard slot.tag & ~Self.lowercase == position else { return nil }
    return (
      NotificationID(
        high: slot.idHigh, low: slot.idLow, isLowercase: slot.tag & Self.lowercase != 0),
      NotificationID(high: slot.uniqueHigh, low: slot.uniqueLow)
    )
  }
}
