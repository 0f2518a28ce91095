internal import BelfryWire

/// The value of a header field that a request collects, up to a limit.
struct CollectedField {
  /// The maximum number of bytes to record.
  let bytesMax: Int
  /// The value, or its beginning if the value is longer than the limit.
  private(set) var value: [UInt8] = []
  /// The number of fields with this name.
  private(set) var occurrences = 0
  /// True if the value is longer than the limit.
  private(set) var isTooLong = false

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Records the value of the first field with this name, and counts the others.
  mutating func record(_ value: Span<UInt8>) {
    occurrences += 1
    guard occurrences == 1 else { return }
    append(value)
  }

  /// Records a value that is a list, to which every field with this name contributes (RFC 9110 section 5.3).
  mutating func recordList(_ value: Span<UInt8>) {
    occurrences += 1
    guard !isTooLong else { return }
    if occurrences > 1 { self.value.append(UInt8(ascii: ",")) }
    append(value)
  }

  private mutating func append(_ added: Span<UInt8>) {
    let room = max(0, bytesMax - self.value.count)
    isTooLong = self.value.count + added.count > bytesMax
    self.value += added.extracting(0..<min(room, added.count)).copied()
    assert(self.value.count <= bytesMax + 1, "the value is within its limit, except for a comma")
  }
}
