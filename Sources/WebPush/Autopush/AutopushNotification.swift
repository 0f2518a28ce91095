internal import BelfryWire

/// A message to a client in autopush's protocol.
public struct AutopushNotification: Equatable, Sendable {
  /// The number of bytes in ``version``.
  public static let versionBytes = 16

  /// The subscription to which the message was sent.
  public let channel: AutopushChannel
  /// The identifier of the message, by which a client recognizes the second copy: 16 bytes.
  public let version: [UInt8]
  /// The content, which only the client can decrypt.
  public let content: WebPushContent

  /// Creates a message from its parts, or returns nil unless `version` has 16 bytes.
  public init?(channel: AutopushChannel, version: [UInt8], content: WebPushContent) {
    guard version.count == Self.versionBytes else { return nil }
    self.channel = channel
    self.version = version
    self.content = content
  }

  /// The text message, one JSON object.
  var text: [UInt8] {
    var members: [(String, JSONValue)] = [
      ("messageType", "notification"), ("channelID", .string(channel.text)),
      ("version", .string(Hexadecimal.encode(version))),
    ]
    switch content {
    case .empty: break
    case .aes128gcm(let body):
      members.append(("data", .string(Base64.encode(body, url: true))))
      members.append(("headers", ["encoding": "aes128gcm"]))
    case .aesgcm(let content):
      members.append(("data", .string(Base64.encode(content.body, url: true))))
      members.append(
        (
          "headers",
          [
            "encoding": "aesgcm", "encryption": Self.value(content.encryption),
            "crypto_key": Self.value(content.cryptoKey),
          ]
        ))
    }
    return JSONObject(members).bytes
  }

  /// Parses the version in an acknowledgment, or returns nil if no message of this service has it.
  static func version(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.count == 2 * versionBytes else { return nil }
    var bytes: [UInt8] = []
    guard Hexadecimal.decode(text, appendingTo: &bytes) else { return nil }
    return bytes
  }

  private static func value(_ field: [UInt8]) -> JSONValue {
    .string(String(decoding: field, as: UTF8.self))
  }
}
