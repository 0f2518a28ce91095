/// Small numbers for the pairs of app and kind that stored notifications have, so that each row of the index needs only
/// three bytes for them.
struct KeyNames {
  /// The largest number.
  static let numberMax: UInt32 = 1 << 24 - 1

  private struct Name {
    var app: UInt32
    var kind: UInt8
    /// The number of rows with this name; a name without rows can be replaced.
    var count: Int
  }

  private var names: [Name] = []
  private var numbers: [UInt64: UInt32] = [:]
  private var unused: [UInt32] = []

  private static func pair(_ app: UInt32, _ kind: UInt8) -> UInt64 {
    UInt64(app) << 8 | UInt64(kind)
  }

  /// Returns the number of a name, or nil if no row has the name.
  func number(app: UInt32, kind: UInt8) -> UInt32? { numbers[Self.pair(app, kind)] }

  /// Adds a row with this name, and returns the name's number; nil if there are more names than numbers.
  mutating func add(app: UInt32, kind: UInt8) -> UInt32? {
    let pair = Self.pair(app, kind)
    if let number = numbers[pair] {
      names[Int(number)].count += 1
      return number
    }
    let name = Name(app: app, kind: kind, count: 1)
    if let number = unused.popLast() {
      names[Int(number)] = name
      numbers[pair] = number
      return number
    }
    guard let number = UInt32(exactly: names.count), number <= Self.numberMax else { return nil }
    names.append(name)
    numbers[pair] = number
    return number
  }

  /// Removes a row with this number.
  mutating func remove(_ number: UInt32) {
    let index = Int(number)
    assert(names[index].count > 0, "a name has rows until the last one is removed")
    names[index].count -= 1
    guard names[index].count == 0 else { return }
    numbers[Self.pair(names[index].app, names[index].kind)] = nil
    unused.append(number)
  }

  /// Returns the app and the kind of a number that a row has.
  func name(_ number: UInt32) -> (app: UInt32, kind: UInt8) {
    let name = names[Int(number)]
    assert(name.count > 0, "the name has a row")
    return (name.app, name.kind)
  }
}
