internal import BelfryWire

/// The strings files of one campaign, each parsed only once, because hundreds of languages can refer to the same file.
final class StringsCache {
  private let source: StringsSource
  private var values: [UTF8Text: Result<JSONObject, RequestProblems>] = [:]

  init(_ source: StringsSource) { self.source = source }

  /// The `.lproj` folders of the source, sorted.
  var languageFolders: [String] { source.languageFolders }

  /// Returns true if a file with this name exists.
  func has(_ name: String) -> Bool { source.has(name) }

  /// Returns the content of a file.
  func read(_ name: String) throws(StringsSource.Failure) -> [UInt8] { try source.read(name) }

  /// Returns the parsed content of a file, or throws the problem with it.
  func value(
    of path: String, parse: () throws(RequestProblems) -> JSONObject
  ) throws(RequestProblems) -> JSONObject {
    if let known = values[UTF8Text(path)] { return try known.get() }
    let parsed = Result { () throws(RequestProblems) in try parse() }
    values[UTF8Text(path)] = parsed
    return try parsed.get()
  }
}
