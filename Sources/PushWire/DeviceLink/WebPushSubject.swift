internal import BelfryWire

/// A Web Push subscription as the topic that a device registers (`docs/device-link.md` 4.4).
///
/// The topic has the kind `TokenKind.webPush`. Its name is the number that the device chose for the subscription, in
/// seven lowercase hexadecimal digits. If only senders with a certain VAPID key can send to the subscription, the name
/// continues with a colon and the SHA-256 hash of the key in base64url.
public struct WebPushSubject: Hashable, Sendable {
  /// The highest number of a subscription: 28 bits, as for an app.
  public static let numberMax: UInt32 = 1 << 28 - 1
  /// The number of bytes in the hash of a VAPID key.
  public static let keyHashBytes = 32

  /// The number of the subscription, which is unique on its device.
  public let number: UInt32
  /// The SHA-256 hash of the 65 bytes of the VAPID key; empty if any sender can send to the subscription.
  public let keyHash: [UInt8]

  private static let digits = 7

  /// Creates a subject from its parts.
  ///
  /// Returns `nil` if the number or the hash is too long.
  public init?(number: UInt32, keyHash: [UInt8] = []) {
    guard number <= Self.numberMax, keyHash.isEmpty || keyHash.count == Self.keyHashBytes else {
      return nil
    }
    self.number = number
    self.keyHash = keyHash
  }

  /// Creates a subject from a topic.
  ///
  /// Returns `nil` for another kind of topic, and for a name that does not have this form.
  public init?(_ topic: LinkTopic) {
    guard topic.kind == .webPush else { return nil }
    let name = Array(topic.bundleID.utf8)
    guard name.count >= Self.digits else { return nil }
    var number: UInt32 = 0
    for digit in name.prefix(Self.digits) {
      switch digit {
      case 0x30...0x39: number = number << 4 | UInt32(digit - 0x30)
      case 0x61...0x66: number = number << 4 | UInt32(digit - 0x57)
      default: return nil
      }
    }
    let rest = name.dropFirst(Self.digits)
    guard let separator = rest.first else {
      self.init(number: number)
      return
    }
    guard separator == 0x3A, let keyHash = Base64.decode(Array(rest.dropFirst()).span),
      keyHash.count == Self.keyHashBytes
    else { return nil }
    self.init(number: number, keyHash: keyHash)
  }

  /// The topic that the device registers.
  public var topic: LinkTopic {
    let text = String(number, radix: 16)
    var name = String(repeating: "0", count: max(0, Self.digits - text.utf8.count)) + text
    if !keyHash.isEmpty { name += ":" + Base64.encode(keyHash, url: true) }
    assert(
      name.utf8.count == Self.digits || name.utf8.count == Self.digits + 44,
      "a name consists of a number, and a hash of 43 characters after a colon")
    return LinkTopic(bundleID: name, kind: .webPush)
  }
}
