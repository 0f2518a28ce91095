public import BelfryWire
public import PushWire
public import Transport
internal import WebPush

/// A codec that seals and opens device tokens with AES-SIV over 16 bytes (docs/architecture.md).
///
/// The codec is confined to its loop. The first key seals tokens. The other keys only open tokens, so that existing
/// tokens remain valid during a rotation.
public final class DeviceTokenCodec {
  private var ciphers: [SIVCipher] = []
  private let environment: BelfryWire.Environment
  /// The number of the cluster whose devices the tokens name (docs/cluster.md).
  private let cell: UInt16
  private var sealed = [UInt8](repeating: 0, count: 32)
  private var opened = [UInt8](repeating: 0, count: TokenContents.byteCount)

  /// Creates a codec with these 32-byte keys; the first key seals tokens.
  public init(
    keys: [[UInt8]], environment: BelfryWire.Environment, cell: UInt16 = 0
  ) throws(CryptoFailure) {
    self.environment = environment
    self.cell = cell
    for key in keys { ciphers.append(try SIVCipher(key: key)) }
  }

  /// Returns the token with these contents; the same contents and key always produce the same bytes.
  public func seal(_ contents: TokenContents) -> [UInt8] {
    guard let cipher = ciphers.first else { return [] }
    return cipher.seal(contents.inCell(cell).bytes)
  }

  /// Returns the ID of a Web Push endpoint: the contents, and the hash of the only VAPID key that can send to it, which
  /// is empty if any sender can (docs/web-push.md).
  ///
  /// `channel` is the channel ID that a browser chose for its subscription; it is empty for other devices.
  /// The gateway stores nothing else about the endpoint: it opens the ID again when a message arrives.
  func sealEndpoint(
    _ contents: TokenContents, keyHash: [UInt8], channel: [UInt8] = []
  ) -> [UInt8] {
    assert(contents.kind == .webPush, "an endpoint is for a Web Push subscription")
    assert(
      keyHash.isEmpty || keyHash.count == WebPushSubject.keyHashBytes, "a hash has its whole length"
    )
    assert(
      channel.isEmpty || channel.count == WebPushEndpointID.channelBytes,
      "a channel has its whole length")
    guard let cipher = ciphers.first else { return [] }
    return cipher.seal(contents.inCell(cell).bytes + keyHash + channel)
  }

  /// Returns the contents, the key hash and the channel of an endpoint's ID; `nil` if this gateway did not create it.
  func openEndpoint(
    _ id: [UInt8]
  ) -> (contents: TokenContents, keyHash: [UInt8], channel: [UInt8])? {
    let plain = TokenContents.byteCount
    let hash = WebPushSubject.keyHashBytes
    let name = WebPushEndpointID.channelBytes
    let lengths = [plain, plain + name, plain + hash, plain + hash + name]
    guard lengths.contains(id.count - SIVCipher.overheadBytes) else { return nil }
    for cipher in ciphers {
      guard let opened = cipher.open(id) else { continue }
      guard let contents = TokenContents(opened.span.extracting(0..<plain)),
        contents.kind == .webPush, contents.environment == environment, contents.cell == cell
      else { return nil }
      let rest = opened.dropFirst(plain)
      let keyHash = rest.count >= hash ? rest.prefix(hash) : []
      return (contents, Array(keyHash), Array(rest.dropFirst(keyHash.count)))
    }
    return nil
  }

  /// Returns the tokens with these contents, one for each key.
  func sealWithEachKey(_ contents: TokenContents) -> [[UInt8]] {
    let bytes = contents.inCell(cell).bytes
    return ciphers.map { $0.seal(bytes) }
  }

  /// Returns a token's contents; `nil` if none of the keys sealed the token, or if the token is for another
  /// environment or another cell.
  public func open(_ token: Span<UInt8>) -> TokenContents? {
    guard token.count == 32 else { return nil }
    for cipher in ciphers {
      let isOurs = unsafe token.withUnsafeBytes { token in
        unsafe opened.withUnsafeMutableBytes { unsafe cipher.open(token, into: $0) }
      }
      guard isOurs else { continue }
      let plain = opened
      guard let contents = TokenContents(plain.span),
        contents.environment == environment, contents.cell == cell, contents.kind != .webPush
      else { continue }
      return contents
    }
    return nil
  }
}
