/// The identity that a beacon advertises.
public struct Beacon: Hashable, Sendable {
  /// The company identifier in the manufacturer data that beacons advertise.
  public static let company: UInt16 = 0x004C

  /// The UUID in its usual groups of hexadecimal digits, in uppercase.
  public let uuid: String
  /// The first of two numbers that distinguish beacons with the same UUID.
  public let major: Int64
  /// The second of the two numbers.
  public let minor: Int64

  /// Parses manufacturer data: 02 15, a UUID, two big-endian numbers and a power level.
  ///
  /// Returns nil for other data from the company's devices.
  public init?(manufacturerData bytes: [UInt8]) {
    guard bytes.count == 23, bytes.starts(with: [0x02, 0x15]) else { return nil }
    var uuid = ""
    for (index, byte) in bytes[2..<18].enumerated() {
      if [4, 6, 8, 10].contains(index) { uuid += "-" }
      for digit in [byte >> 4, byte & 0x0F] { uuid += String(digit, radix: 16, uppercase: true) }
    }
    self.uuid = uuid
    major = Int64(bytes[18]) << 8 | Int64(bytes[19])
    minor = Int64(bytes[20]) << 8 | Int64(bytes[21])
  }
}
