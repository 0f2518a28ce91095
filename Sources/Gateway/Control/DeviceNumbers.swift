/// The numbers that a gateway assigns to new devices between one start and the next.
///
/// A number consists of the start's random epoch and a count. The device's certificate, its tokens, and both databases
/// contain the number.
///
/// The epoch prevents a number from being assigned twice. A gateway whose folder was restored from a backup, or has
/// lost its control store, doesn't know about every earlier device; without the epoch, it could assign such a device's
/// number to a new device.
struct DeviceNumbers {
  /// The number of bits of the count within an epoch.
  ///
  /// A number consists of these bits and the bits of the epoch. It stays below 2^53, which every JSON reader can
  /// represent exactly.
  static let countBits: UInt64 = 22
  /// The number of bits of an epoch.
  static let epochBits: UInt64 = 31

  private let numbers: Range<UInt64>
  private var used: UInt64 = 0

  /// Creates the numbers of an epoch, none of which has been assigned.
  init(epoch: UInt32) {
    numbers = Self.numbers(ofEpoch: epoch)
    assert(
      numbers.upperBound <= 1 << (Self.countBits + Self.epochBits),
      "device numbers fit in their bits")
  }

  /// Returns the numbers of an epoch.
  ///
  /// Epoch 0 belongs to an earlier release, which counted from 1.
  static func numbers(ofEpoch epoch: UInt32) -> Range<UInt64> {
    let first = UInt64(epoch) << countBits
    return first + 1..<first + (1 << countBits)
  }

  /// Returns the next number; nil once all are assigned.
  mutating func next() -> UInt64? {
    guard used < UInt64(numbers.count) else { return nil }
    defer { used += 1 }
    return numbers.lowerBound + used
  }

  /// Returns true if ``next()`` hasn't returned the number yet.
  func isLeft(_ number: UInt64) -> Bool { numbers.dropFirst(Int(used)).contains(number) }
}
