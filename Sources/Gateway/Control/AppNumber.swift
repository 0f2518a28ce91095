internal import Storage

extension AppRecord {
  /// The numbers for new apps: above the numbers that earlier releases assigned sequentially, and within the 28 bits of
  /// the link's handles.
  private static let newNumbers: Range<UInt32> = 1 << 20..<1 << 28

  /// Returns a random number that none of these apps has.
  ///
  /// If numbers were sequential, a gateway restored from a backup would assign some numbers a second time, and a new
  /// app would inherit tokens and notifications that were stored for another app.
  static func drawNumber(
    besides apps: [AppRecord], using random: inout some RandomNumberGenerator
  ) -> UInt32 {
    let taken = Set(apps.map(\.number))
    assert(taken.count < newNumbers.count / 2, "fewer than half of the app numbers are in use")
    return drawNumber(using: &random, isTaken: taken.contains)
  }

  /// Returns a random number that no app has.
  static func drawNumber(
    using random: inout some RandomNumberGenerator, isTaken: (UInt32) -> Bool
  ) -> UInt32 {
    while true {
      let number = UInt32.random(in: newNumbers, using: &random)
      if !isTaken(number) { return number }
    }
  }
}
