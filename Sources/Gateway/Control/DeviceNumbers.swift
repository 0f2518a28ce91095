/// The numbers that one start of a gateway gives to new devices.
///
/// A number is the start's random epoch and a count. It stands in the device's certificate, in its
/// tokens and in both databases: so a folder that is restored from a copy, or has lost its control
/// store, gives no new device a number that another one has had since.
struct DeviceNumbers {
  /// Bits of a number that count within an epoch; with the epoch's it stays below 2^53, which every
  /// reader of JSON holds exactly.
  static let countBits: UInt64 = 22
  /// An epoch's bits.
  static let epochBits: UInt64 = 31

  private let numbers: Range<UInt64>
  private var used: UInt64 = 0

  /// The numbers of an epoch, none of them given yet.
  init(epoch: UInt32) {
    numbers = Self.numbers(ofEpoch: epoch)
    assert(numbers.upperBound <= 1 << (Self.countBits + Self.epochBits), "an epoch of 31 bits")
  }

  /// Every number that an epoch has; those of 0 are a former release's, which counted from 1.
  static func numbers(ofEpoch epoch: UInt32) -> Range<UInt64> {
    let first = UInt64(epoch) << countBits
    return first + 1..<first + (1 << countBits)
  }

  /// The next number; nil once all are given.
  mutating func next() -> UInt64? {
    guard used < UInt64(numbers.count) else { return nil }
    defer { used += 1 }
    return numbers.lowerBound + used
  }

  /// Whether a number is one that ``next()`` has yet to return.
  func isLeft(_ number: UInt64) -> Bool { numbers.dropFirst(Int(used)).contains(number) }
}
