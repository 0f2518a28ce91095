public import BelfryWire

/// A topic, split into the app's bundle identifier and the token kind that the suffix specifies.
///
/// For example, `com.example.app.voip` is the topic for VoIP tokens of `com.example.app`. A bundle identifier can
/// itself end with such a suffix. If no app matches these parts, the caller therefore treats the whole topic as a
/// bundle identifier.
public struct TopicParts: Equatable, Sendable {
  /// The length of the bundle identifier at the start of the topic, in bytes.
  public let bundleIDBytes: Int
  /// The token kind for the suffix.
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

  /// Returns true if `topic` is well formed: 1 to 255 letters, digits, dots, hyphens, and underscores, as in bundle
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
