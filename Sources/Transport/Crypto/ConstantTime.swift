/// Comparisons whose duration tells nothing about the bytes.
public enum ConstantTime {
  /// Whether both hold the same bytes.
  ///
  /// The time depends on their counts alone.
  public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for index in one.indices { difference |= one[index] ^ other[index] }
    return difference == 0
  }
}
