internal import BelfryWire
internal import Storage

/// A check of whether a campaign may be sent to its audience: a text for each language, and tokens of one environment.
struct AudienceCheck {
  /// The reasons not to send the campaign; empty if it may be sent.
  private(set) var problems: [RequestProblem] = []
  /// Warnings for the operator before the campaign is sent.
  private(set) var warnings: [String] = []

  /// Checks the audience of a campaign.
  ///
  /// `service` is the environment of the service; nil if it is unknown.
  init(_ document: CampaignDocument, _ shares: [AudienceShare], service: Environment?) {
    assert(shares.allSatisfy { $0.count > 0 }, "a share has a device")
    warnings = document.alerts.warnings
    checkLanguages(document.alerts, shares)
    checkEnvironments(document.environment, shares, service: service)
  }

  private mutating func checkLanguages(_ alerts: AlertCatalogue, _ shares: [AudienceShare]) {
    guard let choice = alerts.choice, choice.fallback == nil else { return }
    let byLanguage = Dictionary(grouping: shares, by: \.language).mapValues(Self.count)
    for (language, count) in byLanguage.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
      guard let language, choice.language(for: language) == nil else { continue }
      problems.append(
        RequestProblem(
          "alert",
          "\(Self.devices(count, "speaks", "speak")) \(language), which the campaign lacks, and it has no "
            + "fallback", do: "add \(language), or name a language in fallback"))
    }
  }

  private mutating func checkEnvironments(
    _ chosen: Environment?, _ shares: [AudienceShare], service: Environment?
  ) {
    let byName = Dictionary(grouping: shares, by: \.environment).mapValues(Self.count)
    let named = Environment.allCases.compactMap { environment in
      byName[environment.name].map { (environment: environment, count: $0) }
    }
    if named.count > 1 {
      let parts = named.map { "\($0.count) of \($0.environment.name)" }.joined(separator: " and ")
      problems.append(
        RequestProblem(
          "to", "its tokens are of two environments: \(parts)",
          do: "name one of them in environment, and send a campaign to each"))
    } else if let service {
      if let foreign = named.first, foreign.environment != service {
        problems.append(
          RequestProblem(
            "to",
            "\(Self.devices(foreign.count, "is", "are")) of \(foreign.environment.name), and the service "
              + "is of \(service.name)",
            do: "send it through a service of \(foreign.environment.name)"))
      } else if let chosen, chosen != service {
        problems.append(
          RequestProblem(
            "environment", "the service is of \(service.name)",
            do: "send it through a service of \(chosen.name)"))
      }
    }
    if let unnamed = byName[nil], unnamed > 0, !named.isEmpty {
      warnings.append(
        "\(Self.devices(unnamed, "named", "named")) no environment: taken for the service's")
    }
  }

  private static func count(_ shares: [AudienceShare]) -> Int64 {
    shares.reduce(0) { $0 + $1.count }
  }

  private static func devices(_ count: Int64, _ one: String, _ many: String) -> String {
    count == 1 ? "1 device \(one)" : "\(count) devices \(many)"
  }
}
