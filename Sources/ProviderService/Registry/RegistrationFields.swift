internal import BelfryWire
internal import System
internal import Transport

/// The fields of a registration, received in the URL, in a form, or in a JSON object.
struct RegistrationFields {
  /// The names of the supported fields; other fields belong to the app.
  static let names = deviceNames + ["endpoint", "p256dh", "auth"]
  /// The names of the fields that apps write themselves; a browser writes the others.
  private static let deviceNames = [
    "deviceToken", "token", "topic", "language", "timeZone", "user", "installation", "tag",
    "environment",
  ]
  /// Alternative names that apps use, in lowercase, without hyphens or underscores.
  private static let synonyms = [
    "devicetoken": "deviceToken", "pushtoken": "deviceToken", "apnstoken": "deviceToken",
    "bundleid": "topic", "bundleidentifier": "topic", "appid": "topic", "locale": "language",
    "lang": "language", "languagecode": "language", "languagetag": "language",
    "preferredlanguage": "language", "tz": "timeZone", "zone": "timeZone",
    "timezonename": "timeZone", "userid": "user", "username": "user", "uid": "user",
    "installationid": "installation", "installid": "installation", "tags": "tag",
    "env": "environment", "apsenvironment": "environment",
  ]

  private(set) var pairs: [(name: String, value: String)] = []
  /// The token's bytes, if the request's body consists of the token itself.
  private(set) var raw: [UInt8]?
  private(set) var problems: [RequestProblem] = []

  /// Reads the query, and the body if it is a form, JSON, or the token itself.
  init(_ request: HTTP1Request) throws(RequestProblems) {
    pairs = Self.withNames(request.query)
    if request.method == "POST", !request.body.isEmpty { try readBody(request) }
    checkPairs()
  }

  /// Reads one object from a line of a list.
  init(_ object: JSONObject) {
    read(object)
    checkPairs()
  }

  /// Returns the first nonempty value of a field with one of these names.
  func first(_ names: String...) -> String? {
    pairs.first { names.contains($0.name) && !$0.value.isEmpty }?.value
  }

  func all(_ name: String) -> [String] {
    pairs.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
  }

  /// The warnings for the developer about ignored fields with names that resemble supported names.
  var warnings: [String] {
    var warnings: [String] = []
    var compared = 0
    for pair in pairs where !Self.names.contains(pair.name) {
      compared += 1
      let meant =
        Self.meant(by: pair.name)
        ?? (compared <= Limits.fieldsCompared ? Self.resembled(by: pair.name) : nil)
      guard let meant, warnings.count < Limits.warningsMax else {
        continue
      }
      let warning = "'\(RequestProblem.excerpt(pair.name))' was ignored: use '\(meant)'"
      if !warnings.contains(warning) { warnings.append(warning) }
    }
    return warnings
  }

  /// Returns the supported name that the app probably meant by an unknown name.
  ///
  /// Returns nil for a supported name, and for a name that the app chose for its own field.
  static func meant(by name: String) -> String? {
    guard !names.contains(name) else { return nil }
    let plain = String(name.lowercased().filter { !"_-[]".contains($0) })
    return names.first { $0.lowercased() == plain } ?? synonyms[plain]
  }

  /// Returns the supported name that an unknown name resembles, for example because of a typing error.
  ///
  /// Returns nil for a short name, such as "tug", because it can be the name of the app's own field.
  private static func resembled(by name: String) -> String? {
    guard name.utf8.count >= 6 else { return nil }
    return Suggestion.nearest(to: name, in: deviceNames)
  }

  /// Returns the fields whose names are short enough to be, or to resemble, supported names.
  ///
  /// The other fields are dropped without a comparison. Comparing strings normalizes them, which takes a long time for
  /// a long run of combining marks.
  private static func withNames(
    _ pairs: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    pairs.filter { mayBeName($0.name) }
  }

  private static func mayBeName(_ name: String) -> Bool {
    name.utf8.count <= Limits.fieldNameBytesMax
  }

  // MARK: The body

  private mutating func readBody(_ request: HTTP1Request) throws(RequestProblems) {
    let type = (request.field("content-type") ?? "").lowercased()
    if type.hasPrefix("application/octet-stream") {
      raw = request.body
    } else if type.hasPrefix("application/json") {
      guard let object = (try? JSONValue(parsing: request.body))?.objectValue else {
        let fault = PayloadFault(in: request.body)
        let place = fault.map { " at line \($0.line), column \($0.column) (\($0.what))" }
        throw RequestProblems([
          RequestProblem(
            nil, "the body is not a JSON object\(place ?? "")",
            do: fault?.remedy ?? "send a JSON object or a form")
        ])
      }
      if let key = JSONValue.doubledKey(in: request.body) {
        throw RequestProblems([
          RequestProblem(RequestProblem.excerpt(key), "sent twice", do: "send it once")
        ])
      }
      read(object)
    } else {
      let form = Self.withNames(request.form)
      // If a request has no content type of its own, curl labels the body as a form.
      let isUntyped = type.isEmpty || type.hasPrefix("application/x-www-form-urlencoded")
      let hasField = form.contains { Self.names.contains($0.name) }
      let hasToken = first("deviceToken", "token") != nil
      if isUntyped, !hasField, !hasToken, !Self.isText(request.body) {
        raw = request.body
      } else {
        pairs += form
      }
    }
  }

  /// Returns true if bytes can be a form: UTF-8 without control characters, except line breaks and tabs.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
      && String(validating: bytes, as: UTF8.self) != nil
  }

  private mutating func read(_ object: JSONObject) {
    for member in object.members where Self.mayBeName(member.key) {
      switch member.value {
      // The form of a browser's subscription: {"endpoint":…,"keys":{"p256dh":…,"auth":…}}.
      case .object(let subscription) where member.key.hasSameBytes(as: "subscription"):
        read(subscription)
      case .object(let keys) where member.key.hasSameBytes(as: "keys"):
        for name in ["p256dh", "auth"] {
          if let text = keys[name]?.stringValue { pairs.append((name, text)) }
        }
      case .string(let text): pairs.append((member.key, text))
      case .array(let values) where member.key == "tag" || member.key == "tags":
        for value in values {
          guard let text = value.stringValue else {
            problems.append(
              RequestProblem(member.key, "not a list of strings", do: "expected only strings"))
            break
          }
          pairs.append(("tag", text))
        }
      case .null: break
      default:
        guard Self.names.contains(member.key) || member.key == "tags" else {
          pairs.append((member.key, ""))
          continue
        }
        problems.append(RequestProblem(member.key, "not a string", do: "expected a string"))
      }
    }
  }

  // MARK: Checks

  private mutating func checkPairs() {
    var given: Set<String> = []
    var told: Set<String> = []
    if raw != nil { given.insert("deviceToken") }
    for pair in pairs where Self.names.contains(pair.name) && !pair.value.isEmpty {
      // Invalid UTF-8 was replaced with this character, which would make different strings equal.
      if pair.value.unicodeScalars.contains("\u{FFFD}"), told.insert(pair.name).inserted {
        problems.append(
          RequestProblem(pair.name, "not valid UTF-8", do: "encode the value as UTF-8"))
      }
      let field = pair.name == "token" ? "deviceToken" : pair.name
      if field != "tag", !given.insert(field).inserted, told.insert("\(field) twice").inserted {
        problems.append(RequestProblem(field, "sent twice", do: "send it once"))
      }
    }
  }
}
