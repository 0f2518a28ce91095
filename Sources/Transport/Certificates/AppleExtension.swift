/// The extensions that state the purpose of Apple's push certificates (apns-protocol.md 2.3).
public enum AppleExtension {
  /// The extension of a push certificate for the development environment.
  public static let development = ObjectIdentifier(1, 2, 840, 113635, 100, 6, 3, 1)
  /// The extension of a push certificate for the production environment.
  public static let production = ObjectIdentifier(1, 2, 840, 113635, 100, 6, 3, 2)
  /// The extension of a push certificate for VoIP topics.
  public static let voip = ObjectIdentifier(1, 2, 840, 113635, 100, 6, 3, 4)
  /// The extension that lists the topics of a universal certificate.
  ///
  /// Use `value(of:)` to encode the extension's value.
  public static let topics = ObjectIdentifier(1, 2, 840, 113635, 100, 6, 3, 6)

  /// The value of an extension that only needs to be present: ASN.1 NULL.
  public static let presence: [UInt8] = [DERTag.null, 0]

  /// A topic of a universal certificate and its tags: `app`, `voip`, or `complication`.
  public struct Topic: Hashable, Sendable {
    /// The topic, as in `apns-topic`.
    public let name: String
    /// The tags, which describe the topic's purpose.
    public let tags: [String]

    /// Creates a topic with its tags.
    public init(_ name: String, tags: [String]) {
      self.name = name
      self.tags = tags
    }
  }

  /// Returns the topics of a universal certificate for `bundleID`.
  public static func universalTopics(of bundleID: String) -> [Topic] {
    [
      Topic(bundleID, tags: ["app"]), Topic(bundleID + ".voip", tags: ["voip"]),
      Topic(bundleID + ".complication", tags: ["complication"]),
    ]
  }

  /// Returns the value of the topics extension: a sequence in which topics and their lists of tags alternate.
  public static func value(of topics: [Topic]) -> [UInt8] {
    DER.sequence(topics.flatMap { [DER.utf8($0.name), DER.sequence($0.tags.map(DER.utf8))] })
  }

  /// Returns the topics in the value of the topics extension, or nil if the value is malformed.
  ///
  /// The value comes from a peer, so this function never traps.
  public static func topics(in value: [UInt8]) -> [Topic]? {
    var reader = DERReader(value)
    guard var pairs = reader.sequence(), reader.isAtEnd else { return nil }
    var topics: [Topic] = []
    while !pairs.isAtEnd {
      guard let name = pairs.utf8(), var list = pairs.sequence() else { return nil }
      var tags: [String] = []
      while !list.isAtEnd {
        guard let tag = list.utf8() else { return nil }
        tags.append(tag)
      }
      topics.append(Topic(name, tags: tags))
    }
    return topics
  }
}
