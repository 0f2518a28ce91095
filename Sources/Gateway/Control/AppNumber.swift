internal import Storage

extension AppRecord {
  /// The numbers that new apps get: over what former releases counted to, and within the 28 bits that
  /// the link's handles have.
  private static let newNumbers: Range<UInt32> = 1 << 20..<1 << 28

  /// A random number that none of these apps has.
  ///
  /// Counted ones came again when the folder was restored from a copy, and with them tokens and what
  /// was stored for another app.
  static func drawNumber(
    besides apps: [AppRecord], using random: inout some RandomNumberGenerator
  ) -> UInt32 {
    let taken = Set(apps.map(\.number))
    assert(taken.count < newNumbers.count / 2, "there are more apps than a store holds")
    return drawNumber(using: &random, isTaken: taken.contains)
  }

  /// A random number that no app has.
  static func drawNumber(
    using random: inout some RandomNumberGenerator, isTaken: (UInt32) -> Bool
  ) -> UInt32 {
    while true {
      let number = UInt32.random(in: newNumbers, using: &random)
      if !isTaken(number) { return number }
    }
  }
}
