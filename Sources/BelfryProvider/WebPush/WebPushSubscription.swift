internal import BelfryWire
internal import WebPush

/// A subscription to which a server can send Web Push messages, as a browser or an app provides it.
///
/// The endpoint is a secret: everybody who knows it and the keys can send messages, unless the subscription is
/// restricted to the sender's VAPID key.
public struct WebPushSubscription: Sendable {
  /// The URL to which messages are sent.
  public let endpoint: String
  /// The app's public key, called `p256dh`: 65 bytes, or nil if the subscription has no keys.
  public let point: [UInt8]?
  /// The secret that the app shares with its server: 16 bytes, or nil if the subscription has no keys.
  public let auth: [UInt8]?
  let address: WebPushAddress

  /// Creates a subscription from its endpoint and its two keys in base64url.
  ///
  /// The keys can also be padded or in the standard base64 alphabet. A subscription without keys only accepts messages
  /// without content.
  public init(
    endpoint: String, p256dh: String? = nil, auth: String? = nil
  ) throws(WebPushFault) {
    guard let address = WebPushAddress(Array(endpoint.utf8).span) else { throw .endpointInvalid }
    self.endpoint = endpoint
    self.address = address
    guard let p256dh, let auth else {
      guard p256dh == nil, auth == nil else { throw .keysMissing }
      (point, self.auth) = (nil, nil)
      return
    }
    // The app's key has the same form as a sender's key.
    guard let key = VAPIDPublicKey(Array(p256dh.utf8).span) else { throw .pointInvalid }
    let text = Array(auth.utf8)
    guard text.count <= Limits.webPushAuthCharactersMax, let secret = Base64.decode(text.span),
      secret.count == WebPushLimits.authBytes
    else { throw .authInvalid }
    assert(key.point.count == 65, "a point of P-256 has 65 bytes")
    point = key.point
    self.auth = secret
  }

  /// Creates a subscription from the JSON object that a browser provides:
  /// `{"endpoint":…,"keys":{"p256dh":…,"auth":…}}`.
  ///
  /// The keys can also be members of the object itself, as in the line that `belfry device run --web-push` prints.
  public init(json: [UInt8]) throws(WebPushFault) {
    guard let object = (try? JSONValue(parsing: json))?.objectValue else {
      throw .subscriptionInvalid("it is not a JSON object")
    }
    guard let endpoint = object["endpoint"]?.stringValue else {
      throw .subscriptionInvalid("it has no endpoint")
    }
    let keys = object["keys"]?.objectValue ?? object
    try self.init(
      endpoint: endpoint, p256dh: keys["p256dh"]?.stringValue, auth: keys["auth"]?.stringValue)
  }

  /// Creates a subscription from its endpoint and ``keys``, as a server stored them.
  package init(endpoint: String, keys: [UInt8]) throws(WebPushFault) {
    guard let address = WebPushAddress(Array(endpoint.utf8).span) else { throw .endpointInvalid }
    guard keys.count == Self.pointBytes + WebPushLimits.authBytes else { throw .keysMissing }
    self.endpoint = endpoint
    self.address = address
    point = Array(keys.prefix(Self.pointBytes))
    auth = Array(keys.dropFirst(Self.pointBytes))
  }

  /// The 65 bytes of the public key, followed by the 16 bytes of the secret; nil if the subscription has no keys.
  package var keys: [UInt8]? {
    guard let point, let auth else { return nil }
    assert(point.count == Self.pointBytes, "a point of P-256 has 65 bytes")
    return point + auth
  }

  /// The maximum number of bytes in an endpoint's URL.
  package static let endpointBytesMax = Limits.endpointBytesMax

  /// The number of bytes in an uncompressed point of P-256.
  private static let pointBytes = 65

  /// The host and port of the push service.
  package var service: ProviderEndpoint { address.service }
}
