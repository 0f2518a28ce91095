/// The data that the index contains about a stored notification.
struct IndexedRow: Equatable {
  var device: UInt64
  /// The number of the app and kind in `KeyNames`, at most `KeyNames.numberMax`.
  var name: UInt32
  var sequence: UInt64
  /// The position of the notification's record in the log.
  var position: UInt64
  /// The time at which the notification expires, in seconds since 1970; `.max` if it never expires.
  var expiration: Int64
  /// The size of the record in units of `unitBytes`, rounded down.
  var units: UInt8
  /// True if the notification has a collapse ID.
  var hasCollapseID: Bool

  /// The number of bytes in a unit of the size; `unitsMax` units are more than the largest record has.
  static let unitBytes = 64
  static let unitsMax = 0x7F

  /// The size of the record in bytes, rounded down.
  var byteCount: Int { Int(units) * Self.unitBytes }

  static func units(ofBytes count: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: Swift.min(count / unitBytes, unitsMax))
  }
}

/// A row of the index in 28 bytes.
///
/// A sequence or an expiration that does not fit is in the index's table of wide values, under the row's position.
struct PackedRow {
  private var deviceLow: UInt32
  private var deviceHigh: UInt32
  private var positionLow: UInt32
  private var sequenceLow: UInt32
  private var high: UInt32
  /// The expiration in seconds since 1970, `never`, or `wideExpiration`.
  var expirationCode: UInt32
  /// The number of the app and kind above the size and the flag.
  private var nameAndUnits: UInt32

  /// The code of a notification that never expires.
  static let never = UInt32.max
  /// The code of an expiration in the table of wide values.
  static let wideExpiration: UInt32 = 0
  /// The value that represents all sequences that do not fit.
  static let wideSequence: UInt64 = 1 << 48 - 1
  static let positionMax: UInt64 = 1 << 48 - 1

  @inline(__always)
  init(_ row: IndexedRow) {
    assert(row.position <= Self.positionMax, "the log has at most 2^48 positions")
    assert(row.name <= KeyNames.numberMax, "the number of a name fits in 24 bits")
    let sequence = min(row.sequence, Self.wideSequence)
    deviceLow = UInt32(truncatingIfNeeded: row.device)
    deviceHigh = UInt32(truncatingIfNeeded: row.device >> 32)
    positionLow = UInt32(truncatingIfNeeded: row.position)
    sequenceLow = UInt32(truncatingIfNeeded: sequence)
    high =
      UInt32(truncatingIfNeeded: row.position >> 32) << 16
      | UInt32(truncatingIfNeeded: sequence >> 32) & 0xFFFF
    expirationCode = Self.code(of: row.expiration)
    nameAndUnits = row.name << 8 | UInt32(row.units) << 1 | (row.hasCollapseID ? 1 : 0)
  }

  static func code(of expiration: Int64) -> UInt32 {
    if expiration == .max { return never }
    guard let code = UInt32(exactly: expiration), code < never else { return wideExpiration }
    return code
  }

  @inline(__always)
  var device: UInt64 { UInt64(deviceHigh) << 32 | UInt64(deviceLow) }
  @inline(__always)
  var position: UInt64 { UInt64(high >> 16) << 32 | UInt64(positionLow) }
  /// The sequence, or `wideSequence` for one that does not fit.
  @inline(__always)
  var sequenceCode: UInt64 { UInt64(high & 0xFFFF) << 32 | UInt64(sequenceLow) }
  @inline(__always)
  var name: UInt32 { nameAndUnits >> 8 }
  var units: UInt8 { UInt8(truncatingIfNeeded: nameAndUnits >> 1) & 0x7F }
  var hasCollapseID: Bool { nameAndUnits & 1 != 0 }
}
