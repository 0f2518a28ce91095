internal import CPostgreSQL

/// A parameter of a statement, in PostgreSQL's binary format.
struct PostgresValue {
  /// The object identifier of the parameter's type.
  let type: Oid
  /// The value, in network byte order; nil for null.
  let bytes: [UInt8]?

  private static let int8Type: Oid = 20
  private static let byteaType: Oid = 17
  private static let textType: Oid = 25
  private static let int8ArrayType: Oid = 1016
  private static let byteaArrayType: Oid = 1001
  private static let textArrayType: Oid = 1009

  private init(_ type: Oid, _ bytes: [UInt8]?) {
    self.type = type
    self.bytes = bytes
  }

  /// Returns a `bigint`.
  static func integer(_ value: Int64) -> PostgresValue {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return PostgresValue(int8Type, bytes)
  }

  /// Returns a `bigint` with the same bits as an unsigned number.
  static func bits(_ value: UInt64) -> PostgresValue { integer(Int64(bitPattern: value)) }

  /// Returns a `bigint`; nil becomes null.
  static func integer(_ value: Int64?) -> PostgresValue {
    value.map { integer($0) } ?? PostgresValue(int8Type, nil)
  }

  /// Returns a `bigint` with the same bits as an unsigned number; nil becomes null.
  static func bits(_ value: UInt64?) -> PostgresValue {
    integer(value.map { Int64(bitPattern: $0) })
  }

  /// Returns a `text`; nil becomes null.
  ///
  /// PostgreSQL's texts cannot contain the character U+0000, so this method removes it.
  static func text(_ value: String?) -> PostgresValue {
    PostgresValue(textType, value.map { $0.utf8.filter { $0 != 0 } })
  }

  /// Returns a `bytea`; nil becomes null.
  static func data(_ value: [UInt8]?) -> PostgresValue { PostgresValue(byteaType, value) }

  /// Returns a `bigint[]`.
  static func integers(_ values: some Collection<Int64>) -> PostgresValue {
    var bytes = arrayHeader(int8Type, count: values.count, reserving: values.count * 12)
    for value in values {
      append(Int32(8), to: &bytes)
      append(value, to: &bytes)
    }
    return PostgresValue(int8ArrayType, bytes)
  }

  /// Returns a `bytea[]`; nil becomes null.
  static func datas(_ values: some Collection<[UInt8]?>) -> PostgresValue {
    let size = values.reduce(0) { $0 + ($1?.count ?? 0) + 4 }
    let hasNulls = values.contains { $0 == nil }
    var bytes = arrayHeader(
      byteaType, count: values.count, hasNulls: hasNulls, reserving: size)
    for value in values {
      guard let value else {
        append(Int32(-1), to: &bytes)
        continue
      }
      append(Int32(value.count), to: &bytes)
      bytes += value
    }
    return PostgresValue(byteaArrayType, bytes)
  }

  /// Returns a `text[]`; nil becomes null.
  ///
  /// Like ``text(_:)``, this method removes the character U+0000.
  static func texts(_ values: some Collection<String?>) -> PostgresValue {
    let size = values.reduce(0) { $0 + ($1?.utf8.count ?? 0) + 4 }
    let hasNulls = values.contains { $0 == nil }
    var bytes = arrayHeader(
      textType, count: values.count, hasNulls: hasNulls, reserving: size)
    for value in values {
      guard let utf8 = value?.utf8.filter({ $0 != 0 }) else {
        append(Int32(-1), to: &bytes)
        continue
      }
      append(Int32(utf8.count), to: &bytes)
      bytes += utf8
    }
    return PostgresValue(textArrayType, bytes)
  }

  /// Returns the header of an array with one dimension; an array without elements has no dimension.
  private static func arrayHeader(
    _ element: Oid, count: Int, hasNulls: Bool = false, reserving size: Int
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + 20)
    append(Int32(count == 0 ? 0 : 1), to: &bytes)
    append(Int32(hasNulls ? 1 : 0), to: &bytes)
    append(Int32(bitPattern: element), to: &bytes)
    guard count > 0 else { return bytes }
    append(Int32(count), to: &bytes)
    append(Int32(1), to: &bytes)
    return bytes
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    var shift = value.bitWidth - 8
    while shift >= 0 {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
      shift -= 8
    }
  }
}
