/// A topic taken apart: the app, and the kind of token that its suffix asks for.
///
/// `com.example.app.voip` is the app `com.example.app` with VoIP tokens. A bundle identifier may end
/// like a suffix itself, so the caller tries the plain reading where no app answers to this one.
public struct TopicParts: Equatable, Sendable {
  /// Bytes of the topic that are the bundle identifier.
  public let bundleIDBytes: Int
  /// What the rest stands for.
  public let kind: TokenKind

  /// Splits `topic` at the longest suffix that it has.
  public init(_ topic: Span<UInt8>) {
    var best = TopicParts(bundleIDBytes: topic.count, kind: .alert)
    for kind in TokenKind.allCases {
      let suffix = kind.topicSuffix
      let rest = topic.count - suffix.utf8CodeUnitCount
      guard suffix.utf8CodeUnitCount > 0, rest > 0, rest < best.bundleIDBytes,
        topic.extracting(rest..<topic.count).equals(suffix)
      else { continue }
      best = TopicParts(bundleIDBytes: rest, kind: kind)
    }
    self = best
  }

  /// A topic that is taken apart already.
  public init(bundleIDBytes: Int, kind: TokenKind) {
    self.bundleIDBytes = bundleIDBytes
    self.kind = kind
  }

  /// Whether `topic` can be one at all: 1 to 255 printable ASCII bytes (apns-protocol 1.10, BadTopic).
  public static func isWellFormed(_ topic: Span<UInt8>) -> Bool {
    guard (1...WireLimits.topicBytesMax).contains(topic.count) else { return false }
    for index in topic.indices where topic[index] <= 0x20 || topic[index] >= 0x7F { return false }
    return true
  }
}
