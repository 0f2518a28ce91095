/// Comparisons whose duration doesn't depend on the bytes.
public enum ConstantTime {
  /// Returns true if both arrays have the same bytes.
  ///
  /// The duration depends only on the lengths of the arrays.
  public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for index in one.indices { difference |= one[index] ^ other[index] }
    return difference == 0
  }
}
