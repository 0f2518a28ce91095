internal import CRowChecksum

/// The CRC-32C checksum of rows.
enum Checksum {
  /// Returns true if the high half of `checksum` matches the first columns of `row`.
  ///
  /// These columns must contain numbers.
  static func vouches(_ checksum: Int64, for row: SQLiteStatement, columns: Int32) -> Bool {
    let numbers = (0..<columns).map { row.integer($0) }
    let sum = unsafe numbers.withUnsafeBufferPointer {
      unsafe belfry_row_checksum_key($0.baseAddress, $0.count)
    }
    return UInt32(truncatingIfNeeded: checksum >> 32) == sum
  }

  static func crc32c(_ bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe crc32c($0) }
  }

  static func crc32c(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    unsafe belfry_crc32c(bytes.baseAddress, bytes.count)
  }

  /// Returns the CRC-32C checksum of `bytes`, computed without the processor's CRC instruction.
  static func portableCRC32C(_ bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe belfry_crc32c_portable($0.baseAddress, $0.count) }
  }
}
