/// The notifications that were added to a server's history, keyed by their numbers in that history.
///
/// The agent chooses high numbers, which a server that accepts its callers' numbers does not assign itself.
struct ServerHistory {
  private static let firstNumber: UInt32 = 1 << 30

  private var entries: [UInt32: Presentation] = [:]
  private var nextNumber = firstNumber

  subscript(number: UInt32) -> Presentation? { entries[number] }

  /// Assigns a number to a notification; an updated notification keeps its number.
  mutating func add(_ presentation: Presentation) -> UInt32 {
    let number = number(of: presentation.key) ?? nextNumber
    if number == nextNumber { nextNumber += 1 }
    entries[number] = presentation
    if entries.count > Limits.historyRemembered, let oldest = entries.keys.min() {
      entries[oldest] = nil
    }
    assert(entries[number] != nil, "an added notification is remembered")
    return number
  }

  /// Removes a notification and returns its number.
  mutating func remove(_ key: AppNotificationID) -> UInt32? {
    guard let number = number(of: key) else { return nil }
    entries[number] = nil
    return number
  }

  private func number(of key: AppNotificationID) -> UInt32? {
    entries.first { $0.value.key == key }?.key
  }
}
