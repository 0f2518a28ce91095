package import Scheduling

/// The stored form of the schedule: one record per entry, and one for the clock.
package enum ScheduleRecord {
  /// A change to write in the same transaction as its consequences.
  enum Change: Hashable, Sendable {
    case put(key: String, [UInt8])
    case remove(key: String)
  }

  /// The key of the clock's record, which no entry uses.
  package static let clockKey = ""

  /// Returns the key of an entry's record; an app's ID contains no newline.
  static func key(_ key: ScheduleKey) -> String { "\(key.app)\n\(key.id)" }

  static func put(_ entry: ScheduleEntry) -> Change { .put(key: key(entry.key), value(entry)) }

  static func remove(_ key: ScheduleKey) -> Change { .remove(key: self.key(key)) }

  /// Encodes an entry as three eight-byte numbers, followed by the trigger.
  static func value(_ entry: ScheduleEntry) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in [UInt64(bitPattern: entry.since), UInt64(bitPattern: entry.handled), entry.order]
    {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: number >> shift))
      }
    }
    return bytes + entry.trigger.bytes
  }

  /// Reads an entry; returns nil if it is damaged.
  package static func entry(key: String, value: [UInt8]) -> ScheduleEntry? {
    guard let line = key.utf8.firstIndex(of: UInt8(ascii: "\n")), value.count > 24,
      let trigger = Trigger(bytes: Array(value[24...]).span)
    else { return nil }
    var numbers: [UInt64] = []
    for start in [0, 8, 16] {
      numbers.append(value[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) })
    }
    return ScheduleEntry(
      key: ScheduleKey(app: String(key[..<line]), id: String(key[key.utf8.index(after: line)...])),
      trigger: trigger, since: Int64(bitPattern: numbers[0]),
      handled: Int64(bitPattern: numbers[1]), order: numbers[2])
  }
}
