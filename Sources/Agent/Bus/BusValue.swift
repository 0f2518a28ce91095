/// A D-Bus value with its type.
package indirect enum BusValue: Hashable, Sendable {
  case byte(UInt8)
  case bool(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case path(String)
  case signature(String)
  /// A descriptor that belongs to the message; copy it to keep it.
  case descriptor(Int32)
  case bytes([UInt8])
  /// An array: the elements' type, then the elements.
  case array(String, [BusValue])
  case dictionary(String, String, [Pair])
  case structure([BusValue])
  case variant(BusValue)

  /// One entry of a dictionary.
  package struct Pair: Hashable, Sendable {
    let key: BusValue
    package let value: BusValue
  }

  /// Returns an array of strings.
  static func strings(_ strings: [String]) -> BusValue { .array("s", strings.map(BusValue.string)) }

  /// Returns a dictionary of type `a{sv}` in the given order.
  static func vardict(_ pairs: [(String, BusValue)]) -> BusValue {
    .dictionary("s", "v", pairs.map { Pair(key: .string($0.0), value: .variant($0.1)) })
  }

  package var signature: String {
    switch self {
    case .byte: "y"
    case .bool: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .dictionary(let key, let value, _): "a{\(key)\(value)}"
    case .structure(let members): "(" + members.map(\.signature).joined() + ")"
    case .variant: "v"
    }
  }

  package var stringValue: String? {
    switch self {
    case .string(let text), .path(let text), .signature(let text): text
    case .variant(let value): value.stringValue
    default: nil
    }
  }

  package var boolValue: Bool? {
    switch self {
    case .bool(let value): value
    case .variant(let value): value.boolValue
    default: nil
    }
  }

  package var unsignedValue: UInt64? {
    switch self {
    case .byte(let value): UInt64(value)
    case .uint16(let value): UInt64(value)
    case .uint32(let value): UInt64(value)
    case .uint64(let value): value
    case .int32(let value): UInt64(exactly: value)
    case .int64(let value): UInt64(exactly: value)
    case .variant(let value): value.unsignedValue
    default: nil
    }
  }

  package var doubleValue: Double? {
    switch self {
    case .double(let value): value
    case .variant(let value): value.doubleValue
    default: nil
    }
  }

  package var bytesValue: [UInt8]? {
    switch self {
    case .bytes(let bytes): bytes
    case .variant(let value): value.bytesValue
    default: nil
    }
  }

  /// A dictionary's entries; empty for anything else.
  package var pairs: [Pair] {
    switch self {
    case .dictionary(_, _, let pairs): pairs
    case .variant(let value): value.pairs
    default: []
    }
  }

  package var stringsValue: [String]? {
    switch self {
    case .array(_, let elements): elements.compactMap(\.stringValue)
    case .variant(let value): value.stringsValue
    default: nil
    }
  }

  /// Returns the value for a key of a dictionary with string keys.
  package subscript(key: String) -> BusValue? {
    switch self {
    case .dictionary(_, _, let pairs): pairs.first { $0.key.stringValue == key }?.value
    case .variant(let value): value[key]
    default: nil
    }
  }
}
