package import BelfryWire
internal import PushWire
internal import BelfryProvider
internal import System

/// A campaign as its owner wrote it, with validated fields.
package struct CampaignDocument: Sendable {
  /// The name by which operators recognize the campaign.
  let name: String
  /// The value of `apns-topic`, with the suffix of the push type.
  let topic: String
  let type: PushType
  let priority: UInt8?
  /// The number of seconds for which the service stores a push; 0 for a single attempt; nil for the service's policy.
  let expirationSeconds: Int64?
  let collapseID: String?
  package let sendTime: SendTime
  let alerts: AlertCatalogue
  /// The only environment to send to; nil for all environments.
  ///
  /// Devices that did not specify an environment are always included.
  let environment: Environment?
  private let payload: JSONObject

  private static let fields = [
    "name", "topic", "alert", "arguments", "fallback", "payload", "pushType", "priority",
    "expiration", "collapseID", "quietHours", "at", "environment",
  ]

  /// The members of a campaign file that the document does not contain, because the request is read without them.
  private static let requestFields = ["to", "rate"]

  /// Validates a campaign.
  ///
  /// Throws one error that contains all problems.
  package init(_ object: JSONObject) throws(RequestProblems) {
    var reader = CampaignReader(object)
    let unknown = object.keys.lazy.filter { !Self.fields.containsBytes(of: $0) }
    let known = Self.fields + Self.requestFields
    for key in unknown.prefix(Limits.warningsMax) {
      let nearest = Suggestion.nearest(to: key, in: known)
      reader.report(
        RequestProblem.excerpt(key), "unknown member",
        do: nearest.map { "did you mean '\($0)'?" }
          ?? "expected one of \(known.joined(separator: ", "))")
    }
    reader.checkName()
    name = CampaignName.of(object)
    type = reader.pushType()
    topic = reader.topic(of: type)
    priority = reader.priority()
    expirationSeconds = reader.number("expiration", in: 0...Limits.expirationSecondsMax)
    collapseID = reader.collapseID()
    sendTime = reader.sendTime()
    payload = reader.object("payload") ?? [:]
    environment = reader.environment()
    let fallback = reader.fallback()
    let arguments = reader.arguments()
    alerts = reader.alerts(fallback: fallback, arguments: arguments)
    reader.checkContent(payload, type, hasAlert: !alerts.languages.isEmpty)
    if !reader.problems.isEmpty { throw RequestProblems(reader.problems) }
    try checkSizes()
  }

  /// Returns the problems of a request whose strings files could not all be read, apart from problems that the
  /// missing texts might cause.
  ///
  /// `object` contains the texts that could be read.
  static func problems(ofIncomplete object: JSONObject) -> [RequestProblem] {
    var object = object
    for key in requestFields + ["draft", "dryRun", "hold", "files"] { object[key] = nil }
    // The payload of a request can be JSON text, which the reader of the request checks.
    if object["payload"]?.stringValue != nil { object["payload"] = nil }
    do throws(RequestProblems) {
      _ = try CampaignDocument(object)
      return []
    } catch {
      return error.all.filter { $0.field != "alert" && $0.field != "fallback" }
    }
  }

  /// Returns the payload for devices that receive the text in `language`.
  ///
  /// For a campaign without languages, pass nil.
  func payload(in language: String?) -> [UInt8] {
    guard let language, let alert = alerts.alert(in: language) else { return payload.bytes }
    var payload = payload
    var aps = payload["aps"]?.objectValue ?? [:]
    aps["alert"] = .object(alert)
    payload["aps"] = .object(aps)
    return payload.bytes
  }

  /// Returns the language of the text for a device, or nil for a campaign without languages.
  ///
  /// If a device changed its language after the audience was checked, and the campaign has no text for the new
  /// language, the device receives the same text as a device without a language.
  func textLanguage(for device: String?) -> String? {
    guard let choice = alerts.choice else { return nil }
    return (choice.language(for: device) ?? choice.language(for: nil))?.language
  }

  /// Returns the part of the payload in `language` that a device displays.
  package func preview(in language: String?) -> JSONValue {
    if let language, let alert = alerts.alert(in: language) { return .object(alert) }
    return payload["aps"]?.objectValue?["alert"] ?? .null
  }

  /// Returns the expiration of a push that is sent at `unixSeconds`, in seconds since 1970.
  func expiration(now unixSeconds: Int64) -> Push.Expiration {
    switch expirationSeconds {
    case nil: .servicePolicy
    case 0?: .once
    case let seconds?: .until(unixSeconds: unixSeconds + seconds)
    }
  }

  private func checkSizes() throws(RequestProblems) {
    var problems: [RequestProblem] = []
    for language in alerts.languages.isEmpty ? [nil] : alerts.languages.map(Optional.some) {
      let count = payload(in: language).count
      if count > type.payloadBytesMax {
        problems.append(
          RequestProblem(
            language.map(alerts.member) ?? "payload", "the payload has \(count) bytes",
            do: "shorten it to \(type.payloadBytesMax)"))
      }
    }
    if !problems.isEmpty { throw RequestProblems(problems) }
  }
}

/// A reader for a campaign's members, which collects the problems that it finds.
private struct CampaignReader {
  private let object: JSONObject
  private(set) var problems: [RequestProblem] = []

  init(_ object: JSONObject) { self.object = object }

  mutating func report(_ field: String, _ what: String, do advice: String) {
    problems.append(RequestProblem(field, what, do: advice))
  }

  /// Returns the beginning of a value, for use in a message.
  private static func excerpt(_ value: JSONValue) -> String {
    "'\(RequestProblem.excerpt(value))'"
  }

  /// Checks the name, which an operator can omit.
  mutating func checkName() {
    guard let name = text("name") else { return }
    check(
      name, "name", bytesMax: Limits.campaignNameBytesMax,
      ifEmpty: "enter a name, or leave it out to use the first title")
  }

  /// Reports the reason that a text is not one line of text of a limited length, if it is not; returns true if it is.
  @discardableResult
  private mutating func check(
    _ text: String, _ field: String, bytesMax: Int, ifEmpty advice: String
  ) -> Bool {
    if text.utf8.isEmpty {
      report(field, "empty", do: advice)
    } else if text.utf8.count > bytesMax {
      report(field, "\(text.utf8.count) bytes are too many", do: "shorten it to \(bytesMax) bytes")
    } else if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      report(
        field, "contains a line break or another control character", do: "use one line of text")
    } else {
      return true
    }
    return false
  }

  mutating func text(_ field: String) -> String? {
    guard let value = object[field], value != .null else { return nil }
    guard let text = value.stringValue else {
      report(field, "invalid value \(Self.excerpt(value))", do: "expected a JSON string")
      return nil
    }
    return text
  }

  mutating func object(_ field: String) -> JSONObject? {
    guard let value = object[field], value != .null else { return nil }
    guard let members = value.objectValue else {
      report(field, "invalid value \(Self.excerpt(value))", do: "expected a JSON object")
      return nil
    }
    return members
  }

  mutating func number(_ field: String, in range: ClosedRange<Int64>) -> Int64? {
    guard let value = object[field], value != .null else { return nil }
    guard let number = value.integerValue, range.contains(number) else {
      report(
        field, "invalid value \(Self.excerpt(value))",
        do: "expected a number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  mutating func pushType() -> PushType {
    guard let name = text("pushType") else { return .alert }
    guard let type = PushType(Array(name.utf8).span) else {
      let names = PushType.allCases.map { "\($0.name)" }.joined(separator: ", ")
      report(
        "pushType", "invalid value \(Self.excerpt(.string(name)))",
        do: "expected one of \(names)")
      return .alert
    }
    return type
  }

  mutating func topic(of type: PushType) -> String {
    guard let topic = text("topic") else {
      if object["topic"] == nil {
        report("topic", "missing", do: "add the app's bundle identifier, such as com.example.app")
      }
      return ""
    }
    guard AppKeys.isTopic(topic) else {
      report(
        "topic", "invalid value \(Self.excerpt(.string(topic)))",
        do: "expected a bundle identifier such as com.example.app")
      return ""
    }
    return type.topic(named: topic)
  }

  mutating func priority() -> UInt8? {
    guard let value = object["priority"], value != .null else { return nil }
    guard let number = value.integerValue, [10, 5, 1].contains(number) else {
      report("priority", "invalid value \(Self.excerpt(value))", do: "expected 10, 5 or 1")
      return nil
    }
    return UInt8(number)
  }

  mutating func collapseID() -> String? {
    guard let text = text("collapseID") else { return nil }
    let isValid = check(
      text, "collapseID", bytesMax: WireLimits.collapseIDBytesMax,
      ifEmpty: "enter an ID, or leave it out")
    return isValid ? text : nil
  }

  mutating func sendTime() -> SendTime {
    var time = SendTime()
    if let at = text("at") {
      time.start = SendTime.start(at)
      if let problem = SendTime.problem(in: at) { problems.append(problem) }
    }
    time.quietHours = quietHours()
    return time
  }

  private mutating func quietHours() -> SendTime.QuietHours? {
    guard let value = object["quietHours"], value != .null else { return nil }
    guard let quiet = value.objectValue else {
      report(
        "quietHours", "invalid value \(Self.excerpt(value))",
        do: "expected an object such as {\"from\": \"22:00\", \"to\": \"08:00\"}")
      return nil
    }
    let unknown = quiet.keys.lazy.filter { !["from", "to"].containsBytes(of: $0) }
    for key in unknown.prefix(Limits.warningsMax) {
      report(
        "quietHours", "unknown member '\(RequestProblem.excerpt(key))'", do: "expected from and to")
    }
    let start = timeOfDay("from", in: quiet, example: "22:00")
    let end = timeOfDay("to", in: quiet, example: "08:00")
    guard let from = start, let to = end else { return nil }
    guard from != to else {
      report(
        "quietHours", "the start and end times are equal",
        do: "use two different times, or leave out the quiet hours")
      return nil
    }
    return SendTime.QuietHours(from: from, to: to)
  }

  /// Reads one end of the quiet hours, in minutes since midnight.
  private mutating func timeOfDay(
    _ key: String, in quiet: JSONObject, example: String
  ) -> Int? {
    let value = quiet[key] ?? .null
    if let minutes = value.stringValue.flatMap(SendTime.minutes) { return minutes }
    report(
      "quietHours.\(key)",
      value == .null ? "missing" : "invalid value \(Self.excerpt(value))",
      do: "expected a time such as \(example), from 00:00 to 23:59")
    return nil
  }

  mutating func environment() -> Environment? {
    guard let text = text("environment") else { return nil }
    do throws(RequestProblem) {
      return try RegistrationRequest.environment(text)
    } catch {
      problems.append(error)
      return nil
    }
  }

  /// Reads the fallback: a language, or `false` for none.
  mutating func fallback() -> LanguageChoice.Fallback {
    switch object["fallback"] {
    case nil, .null?: return .widelySpoken
    case .string(let language)?: return .language(language)
    case .bool(false)?: return .none
    default:
      report(
        "fallback", "invalid value \(Self.excerpt(object["fallback"] ?? .null))",
        do: "expected one of the campaign's languages, or false for no fallback")
      return .none
    }
  }

  mutating func arguments() -> [String] {
    guard let value = object["arguments"], value != .null else { return [] }
    guard case .array(let values) = value, values.count <= Limits.argumentsMax else {
      report(
        "arguments", "not an array of up to \(Limits.argumentsMax) values",
        do: "expected strings and numbers")
      return []
    }
    var arguments: [String] = []
    for value in values {
      switch value {
      case .string(let text): arguments.append(text)
      case .integer(let number): arguments.append(String(number))
      case .double(let number): arguments.append("\(number)")
      default:
        report(
          "arguments", "invalid value \(Self.excerpt(value))",
          do: "expected strings and numbers")
      }
    }
    return arguments
  }

  mutating func alerts(fallback: LanguageChoice.Fallback, arguments: [String]) -> AlertCatalogue {
    switch object["alert"] {
    case nil, .null?: return .none
    case .object(let alert)? where alert.keys.isEmpty:
      report("alert", "no text", do: "add text in a language, or remove 'alert'")
      return .none
    case .object(let alert)?:
      do throws(RequestProblems) {
        return try AlertCatalogue(alert, fallback: fallback, arguments: arguments)
      } catch {
        problems += error.all
      }
    default:
      report(
        "alert", "not an object",
        do: "use one member per language; only 'belfry campaign send' reads strings files by name")
    }
    return .none
  }

  mutating func checkContent(_ payload: JSONObject, _ type: PushType, hasAlert: Bool) {
    if let aps = payload["aps"], aps.objectValue == nil {
      report("payload", "'aps' is not an object", do: "use a JSON object")
    }
    let aps = payload["aps"]?.objectValue ?? [:]
    if hasAlert, aps["alert"] != nil {
      report(
        "payload", "both 'alert' and 'payload' contain alert text (aps.alert)",
        do: "remove one of them")
    }
    if type == .alert, object["alert"] == nil, payload.isEmpty {
      report("alert", "nothing to show", do: "add 'alert' or 'payload'")
    }
    guard type == .background else { return }
    if hasAlert || ["alert", "badge", "sound"].contains(where: { aps[$0] != nil }) {
      report(
        "pushType", "a background push cannot have an alert, a badge or a sound",
        do: "remove them, or use the push type alert")
    }
    if aps["content-available"]?.integerValue != 1 {
      report(
        "payload", "a background push needs 'aps.content-available'", do: "set it to 1")
    }
    if let priority = object["priority"]?.integerValue, priority != 5 {
      report(
        "priority", "\(priority) is not allowed for a background push",
        do: "use 5, or remove it")
    }
  }
}
