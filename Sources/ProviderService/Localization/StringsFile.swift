public import BelfryWire
internal import Scheduling
internal import Foundation
internal import System

/// A reader that converts strings files to the text of a campaign's `alert`.
public enum StringsFile {
  /// Replaces the names of strings files in a campaign's `alert` with their contents.
  ///
  /// `folder` contains the campaign's file. A name in place of a language's object refers to that language's
  /// `.strings`, `.stringsdict`, or JSON file, with the keys `title`, `subtitle`, and `body`. A name in place of the
  /// whole `alert` refers to a `.xcstrings` or JSON file with every language, or is the name of the files in the
  /// `.lproj` folders.
  ///
  /// If some of the files cannot be read, the error also contains the problems of the rest of the campaign.
  public static func resolve(
    _ campaign: JSONObject, in folder: String
  ) throws(RequestProblems) -> JSONObject {
    try resolve(campaign, from: .folder(folder))
  }

  /// Replaces the names of strings files with the contents of the files that were sent with the campaign.
  package static func resolve(
    _ campaign: JSONObject, files: [String: [UInt8]]
  ) throws(RequestProblems) -> JSONObject {
    try resolve(campaign, from: .files(files))
  }

  private static func resolve(
    _ campaign: JSONObject, from source: StringsSource
  ) throws(RequestProblems) -> JSONObject {
    var campaign = campaign
    let source = StringsCache(source)
    var problems: [RequestProblem] = []
    switch campaign["alert"] {
    case .string(let name)?:
      do throws(RequestProblems) {
        campaign["alert"] = .object(try everyLanguage(name, source))
      } catch {
        problems = error.all
        campaign["alert"] = nil
      }
    case .object(let alert)?:
      // A single alert for all languages has no files: an unknown member is a mistake, not a language.
      if alert.keys.contains(where: LocalizedAlert.isKey) { break }
      var texts: [(String, JSONValue)] = []
      for member in alert.members {
        guard let name = member.value.stringValue else {
          texts.append((member.key, member.value))
          continue
        }
        // Report only the first problems, because a request can name any number of files.
        guard problems.count < Limits.warningsMax else { break }
        do throws(RequestProblems) {
          let text = try oneLanguage(
            name, member.key, path: name, field: "alert.\(member.key)", source)
          texts.append((member.key, .object(text)))
        } catch {
          problems += error.all
        }
      }
      campaign["alert"] = .object(JSONObject(texts))
    default: break
    }
    guard problems.isEmpty else {
      throw RequestProblems(problems + CampaignDocument.problems(ofIncomplete: campaign))
    }
    return campaign
  }

  private static func everyLanguage(
    _ name: String, _ source: StringsCache
  ) throws(RequestProblems) -> JSONObject {
    if name.hasSuffix(".xcstrings") {
      return try catalogue(name, "alert", source)
    }
    if name.hasSuffix(".json") { return try json(name, "alert", source) }
    var alert = JSONObject()
    for folder in source.languageFolders {
      let file = "\(folder)/\(name)"
      guard source.has(file) else { continue }
      let language = String(folder.dropLast(6))
      alert[language] = .object(
        try oneLanguage(name, language, path: file, field: "alert.\(language)", source))
    }
    guard !alert.isEmpty else {
      throw problem(
        "alert",
        "'\(RequestProblem.excerpt(name))' not found in a .lproj folder next to the campaign")
    }
    return alert
  }

  private static func oneLanguage(
    _ name: String, _ language: String, path: String, field: String, _ source: StringsCache
  ) throws(RequestProblems) -> JSONObject {
    if name.hasSuffix(".json") { return try json(path, field, source) }
    if name.hasSuffix(".xcstrings") {
      let all = try catalogue(path, field, source)
      guard let own = all[language]?.objectValue else {
        throw problem(
          field, "\(shown(name)): no strings in \(RequestProblem.excerpt(language))",
          do: "add the language to the file")
      }
      return own
    }
    let stem = path.hasSuffix(".strings") ? String(path.dropLast(8)) : nil
    var texts = try propertyList(path, field, source)
    // Plural forms are in the `.stringsdict` file of the same name.
    if let dictionary = stem.map({ $0 + ".stringsdict" }), source.has(dictionary) {
      for member in try propertyList(dictionary, field, source).members {
        texts[member.key] = member.value
      }
    }
    guard !texts.isEmpty else {
      throw problem(
        field, "\(shown(name)): none of the keys title, subtitle and body found",
        do: "add one of them")
    }
    return texts
  }

  /// Converts a `.xcstrings` file, which maps strings to languages, to an alert, which maps languages to strings.
  private static func languages(
    ofCatalogue catalogue: JSONObject, _ path: String, _ field: String
  ) throws(RequestProblems) -> JSONObject {
    var alert = JSONObject()
    for string in catalogue["strings"]?.objectValue?.members ?? []
    where LocalizedAlert.textKeys.containsBytes(of: string.key) {
      let languages = string.value.objectValue?["localizations"]?.objectValue
      for language in languages?.members ?? [] {
        guard let value = text(language.value.objectValue) else { continue }
        var own = alert[language.key]?.objectValue ?? JSONObject()
        own[string.key] = value
        alert[language.key] = .object(own)
      }
    }
    guard !alert.isEmpty else {
      throw problem(
        field, "\(shown(path)): none of the keys title, subtitle and body found",
        do: "add one of them")
    }
    return alert
  }

  private static func text(_ localization: JSONObject?) -> JSONValue? {
    if let value = localization?["stringUnit"]?.objectValue?["value"] { return value }
    guard let plural = localization?["variations"]?.objectValue?["plural"]?.objectValue else {
      return nil
    }
    return .object(
      JSONObject(
        plural.members.compactMap { form in
          form.value.objectValue?["stringUnit"]?.objectValue?["value"].map { (form.key, $0) }
        }))
  }

  private static func catalogue(
    _ path: String, _ field: String, _ source: StringsCache
  ) throws(RequestProblems) -> JSONObject {
    try source.value(of: path) { () throws(RequestProblems) in
      try languages(ofCatalogue: parseJSON(path, field, source), path, field)
    }
  }

  private static func json(
    _ path: String, _ field: String, _ source: StringsCache
  ) throws(RequestProblems) -> JSONObject {
    try source.value(of: path) { () throws(RequestProblems) in
      try parseJSON(path, field, source)
    }
  }

  private static func parseJSON(
    _ path: String, _ field: String, _ source: StringsCache
  ) throws(RequestProblems) -> JSONObject {
    let bytes = try read(path, field, source)
    let value: JSONValue
    do throws(JSONFailure) {
      value = try JSONValue(parsing: bytes, limits: JSONLimits(bytes: Limits.stringsFileBytesMax))
    } catch {
      guard let fault = PayloadFault(in: bytes) else {
        throw problem(field, "\(shown(path)): invalid JSON: \(error)", do: "correct the file")
      }
      throw problem(
        field, "\(shown(path)) line \(fault.line), column \(fault.column): \(fault.what)",
        do: fault.remedy)
    }
    guard let object = value.objectValue else {
      throw problem(
        field, "\(shown(path)): not a JSON object",
        do: "enclose everything in '{' and '}'")
    }
    return object
  }

  /// Returns the strings of a file that belong to an alert; the other strings are the app's own.
  private static func propertyList(
    _ path: String, _ field: String, _ source: StringsCache
  ) throws(RequestProblems) -> JSONObject {
    try source.value(of: path) { () throws(RequestProblems) in
      let known = LocalizedAlert.textKeys + LocalizedAlert.deviceKeys
      return JSONObject(
        try parsePropertyList(path, field, source).members
          .filter { known.containsBytes(of: $0.key) }.map { ($0.key, $0.value) })
    }
  }

  private static func parsePropertyList(
    _ path: String, _ field: String, _ source: StringsCache
  ) throws(RequestProblems) -> JSONObject {
    let bytes = try read(path, field, source)
    // Foundation also parses this format, but its errors do not include the file's name.
    do throws(StringsParser.Failure) {
      if let object = try StringsParser.parse(file: bytes) { return object }
    } catch {
      throw problem(
        field, "\(shown(path)) line \(error.line): \(error.what)",
        do: error.remedy ?? "correct the file")
    }
    guard !CombiningRuns.areLong(inList: bytes),
      let list = unsafe try? PropertyListSerialization.propertyList(
        from: Data(bytes), options: [], format: nil) as? [String: Any]
    else {
      throw problem(
        field, "\(shown(path)): not a strings file",
        do: "expected lines such as \"title\" = \"text\";, or a property list")
    }
    return object(list)
  }

  private static func object(_ list: [String: Any]) -> JSONObject {
    let sorted = list.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return JSONObject(
      sorted.compactMap { key, value in
        if let text = value as? String { return (key, .string(text)) }
        return (value as? [String: Any]).map { (key, .object(object($0))) }
      })
  }

  private static func read(
    _ path: String, _ field: String, _ source: StringsCache
  ) throws(RequestProblems) -> [UInt8] {
    do throws(StringsSource.Failure) {
      return try source.read(path)
    } catch {
      throw problem(field, error.what, do: error.advice ?? usualAdvice)
    }
  }

  /// Returns the beginning of a file's name, for use in a message.
  private static func shown(_ path: String) -> String { RequestProblem.excerpt(path) }

  private static let usualAdvice =
    "expected {\"title\":…,\"body\":…}, or the name of a .strings, .stringsdict, .xcstrings or JSON file"

  private static func problem(
    _ field: String, _ what: String,
    do advice: String = usualAdvice
  ) -> RequestProblems {
    RequestProblems([RequestProblem(field, what, do: advice)])
  }
}
