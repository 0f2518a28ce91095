import Agent
import BelfryWire
import PushWire
import Transport
import WebPush

/// The Web Push subscription of a virtual device (`belfry device run --web-push`), with the keys of its receiver.
struct VirtualSubscription {
  private let keys: WebPushSubscriptionKeys

  /// Creates the keys from the device's own key, so that they stay the same in later runs.
  init(of identity: DeviceIdentity) throws {
    let material = try HKDF.key(
      from: try identity.key.pkcs8PEM(), salt: [], info: Array("belfry virtual web push".utf8),
      count: 32 + WebPushLimits.authBytes)
    keys = try WebPushSubscriptionKeys(
      scalar: Array(material.prefix(32)), auth: Array(material.dropFirst(32)))
  }

  /// Returns the members of the line that describes the subscription, which a sender needs.
  func members(origin: String, token: [UInt8]) -> [(String, JSONValue)] {
    [
      ("endpoint", .string("\(origin)/push/\(Base64.encode(token, url: true))")),
      ("p256dh", .string(keys.pointText)), ("auth", .string(keys.authText)),
    ]
  }

  /// Returns a notification with its decrypted payload; unchanged if it was not encrypted for this subscription.
  func decrypted(_ notification: LinkNotification) -> LinkNotification {
    guard let plaintext = try? WebPushEncryption.decrypt(notification.payload, with: keys) else {
      return notification
    }
    var notification = notification
    notification.payload = plaintext
    return notification
  }
}
