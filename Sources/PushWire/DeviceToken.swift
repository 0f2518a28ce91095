public import BelfryWire

/// The contents of an opened device token: 16 bytes, with all integers big-endian.
///
/// ```
/// 0 environment | 1 kind | 2…3 generation | 4…7 app | 8…15 cell and device
/// ```
///
/// The cell is in the upper 10 bits of the last 8 bytes. Bit 53 is 0, because device numbers are below 2^53.
///
/// Sealing these bytes with AES-SIV produces the 32 bytes that an app receives. `docs/architecture.md` explains this
/// design.
public struct TokenContents: Hashable, Sendable {
  /// The number of bytes in an opened token.
  public static let byteCount = 16

  /// The environment whose key sealed the token.
  public let environment: Environment
  /// The kind of the token.
  public let kind: TokenKind
  /// The number of times that the app has registered again after unregistering.
  ///
  /// Tokens of earlier generations are inactive.
  public let generation: UInt16
  /// The number that the gateway assigned to the app.
  public let app: UInt32
  /// The number that the gateway assigned to the device.
  public let device: UInt64
  /// The number of the cluster that the device belongs to (docs/cluster.md); 0 unless an operator assigns another one.
  public let cell: UInt16

  /// The number of bits of a device's number.
  public static let deviceBits: UInt64 = 53
  /// The highest number of a cell.
  public static let cellMax: UInt16 = 1_023
  private static let cellShift: UInt64 = 54

  /// Creates a token's contents from its parts.
  ///
  /// The device's number is below 2^53.
  @inlinable public init(
    environment: Environment, kind: TokenKind, generation: UInt16, app: UInt32, device: UInt64,
    cell: UInt16 = 0
  ) {
    self.cell = cell
    self.environment = environment
    self.kind = kind
    self.generation = generation
    self.app = app
    self.device = device
  }

  /// Returns the contents for a device of another cell.
  public func inCell(_ cell: UInt16) -> TokenContents {
    TokenContents(
      environment: environment, kind: kind, generation: generation, app: app, device: device,
      cell: cell)
  }

  /// Parses an opened token.
  ///
  /// Returns `nil` for bytes that this gateway cannot have created.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count == Self.byteCount, let environment = Environment(rawValue: bytes[0]),
      let kind = TokenKind(rawValue: bytes[1])
    else { return nil }
    var app: UInt32 = 0
    for index in 4..<8 { app = app << 8 | UInt32(bytes[index]) }
    var device: UInt64 = 0
    for index in 8..<16 { device = device << 8 | UInt64(bytes[index]) }
    let cell = UInt16(device >> Self.cellShift)
    device &= (1 << Self.cellShift) - 1
    guard device >> Self.deviceBits == 0 else { return nil }
    self.init(
      environment: environment, kind: kind,
      generation: UInt16(bytes[2]) << 8 | UInt16(bytes[3]), app: app, device: device, cell: cell)
  }

  /// The 16 bytes to seal.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = [environment.rawValue, kind.rawValue]
    bytes.reserveCapacity(Self.byteCount)
    for shift in stride(from: 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: generation >> UInt16(shift)))
    }
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: app >> UInt32(shift)))
    }
    assert(device >> Self.deviceBits == 0 && cell <= Self.cellMax, "the numbers fit in their bits")
    let address = UInt64(cell) << Self.cellShift | device
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: address >> UInt64(shift)))
    }
    assert(
      bytes.count == Self.byteCount, "the contents of a token have the size that the seal requires")
    return bytes
  }
}
