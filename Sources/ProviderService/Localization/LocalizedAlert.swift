internal import Scheduling
internal import BelfryWire

/// The alert of a campaign in one language: strings, and keys that the device looks up itself.
struct LocalizedAlert: Sendable {
  /// The members of an alert that contain the campaign's text.
  static let textKeys = ["title", "subtitle", "body"]
  /// The members that are sent to the device unchanged (apns-protocol section 3).
  static let deviceKeys = [
    "title-loc-key", "title-loc-args", "subtitle-loc-key", "subtitle-loc-args", "loc-key",
    "loc-args", "launch-image", "action-loc-key", "summary-arg", "summary-arg-count",
  ]

  /// Returns true if a member with this name belongs to an alert; any other name can be a language.
  static func isKey(_ name: String) -> Bool {
    textKeys.containsBytes(of: name) || deviceKeys.containsBytes(of: name)
  }

  private(set) var texts: [(key: String, text: AlertText)] = []
  private var members = JSONObject()

  /// Reads one language's object.
  init(_ object: JSONObject, field: String) throws(RequestProblems) {
    var problems: [RequestProblem] = []
    for member in object.members {
      let name = "\(field).\(RequestProblem.excerpt(member.key))"
      // Report only the first errors, because a file can have thousands of unknown members in hundreds of languages.
      guard problems.count < Limits.problemsPerLanguage else { break }
      if Self.textKeys.containsBytes(of: member.key) {
        guard member.value.textBytes <= Limits.textBytesMax else {
          problems.append(
            RequestProblem(
              name, "longer than \(Limits.textBytesMax) bytes, plural forms included",
              do: "shorten it: a payload has room for 4,096 bytes"))
          continue
        }
        guard let text = AlertText(member.value) else {
          problems.append(
            AlertText.lacksOther(member.value)
              ? RequestProblem(
                name, "missing plural form 'other'",
                do: "add it for the numbers without a form of their own")
              : RequestProblem(
                name, "invalid value '\(RequestProblem.excerpt(member.value))'",
                do: "expected a string, or plural forms such as {\"one\":…,\"other\":…}"))
          continue
        }
        texts.append((member.key, text))
      } else if Self.deviceKeys.containsBytes(of: member.key) {
        members[member.key] = member.value
        if let problem = Self.problem(of: member, named: name) { problems.append(problem) }
      } else {
        problems.append(
          RequestProblem(
            name, "unknown member",
            do: "expected \(Self.textKeys.joined(separator: ", ")), or a key such as loc-key"))
      }
    }
    if texts.isEmpty && members.isEmpty && problems.isEmpty {
      problems.append(RequestProblem(field, "no text", do: "add a title or a body"))
    }
    if !problems.isEmpty { throw RequestProblems(problems) }
  }

  /// True if a device would show nothing, because all strings are empty or white space.
  var isBlank: Bool {
    members.isEmpty
      && texts.allSatisfy { _, text in
        guard case .text(let string) = text else { return false }
        return string.utf8.allSatisfy { $0 <= 0x20 }
      }
  }

  /// Returns the string of one member.
  func text(_ key: String) -> AlertText? { texts.first { $0.key == key }?.text }

  /// Returns the value of `aps.alert`.
  ///
  /// Throws if a string is too long with its arguments inserted.
  func alert(
    arguments: [String], language: String, field: String
  ) throws(RequestProblems) -> JSONObject {
    var alert = JSONObject()
    var problems: [RequestProblem] = []
    for (key, text) in texts {
      let filled = text.filled(with: arguments, language: language)
      alert[key] = .string(filled.text)
      guard filled.isCut else { continue }
      problems.append(
        RequestProblem(
          "\(field).\(key)",
          "longer than \(Limits.filledTextBytesMax) bytes with its arguments, or its plural forms refer to each "
            + "other too often", do: "shorten the text or its arguments"))
    }
    if !problems.isEmpty { throw RequestProblems(problems) }
    alert.merge(members)
    return alert
  }

  private static func problem(
    of member: JSONObject.Member, named name: String
  ) -> RequestProblem? {
    if member.key.hasSuffix("-args") {
      guard case .array(let values) = member.value, values.allSatisfy({ $0.stringValue != nil })
      else {
        return RequestProblem(
          name, "invalid value '\(RequestProblem.excerpt(member.value))'",
          do: "expected an array of strings")
      }
    } else if member.key.hasSuffix("-key") {
      guard member.value.stringValue != nil || member.value == .null else {
        return RequestProblem(
          name, "invalid value '\(RequestProblem.excerpt(member.value))'",
          do: "expected a key of the app's strings file")
      }
    }
    return nil
  }
}

extension JSONValue {
  /// The total size, in bytes, of all strings in the value.
  fileprivate var textBytes: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .array(let values): values.reduce(0) { $0 + $1.textBytes }
    case .object(let object):
      object.members.reduce(0) { $0 + $1.key.utf8.count + $1.value.textBytes }
    default: 0
    }
  }
}
