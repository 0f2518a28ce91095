/// The sender of a request, according to its credentials.
enum Caller: Sendable, Equatable {
  /// The operator, with the admin token.
  case administrator
  /// An installation of this app that sent the app's key.
  case app(bundleID: String)
  /// Any local client, if the service is open.
  case anybody

  /// Returns the topic for which the caller registers.
  ///
  /// Throws the reason if the caller is not allowed to register for it.
  func topic(
    given topic: String?, of apps: AppKeys
  ) throws(RequestProblem) -> String {
    if let topic, !AppKeys.isTopic(topic) {
      throw RequestProblem(
        "topic", "invalid value '\(RequestProblem.excerpt(topic))'",
        do: "expected a bundle identifier such as com.example.app")
    }
    let own = apps.apps.map(\.bundleID)
    switch self {
    case .app(let bundleID):
      guard let topic else { return bundleID }
      guard AppKeys.isTopic(topic, of: bundleID) else {
        throw RequestProblem(
          "topic", "the key belongs to \(bundleID)", do: "omit the topic, or use that app's key")
      }
      return topic
    case .administrator, .anybody:
      if let topic {
        guard
          self == .administrator || own.isEmpty
            || own.contains(where: { AppKeys.isTopic(topic, of: $0) })
        else {
          throw RequestProblem(
            "topic", "\(topic) is not one of the configured apps",
            do: "add it with 'belfry provider --topic'")
        }
        return topic
      }
      guard own.count == 1 else {
        throw RequestProblem(
          "topic", "missing",
          do: own.isEmpty
            ? "send the app's bundle identifier in 'topic', or start the provider with one --topic"
            : "send the app's bundle identifier in 'topic'")
      }
      return own[0]
    }
  }
}
