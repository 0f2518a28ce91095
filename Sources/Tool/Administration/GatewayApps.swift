import BelfryWire
import Gateway

/// The apps of a running gateway, which determine the topics that the gateway knows.
struct GatewayApps {
  /// The apps' bundle identifiers.
  let bundleIDs: [String]

  /// Reads the apps of a gateway; nil if the gateway isn't running or can't be queried.
  init?(of gateway: GatewayAccess) {
    guard let lines = try? gateway.ask(.listTopics) else { return nil }
    bundleIDs = lines.compactMap { $0["topic"]?.stringValue }
  }

  /// Returns true if one of the apps has this topic, with or without the suffix of a push type.
  func have(topic: String) -> Bool {
    bundleIDs.contains { id in
      TokenKind.allCases.contains { "\(id)\($0.topicSuffix)".hasSameBytes(as: topic) }
    }
  }
}
