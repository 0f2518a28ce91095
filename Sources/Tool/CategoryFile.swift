import BelfryWire
import AppWire
import System

/// A category file for `belfry app run --category`, in the format of a category in `docs/app-link.md`.
///
/// An action can also specify its options as Boolean members, as in a `presented` line. Because users write the file by
/// hand, unknown members are refused; on the link, they are ignored.
enum CategoryFile {
  private static let categoryKeys = [
    "id", "actions", "minimalActions", "options", "intents", "placeholder", "summaryFormat",
  ]
  private static let actionKeys = ["id", "title", "options", "icon", "textInput"]
  private static let textInputKeys = ["button", "placeholder"]

  /// Reads a file.
  ///
  /// - Throws: `UsageError` that describes the error in the file, or the reason that the file can't be read.
  static func read(_ path: String) throws -> NotificationCategory {
    let bytes = try FileSystem.read(path, limit: 1 << 20)
    do {
      return try category(try JSONValue(parsing: bytes))
    } catch let error as UsageError {
      throw UsageError("\(path): \(error.description): see docs/app-link.md, Category")
    } catch {
      throw UsageError("\(path): \(error): see docs/app-link.md, Category")
    }
  }

  private static func category(_ value: JSONValue) throws -> NotificationCategory {
    guard var object = value.objectValue else { throw UsageError("expected a JSON object") }
    try check(object, categoryKeys, "a category")
    try check(
      words: object["options"], NotificationCategory.Option.allCases.map(\.rawValue), "a category")
    for key in ["actions", "minimalActions"] {
      guard let actions = object[key], actions != .null else { continue }
      guard let list = actions.arrayValue else { throw UsageError("\"\(key)\" must be an array") }
      object[key] = .array(try list.map(action))
    }
    return try NotificationCategory(json: object)
  }

  private static func action(_ value: JSONValue) throws -> JSONValue {
    guard let object = value.objectValue else {
      throw UsageError("an action must be a JSON object")
    }
    let optionNames = NotificationAction.Option.allCases.map(\.rawValue)
    try check(object, actionKeys + optionNames, "an action")
    try check(words: object["options"], optionNames, "an action")
    var options = (object["options"]?.arrayValue ?? []).compactMap(\.stringValue)
    for name in optionNames {
      guard let flag = object[name], flag != .null else { continue }
      guard let isOn = flag.boolValue else {
        throw UsageError("\"\(name)\" of an action must be true or false")
      }
      if isOn { options.append(name) }
    }
    if let input = object["textInput"]?.objectValue {
      try check(input, textInputKeys, "a text input")
    }
    var result = JSONObject()
    for key in actionKeys where key != "options" { result[key] = object[key] }
    result["options"] = .array(options.map(JSONValue.string))
    return .object(result)
  }

  private static func check(_ object: JSONObject, _ keys: [String], _ what: String) throws {
    guard let odd = object.members.first(where: { !keys.contains($0.key) })?.key else { return }
    throw UsageError("\"\(odd)\" is not a key of \(what): use \(keys.joined(separator: ", "))")
  }

  private static func check(words value: JSONValue?, _ words: [String], _ what: String) throws {
    for word in value?.arrayValue ?? [] where !words.contains(word.stringValue ?? "") {
      throw UsageError(
        "\(word.text) is not an option of \(what): use \(words.joined(separator: ", "))")
    }
  }
}
