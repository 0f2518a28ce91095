internal import BelfryWire
internal import Transport

/// The fields of a registration as they came: in the address, in a form or in a JSON object.
struct RegistrationFields {
  /// The names that are understood; others are the app's own business.
  static let names = [
    "deviceToken", "token", "topic", "language", "timeZone", "user", "installation", "tag",
    "environment",
  ]
  /// Names that apps use for these, in small letters, without hyphens and underscores.
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
  /// The token as the body has it.
  private(set) var raw: [UInt8]?
  private(set) var problems: [RequestProblem] = []

  /// Reads the query, and the body where it is a form, JSON, or the token itself.
  init(_ request: HTTP1Request) throws(RequestProblems) {
    pairs = Self.withNames(request.query)
    if request.method == "POST", !request.body.isEmpty { try readBody(request) }
    checkPairs()
  }

  /// Reads one object, a line of a list.
  init(_ object: JSONObject) {
    read(object)
    checkPairs()
  }

  /// The first value of one of these names; an empty one counts as none.
  func first(_ names: String...) -> String? {
    pairs.first { names.contains($0.name) && !$0.value.isEmpty }?.value
  }

  func all(_ name: String) -> [String] {
    pairs.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
  }

  /// What a developer should know of fields that were not read: their names are nearly those that are.
  var warnings: [String] {
    var warnings: [String] = []
    for pair in pairs {
      guard let meant = Self.meant(by: pair.name), warnings.count < Limits.warningsMax else {
        continue
      }
      let warning = "'\(pair.name.prefix(40))' was not read: write \(meant)"
      if !warnings.contains(warning) { warnings.append(warning) }
    }
    return warnings
  }

  /// The name that an unknown one was probably meant to be; nil for a known one, and for one of the app's own.
  static func meant(by name: String) -> String? {
    guard !names.contains(name) else { return nil }
    let plain = String(name.lowercased().filter { $0 != "_" && $0 != "-" })
    return names.first { $0.lowercased() == plain } ?? synonyms[plain]
  }

  /// Fields whose names have the length of one that is understood or nearly is.
  ///
  /// Only these are compared: a comparison of texts normalises them, which takes long for a long run of combining
  /// marks.
  private static func withNames(
    _ pairs: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    pairs.filter { mayBeName($0.name) }
  }

  private static func mayBeName(_ name: String) -> Bool {
    name.utf8.count <= Limits.fieldNameBytesMax
  }

  // MARK: the body

  private mutating func readBody(_ request: HTTP1Request) throws(RequestProblems) {
    let type = (request.field("content-type") ?? "").lowercased()
    if type.hasPrefix("application/octet-stream") {
      raw = request.body
    } else if type.hasPrefix("application/json") {
      guard let object = (try? JSONValue(parsing: request.body))?.objectValue else {
        throw RequestProblems([
          RequestProblem(nil, "the body is no JSON object", do: "send one, or a form")
        ])
      }
      read(object)
    } else {
      let form = Self.withNames(request.form)
      // What curl sends without a type is called a form, whatever it is.
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

  /// Whether bytes can be what a form is: UTF-8 without control characters, ends of lines apart.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
      && String(validating: bytes, as: UTF8.self) != nil
  }

  private mutating func read(_ object: JSONObject) {
    for member in object.members where Self.mayBeName(member.key) {
      switch member.value {
      case .string(let text): pairs.append((member.key, text))
      case .array(let values) where member.key == "tag" || member.key == "tags":
        for value in values {
          guard let text = value.stringValue else {
            problems.append(
              RequestProblem(member.key, "one of them is no text", do: "send texts alone"))
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
        problems.append(RequestProblem(member.key, "it is no text", do: "send a text"))
      }
    }
  }

  // MARK: checks

  private mutating func checkPairs() {
    var given: Set<String> = []
    var told: Set<String> = []
    if raw != nil { given.insert("deviceToken") }
    for pair in pairs where Self.names.contains(pair.name) && !pair.value.isEmpty {
      // Bytes that are no UTF-8 have become this sign: two different texts would be one.
      if pair.value.unicodeScalars.contains("\u{FFFD}"), told.insert(pair.name).inserted {
        problems.append(
          RequestProblem(pair.name, "it is not UTF-8", do: "encode the text as UTF-8"))
      }
      let field = pair.name == "token" ? "deviceToken" : pair.name
      if field != "tag", !given.insert(field).inserted, told.insert("\(field) twice").inserted {
        problems.append(RequestProblem(field, "it is given twice", do: "send it once"))
      }
    }
  }
}
