internal import BelfryProvider
internal import BelfryWire
internal import Scheduling
internal import Storage

/// A check that a campaign can be sent to its audience: every language has text, every placeholder has a value, and all
/// tokens belong to the same environment.
struct AudienceCheck {
  /// The reasons not to send the campaign; empty if the campaign can be sent.
  private(set) var problems: [RequestProblem] = []
  /// The warnings to show to the operator before the campaign is sent.
  private(set) var warnings: [String] = []

  /// Checks the audience of a campaign.
  ///
  /// `service` is the environment of the service; nil if it is unknown.
  init(_ document: CampaignDocument, _ shares: [AudienceShare], service: Environment?) {
    assert(shares.allSatisfy { $0.count > 0 }, "a share has at least one device")
    warnings = document.alerts.warnings
    problems = document.alerts.unfilledPlaceholders
    checkLanguages(document.alerts, shares)
    checkEnvironments(document.environment, shares.filter { !$0.isWebPush }, service: service)
    if shares.contains(where: \.isWebPush) { checkWebPush(document) }
  }

  private mutating func checkLanguages(_ alerts: AlertCatalogue, _ shares: [AudienceShare]) {
    guard let choice = alerts.choice, choice.fallback == nil else { return }
    let byLanguage = Dictionary(grouping: shares) { $0.language.map(LanguageTag.canonical) }
      .mapValues(Self.count)
    for (language, count) in byLanguage.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
      guard let language, choice.language(for: language) == nil else { continue }
      // Report only the first problems, because apps can report any number of device languages.
      guard problems.count < Limits.previewLanguagesMax else { break }
      problems.append(
        RequestProblem(
          "alert",
          "no \(language) text for \(Self.devices(count)), and no fallback language",
          do: "add \(language), or set 'fallback' to one of the campaign's languages"))
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
      let parts = named.map { "\($0.count) in \($0.environment.name)" }.joined(separator: " and ")
      problems.append(
        RequestProblem(
          "to", "the device tokens belong to two environments: \(parts)",
          do: "set 'environment' to one of them, and send a campaign to each"))
    } else if let service {
      if let foreign = named.first, foreign.environment != service {
        problems.append(
          RequestProblem(
            "to",
            "\(Self.devices(foreign.count)) registered for \(foreign.environment.name), but the push "
              + "service is \(service.name)",
            do: "send the campaign through a \(foreign.environment.name) service"))
      } else if let chosen, chosen != service {
        problems.append(
          RequestProblem(
            "environment", "'\(chosen.name)', but the push service is \(service.name)",
            do: "send the campaign through a \(chosen.name) service"))
      }
    }
    if let unnamed = byName[nil], unnamed > 0, !named.isEmpty {
      warnings.append(
        "\(Self.devices(unnamed)) registered without an environment: "
          + "that of the push service is assumed"
      )
    }
  }

  private mutating func checkWebPush(_ document: CampaignDocument) {
    for (language, bytes) in document.longWebPushContents {
      problems.append(
        RequestProblem(
          language.map(document.alerts.member) ?? "payload",
          "the message for Web Push has \(bytes) bytes",
          do: "shorten it to \(WebPushNotification.contentBytesMax)"))
    }
  }

  private static func count(_ shares: [AudienceShare]) -> Int64 {
    shares.reduce(0) { $0 + $1.count }
  }

  /// Returns the reason that an audience is empty, which names the app, because its identifier might be mistyped.
  static func emptiness(
    of audience: CampaignAudience, topic: String, environment: Environment?
  ) -> String {
    let devices: String
    switch audience {
    case .all: devices = "no device"
    case .tag(let name): devices = "no device with the tag '\(RequestProblem.excerpt(name))'"
    case .user(let name): devices = "no device of the user '\(RequestProblem.excerpt(name))'"
    case .list: return "the list of recipients has no tokens for \(topic)"
    }
    return "\(devices) is registered for \(topic)"
      + (environment.map { " in the environment '\($0.name)'" } ?? "")
  }

  /// Returns a device count followed by the noun, in the singular or the plural.
  static func devices(_ count: Int64) -> String { count == 1 ? "1 device" : "\(count) devices" }
}
