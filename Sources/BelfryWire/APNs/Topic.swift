/// A topic split into the app and the token kind of its suffix.
///
/// `com.example.app.voip` is the app `com.example.app` with VoIP tokens. A bundle identifier may itself end with such a
/// suffix. If no app matches these parts, the caller therefore treats the whole topic as a bundle identifier.
public struct TopicParts: Equatable, Sendable {
  /// The number of leading bytes of the topic that are the bundle identifier.
  public let bundleIDBytes: Int
  /// The token kind of the suffix.
  public let kind: TokenKind

  /// Splits `topic` before its longest matching suffix.
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

  /// Creates the parts of a topic that was already split.
  public init(bundleIDBytes: Int, kind: TokenKind) {
    self.bundleIDBytes = bundleIDBytes
    self.kind = kind
  }

  /// Returns true if `topic` is well formed: 1 to 255 letters, digits, dots, hyphens and underscores, as in bundle
  /// identifiers (apns-protocol 1.10, BadTopic).
  public static func isWellFormed(_ topic: Span<UInt8>) -> Bool {
    guard (1...WireLimits.topicBytesMax).contains(topic.count) else { return false }
    for index in topic.indices {
      switch topic[index] {
      case 0x2D, 0x2E, 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: continue
      default: return false
      }
    }
    return true
  }
}
