/// A translator that converts the options of Apple's `afconvert` to the options of `belfry sound convert`.
///
/// It accepts the options that create an alert sound.
enum AfconvertWords {
  /// Translates `-d FORMAT`, `-f FILE_FORMAT`, and `-v`; returns other arguments unchanged.
  static func translated(_ arguments: [String]) throws(UsageError) -> [String] {
    var words: [String] = []
    var format: String?
    var suffixes: [String]?
    var index = 0
    while index < arguments.count {
      let word = arguments[index]
      index += 1
      guard word == "-d" || word == "-f" else {
        if word != "-v" { words.append(word) }
        continue
      }
      guard index < arguments.count else {
        throw UsageError("missing value for \(word): add one, as in -d ima4 or -f caff")
      }
      if word == "-d" {
        format = try encoding(arguments[index])
      } else {
        suffixes = try fileSuffixes(arguments[index])
      }
      index += 1
    }
    if let suffixes, let file = words.last(where: { !$0.hasPrefix("-") }),
      !suffixes.contains(where: { file.lowercased().hasSuffix($0) })
    {
      throw UsageError(
        "the extension of \(file) does not match the format given with -f: use a name that ends in "
          + suffixes[0])
    }
    return (format.map { ["--encoding", $0] } ?? []) + words
  }

  private static func encoding(_ format: String) throws(UsageError) -> String {
    switch format {
    case "ima4", "ulaw", "alaw": return format
    case "LEI16", "BEI16", "I16": return "pcm"
    default:
      throw UsageError(
        "invalid value '\(format)' for -d: expected ima4, ulaw, alaw, LEI16 or BEI16")
    }
  }

  private static func fileSuffixes(_ format: String) throws(UsageError) -> [String] {
    switch format {
    case "caff": return [".caf"]
    case "AIFF", "AIFC": return [".aiff", ".aif", ".aifc"]
    case "WAVE": return [".wav"]
    default:
      throw UsageError(
        "invalid value '\(format)' for -f: expected caff, AIFF or WAVE")
    }
  }
}
