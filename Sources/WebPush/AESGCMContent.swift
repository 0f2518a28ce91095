/// The content of a message that is encrypted with `aesgcm`.
///
/// An app on D-Bus receives only a body. UnifiedPush's gateway therefore writes the two header fields before the body,
/// and apps that support `aesgcm` read this form. autopush's WebSocket has members for the fields.
public struct AESGCMContent: Equatable, Sendable {
  /// The value of `Encryption`, which contains the salt: printable ASCII without quotation marks and padding.
  public let encryption: [UInt8]
  /// The value of `Crypto-Key`, which contains the sender's key `dh`, but not the key of its credential.
  public let cryptoKey: [UInt8]
  /// The ciphertext, as the sender sent it.
  public let body: [UInt8]

  init(encryption: [UInt8], cryptoKey: [UInt8], body: [UInt8]) {
    self.encryption = encryption
    self.cryptoKey = cryptoKey
    self.body = body
  }

  private static let start = Array("aesgcm\nEncryption: ".utf8)
  private static let middle = Array("\nCrypto-Key: ".utf8)

  /// Reads the content from a body that was delivered, or returns nil if the body is in another form.
  init?(deliveredBody bytes: [UInt8]) {
    guard bytes.starts(with: Self.start),
      let encryption = Self.line(bytes, from: Self.start.count)
    else { return nil }
    let next = encryption.endIndex
    guard bytes[next...].starts(with: Self.middle),
      let cryptoKey = Self.line(bytes, from: next + Self.middle.count)
    else { return nil }
    self.init(
      encryption: Array(encryption), cryptoKey: Array(cryptoKey),
      body: Array(bytes[(cryptoKey.endIndex + 1)...]))
  }

  /// Returns the printable text from `start` to the next line feed, or nil if there is another byte first.
  private static func line(_ bytes: [UInt8], from start: Int) -> ArraySlice<UInt8>? {
    let line = bytes[start...].prefix(WebPushLimits.legacyFieldBytesMax + 1)
    let end = line.firstIndex { !(0x20..<0x7F).contains($0) }
    guard let end, bytes[end] == UInt8(ascii: "\n") else { return nil }
    return bytes[start..<end]
  }

  /// The body to deliver to an app on D-Bus: a line `aesgcm`, a line for each field, and the ciphertext.
  public var deliveredBody: [UInt8] {
    Self.start + encryption + Self.middle + cryptoKey + [UInt8(ascii: "\n")] + body
  }
}
