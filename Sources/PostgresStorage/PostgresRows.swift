internal import CPostgreSQL

/// The rows that a statement returned, in PostgreSQL's binary format.
@safe final class PostgresRows: @unchecked Sendable {
  // Sendable: the result never changes.

  private let result: OpaquePointer

  /// Takes ownership of a result.
  init(_ result: OpaquePointer) { unsafe self.result = result }

  deinit { unsafe PQclear(result) }

  /// The number of rows.
  var count: Int { Int(unsafe PQntuples(result)) }

  /// Returns the value of a `bigint`, `integer`, `smallint`, or `boolean` column; 0 for null.
  func integer(_ row: Int, _ column: Int) -> Int64 {
    let bytes = bytes(row, column)
    guard let first = bytes.first else { return 0 }
    assert(bytes.count <= 8, "the column has an integer type")
    // The sign of a narrower number extends to all 64 bits; a Boolean is never negative.
    let start: Int64 = bytes.count > 1 && first >= 0x80 ? -1 : 0
    return bytes.prefix(8).reduce(start) { $0 << 8 | Int64($1) }
  }

  /// Returns the bits of a `bigint` column as an unsigned number.
  func bits(_ row: Int, _ column: Int) -> UInt64 { UInt64(bitPattern: integer(row, column)) }

  /// Returns true if the value is null.
  func isNull(_ row: Int, _ column: Int) -> Bool {
    precondition(row >= 0 && row < count, "a row is read only if it exists")
    return unsafe PQgetisnull(result, Int32(row), Int32(column)) == 1
  }

  /// Returns the value of a `bigint` column; nil for null.
  func optionalInteger(_ row: Int, _ column: Int) -> Int64? {
    isNull(row, column) ? nil : integer(row, column)
  }

  /// Returns the value of a `text` column; empty for null.
  func text(_ row: Int, _ column: Int) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// Returns the value of a `text` column; nil for null.
  func optionalText(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : text(row, column)
  }

  /// Returns the elements of a `text[]` column without nulls; nil if the value has another form.
  func texts(_ row: Int, _ column: Int) -> [String]? {
    var rest = bytes(row, column)[...]
    func next() -> Int? {
      guard rest.count >= 4 else { return nil }
      let value = rest.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      rest = rest.dropFirst(4)
      return Int(Int32(bitPattern: value))
    }
    // The dimensions, whether there are nulls, and the type; then the number of elements, and the first index.
    guard let dimensions = next(), next() == 0, next() != nil else { return nil }
    guard dimensions > 0 else { return [] }
    guard dimensions == 1, let count = next(), next() != nil, count >= 0, count <= rest.count
    else { return nil }
    var texts: [String] = []
    for _ in 0..<count {
      guard let length = next(), length >= 0, length <= rest.count else { return nil }
      texts.append(String(decoding: rest.prefix(length), as: UTF8.self))
      rest = rest.dropFirst(length)
    }
    assert(rest.isEmpty, "an array ends with its last element")
    return texts
  }

  /// Returns the bytes of a column, or nil for null.
  func optionalBytes(_ row: Int, _ column: Int) -> [UInt8]? {
    isNull(row, column) ? nil : bytes(row, column)
  }

  /// Returns the bytes of a column; empty for null.
  func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    precondition(row >= 0 && row < count, "a row is read only if it exists")
    assert(
      column >= 0 && column < Int(unsafe PQnfields(result)), "the statement selects the column")
    let length = Int(unsafe PQgetlength(result, Int32(row), Int32(column)))
    guard length > 0, let value = unsafe PQgetvalue(result, Int32(row), Int32(column)) else {
      return []
    }
    return unsafe UnsafeRawBufferPointer(start: value, count: length).map { $0 }
  }
}
