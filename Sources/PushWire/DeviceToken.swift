public import BelfryWire

/// The contents of an opened device token: 16 bytes, with all integers big-endian.
///
/// ```
/// 0 environment | 1 kind | 2…3 generation | 4…7 app | 8…15 device
/// ```
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

  /// Creates a token's contents from its parts.
  @inlinable public init(
    environment: Environment, kind: TokenKind, generation: UInt16, app: UInt32, device: UInt64
  ) {
    self.environment = environment
    self.kind = kind
    self.generation = generation
    self.app = app
    self.device = device
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
    self.init(
      environment: environment, kind: kind,
      generation: UInt16(bytes[2]) << 8 | UInt16(bytes[3]), app: app, device: device)
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
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: device >> UInt64(shift)))
    }
    assert(
      bytes.count == Self.byteCount, "the contents of a token have the size that the seal requires")
    return bytes
  }
}
