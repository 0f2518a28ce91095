internal import BelfryProvider
internal import BelfryWire
internal import PushWire
internal import Transport

/// The messages to Web Push subscriptions (docs/web-push.md).
extension CampaignDocument {
  /// The key of an image in the payload, which apps for devices read, too.
  private static let imageKey = "image-url"
  /// The members of an alert that a message contains.
  ///
  /// A browser cannot look up strings of an app, so members such as `loc-key` are left out.
  private static let textKeys = ["title", "subtitle", "body"]

  /// Returns the message for subscriptions that receive the text in `language`.
  ///
  /// For a campaign without languages, pass nil.
  func webPushNotification(in language: String?) -> WebPushNotification {
    let defaultSeconds = WebPushNotification([]).ttlSeconds
    return WebPushNotification(
      webPushContent(in: language),
      ttlSeconds: min(expirationSeconds ?? defaultSeconds, WebPushNotification.ttlSecondsMax),
      priority: priority ?? (type == .background ? 5 : 10), topic: collapseID.map(Self.topic))
  }

  /// Returns the JSON object that a service worker receives.
  func webPushContent(in language: String?) -> [UInt8] {
    let payload = (try? JSONValue(parsing: payload(in: language)))?.objectValue ?? [:]
    let aps = payload["aps"]?.objectValue ?? [:]
    var content = JSONObject()
    switch aps["alert"] {
    case .object(let alert)?: for key in Self.textKeys { content[key] = alert[key] }
    case .string(let text)?: content["body"] = .string(text)
    default: break
    }
    content["language"] = language.map { .string($0) }
    content["image"] = payload[Self.imageKey]?.stringValue.map { .string($0) }
    content["badge"] = aps["badge"]?.integerValue.map { .integer($0) }
    content["tag"] = collapseID.map { .string($0) }
    var data = payload
    data["aps"] = nil
    data[Self.imageKey] = nil
    if !data.isEmpty { content["data"] = .object(data) }
    return content.bytes
  }

  /// Returns the languages whose messages are longer than push services accept, with the number of bytes.
  var longWebPushContents: [(language: String?, bytes: Int)] {
    let languages = alerts.languages.isEmpty ? [nil] : alerts.languages.map(Optional.some)
    return languages.map { ($0, webPushContent(in: $0).count) }
      .filter { $0.bytes > WebPushNotification.contentBytesMax }
  }

  /// Returns a topic for a collapse ID, which can be longer and contain other characters than a topic.
  private static func topic(_ collapseID: String) -> String {
    guard !WebPushNotification.isTopic(collapseID) else { return collapseID }
    let digest = SHA256.hash(Array(collapseID.utf8)).bytes
    return Base64.encode(Array(digest.prefix(24)), url: true)
  }
}
