internal import PushWire

/// The IDs of the newest notifications, in memory.
///
/// A notification that ends is reported with its IDs. Reading them from a random page of the log takes as much time as
/// appending three records. Most notifications that are replaced or expire while the gateway is busy are among the
/// newest ones, so this cache, whose size is bounded, avoids most of these reads.
struct RecentIDs {
  /// The IDs of one notification, in 36 bytes.
  private struct Slot {
    /// The position of the record divided by the smallest number of slots, and then the letter case of the ID in the
    /// lowest bit; 0 if the slot is empty.
    var tag: UInt32 = 0
    var id: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    var uniqueID: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
  }

  private static let slotsMin = 1 << 16
  /// The largest number of slots, which take up 38 MB.
  static let slotsMax = 1 << 20

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
    for (index, slot) in former.enumerated() where slot.tag != 0 {
      let low = index & (Self.slotsMin - 1)
      let place = ((Int(slot.tag >> 1) - 1) * Self.slotsMin + low) & (count - 1)
      if slot.tag > slots[place].tag { slots[place] = slot }
    }
  }

  /// Returns the tag of a position, or nil for a position that is too large.
  @inline(__always)
  private static func tag(_ position: UInt64) -> UInt32? {
    // Add 1, so that no tag is 0.
    guard let number = UInt32(exactly: position / UInt64(slotsMin) + 1), number < 1 << 31 else {
      return nil
    }
    return number << 1
  }

  @inline(__always)
  private func index(_ position: UInt64) -> Int {
    Int(truncatingIfNeeded: position) & (slots.count - 1)
  }

  @inline(__always)
  mutating func insert(_ position: UInt64, _ id: NotificationID, _ uniqueID: NotificationID) {
    guard let tag = Self.tag(position) else { return }
    slots[index(position)] = Slot(
      tag: tag | (id.isLowercase ? 1 : 0), id: Self.words(id), uniqueID: Self.words(uniqueID))
  }

  /// Returns the IDs of the notification whose record is at a position, if they are known.
  @inline(__always)
  func ids(at position: UInt64) -> (id: NotificationID, uniqueID: NotificationID)? {
    let slot = slots[index(position)]
    guard slot.tag & ~1 == Self.tag(position) else { return nil }
    return (
      Self.id(slot.id, isLowercase: slot.tag & 1 != 0), Self.id(slot.uniqueID, isLowercase: false)
    )
  }

  @inline(__always)
  private static func words(_ id: NotificationID) -> (UInt32, UInt32, UInt32, UInt32) {
    (
      UInt32(truncatingIfNeeded: id.high >> 32), UInt32(truncatingIfNeeded: id.high),
      UInt32(truncatingIfNeeded: id.low >> 32), UInt32(truncatingIfNeeded: id.low)
    )
  }

  @inline(__always)
  private static func id(
    _ words: (UInt32, UInt32, UInt32, UInt32), isLowercase: Bool
  ) -> NotificationID {
    NotificationID(
      high: UInt64(words.0) << 32 | UInt64(words.1), low: UInt64(words.2) << 32 | UInt64(words.3),
      isLowercase: isLowercase)
  }
}
