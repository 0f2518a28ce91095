extension Span<UInt8> {
  /// Returns true if these bytes are equal to the bytes of `text`.
  @inlinable public func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    let other = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    for index in indices where unsafe self[index] != other[index] { return false }
    return true
  }

  /// Returns true if these bytes are equal to the bytes of `other`.
  @inlinable public func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let (one, two) = unsafe (bytes, other.bytes)
    var index = 0
    while index &+ 8 <= count {
      // The bounds are checked, and any eight bytes form a valid integer.
      let word = unsafe one.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard unsafe word == two.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) else {
        return false
      }
      index &+= 8
    }
    while index < count {
      guard self[index] == other[index] else { return false }
      index &+= 1
    }
    return true
  }

  /// Returns true if these bytes are equal to the bytes of `text`, ignoring the case of ASCII letters.
  @inlinable public func equalsIgnoringCase(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    let other = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    for index in indices {
      let byte = self[index]
      let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
      if unsafe lower != other[index] { return false }
    }
    return true
  }

  /// Returns a copy that can outlive the span.
  @inlinable public func copied() -> [UInt8] {
    unsafe withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }

  /// The bytes as text, with malformed UTF-8 replaced.
  ///
  /// Use this text in messages to users, never for decisions.
  public var text: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
