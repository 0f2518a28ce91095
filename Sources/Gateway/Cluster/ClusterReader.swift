import PushWire
import Storage

/// A reader of big-endian fields, which returns nil at the end of the bytes.
struct ClusterReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func take<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
    guard let bytes = take(bytes: Value.bitWidth / 8) else { return nil }
    var value: Value = 0
    for byte in bytes {
      value = Value.bitWidth == 8 ? Value(truncatingIfNeeded: byte) : value << 8 | Value(byte)
    }
    return value
  }

  mutating func take(bytes count: Int) -> ArraySlice<UInt8>? {
    assert(count >= 0, "the number of bytes is not negative")
    guard rest.count >= count else { return nil }
    defer {
      rest = rest.dropFirst(count)
      assert(rest.startIndex <= rest.endIndex, "the reader is within its bytes")
    }
    return rest.prefix(count)
  }

  /// Returns a text that follows its number of bytes; invalid UTF-8 is replaced.
  mutating func takeText() -> String? {
    guard let count = take(UInt16.self), let bytes = take(bytes: Int(count)) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns an `apns-id` and an `apns-unique-id`.
  mutating func takeIDs() -> (id: NotificationID, uniqueID: NotificationID)? {
    guard let high = take(UInt64.self), let low = take(UInt64.self),
      let isLowercase = take(UInt8.self), let uniqueHigh = take(UInt64.self),
      let uniqueLow = take(UInt64.self)
    else { return nil }
    return (
      NotificationID(high: high, low: low, isLowercase: isLowercase == 1),
      NotificationID(high: uniqueHigh, low: uniqueLow)
    )
  }

  /// Returns the number of a node; 0 would mean this node.
  mutating func takeNode() -> NodeNumber? {
    take(NodeNumber.self).flatMap { $0 == 0 ? nil : $0 }
  }
}
