internal import Scheduling
internal import BelfryWire
internal import Storage
internal import System

/// A preview of the text that a campaign would show, and of the number of devices, before anything is sent.
struct CampaignPreview {
  let total: Int64
  /// The text, as one object per device language.
  let languages: [JSONObject]
  /// The times, as one object per time zone, if the send time depends on the zone.
  let zones: [JSONObject]
  /// The number of seconds until the campaign's time arrives for the first device; nil for a campaign without a time.
  let startsInSeconds: Int?
  /// The number of devices that would have to wait if the campaign started at the given time.
  let waitingDevices: Int64
  /// The time at which the first of the waiting devices can be reached, in seconds since 1970; nil if no device waits.
  let waitsUntil: Int?
  /// The warnings to show to the operator before the campaign is sent.
  let warnings: [String]
  /// The reasons that the campaign would not be sent to this audience.
  let problems: [RequestProblem]

  /// Creates a preview of a campaign for an audience at a given time.
  ///
  /// `shares` are the devices of the recipients, and `service` is the environment of the service, if known.
  /// `unregistered` is the number of tokens in the campaign's own list that are not registered.
  /// `passedTime` is the problem if the time has passed for every device; nil if the campaign has started.
  init(
    _ document: CampaignDocument, to recipients: CampaignAudience, shares: [AudienceShare],
    zones deviceZones: DeviceZones, service: Environment?, unregistered: Int64 = 0,
    notices: [String] = [], unixSeconds: Int, passedTime: RequestProblem? = nil
  ) {
    assert(unregistered >= 0, "a number of tokens is never negative")
    total = shares.reduce(0) { $0 + $1.count }
    let audience = AudienceCheck(document, shares, service: service)
    var problems = audience.problems
    var warnings = audience.warnings
    var languages: [JSONObject] = []
    // Earlier versions stored the languages of devices as the apps spelled them.
    let byLanguage = Dictionary(grouping: shares) { $0.language.map(LanguageTag.canonical) }
      .mapValues { shares in shares.reduce(0) { $0 + $1.count } }
    // Show only the most common languages, because apps can report any number of device languages.
    let sorted = byLanguage.sorted { ($1.value, $0.key ?? "") < ($0.value, $1.key ?? "") }
    let rest = sorted.dropFirst(Limits.previewLanguagesMax)
    if !rest.isEmpty {
      let devices = AudienceCheck.devices(rest.reduce(0) { $0 + $1.value })
      warnings.append(
        rest.count == 1
          ? "1 more language with \(devices) is not listed"
          : "\(rest.count) more languages with \(devices) are not listed")
    }
    for (language, count) in sorted.prefix(Limits.previewLanguagesMax) {
      // A language without text is reported as a problem, so show nothing for it. If the campaign has no languages,
      // show the payload.
      let chosen = document.alerts.choice?.language(for: language)
      let shown = document.alerts.choice == nil || chosen != nil
      // A single alert for all languages has no language, so no device gets it as a fallback.
      let named = document.alerts.isForAllLanguages ? nil : chosen
      languages.append([
        "language": language.map { .string($0) } ?? .null, "devices": .integer(count),
        "shows": (named?.language).map { .string($0) } ?? .null,
        "fallback": .bool(named?.isFallback ?? false),
        "alert": shown ? document.preview(in: chosen?.language) : .null,
      ])
      if let language, let named, named.isFallback {
        warnings.append(
          "no \(language) text: \(AudienceCheck.devices(count)) will get \(named.language)")
      }
    }
    if unregistered > 0 {
      warnings.append(
        "\(unregistered == 1 ? "1 token in the list is" : "\(unregistered) tokens in the list are") not registered "
          + "for \(document.topic): the push service might refuse \(unregistered == 1 ? "it" : "them")"
      )
    }
    if total == 0 {
      warnings.append(
        AudienceCheck.emptiness(
          of: recipients, topic: document.topic, environment: document.environment))
    }
    self.languages = languages
    let deviceZonesOfAudience = Set(shares.map(\.timeZone)).map {
      $0.flatMap(deviceZones.zone) ?? .utc
    }
    let isRefused = document.sendTime.isPast(at: unixSeconds, inAll: deviceZonesOfAudience)
    if let passedTime, isRefused { problems.append(passedTime) }
    self.problems = problems
    let late = shares.filter {
      document.sendTime.isPast(at: unixSeconds, in: $0.timeZone.flatMap(deviceZones.zone) ?? .utc)
    }
    if !late.isEmpty, passedTime == nil || !isRefused {
      let count = late.reduce(0) { $0 + $1.count }
      let devices = AudienceCheck.devices(count)
      let isQuiet = document.sendTime.quietHours != nil
      warnings.append(
        "the time has already passed for \(devices), which \(count == 1 ? "gets" : "get") the campaign as soon as "
          + "it starts"
          + (isQuiet ? ", or after \(count == 1 ? "its" : "their") quiet hours" : ""))
    }
    // Include the notices about damaged rows, because the counts above do not include the devices in those rows.
    self.warnings = notices + warnings
    startsInSeconds = document.sendTime.firstStart(
      in: deviceZonesOfAudience
    ).map { max(0, $0 - unixSeconds) }
    let waits = shares.compactMap { share -> (devices: Int64, until: Int)? in
      let zone = share.timeZone.flatMap(deviceZones.zone) ?? .utc
      let moment = document.sendTime.earliest(from: unixSeconds, in: zone)
      return moment > unixSeconds ? (share.count, moment) : nil
    }
    waitingDevices = waits.reduce(0) { $0 + $1.devices }
    waitsUntil = waits.map(\.until).min()
    guard document.sendTime.dependsOnZone else {
      zones = []
      return
    }
    let byZone = Dictionary(grouping: shares, by: \.timeZone).mapValues { shares in
      shares.reduce(0) { $0 + $1.count }
    }
    zones = byZone.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { name, count in
      let zone = name.flatMap(deviceZones.zone) ?? .utc
      let moment = document.sendTime.earliest(from: unixSeconds, in: zone)
      return [
        "timeZone": name.map { .string($0) } ?? .null, "devices": .integer(count),
        "at": .string(Timestamp.rfc3339(unixMilliseconds: Int64(moment) * 1_000)),
      ]
    }
  }

  /// The preview as a JSON object for a response.
  var json: JSONObject {
    [
      "devices": .integer(total),
      "startsInSeconds": startsInSeconds.map { .integer(Int64($0)) } ?? .null,
      "waitingDevices": .integer(waitingDevices),
      "waitsUntil": waitsUntil.map {
        .string(Timestamp.rfc3339(unixMilliseconds: Int64($0) * 1_000))
      } ?? .null,
      "languages": .array(languages.map { .object($0) }),
      "timeZones": .array(zones.map { .object($0) }),
      "warnings": .array(warnings.map { .string($0) }),
      "problems": .array(problems.map(\.json)),
    ]
  }
}
