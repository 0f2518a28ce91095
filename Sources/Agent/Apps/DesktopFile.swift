import BelfryWire

/// The `[Desktop Entry]` group of a desktop file (Desktop Entry Specification 1.5).
package struct DesktopFile: Hashable {
  private var values: [String: String] = [:]

  /// Parses the text; keys of other groups are ignored.
  ///
  /// Text with long runs of combining characters yields no keys, because comparing the keys would take too long.
  package init(_ text: String) {
    guard !CombiningRuns.areLong(inList: Array(text.utf8)) else { return }
    var isInGroup = false
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("[") {
        isInGroup = line == "[Desktop Entry]"
        continue
      }
      guard isInGroup, !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
      let key = line[..<equals].trimmingSpaces
      if values[key] == nil { values[key] = line[line.index(after: equals)...].trimmingSpaces }
    }
  }

  package subscript(key: String) -> String? { values[key].map(Self.unescaped) }

  /// Returns the value in the best-matching language, or the value without a language if no language matches.
  package func localized(_ key: String, languages: [String]) -> String? {
    for language in languages {
      let tag = language.replacing("-", with: "_")
      for candidate in [tag, String(tag.prefix { $0 != "_" })] {
        if let value = self["\(key)[\(candidate)]"] { return value }
      }
    }
    return self[key]
  }

  /// The program and its arguments, without field codes.
  package var command: [String] {
    guard let exec = values["Exec"] else { return [] }
    var words: [String] = []
    var word = ""
    var isQuoted = false
    var hasWord = false
    var characters = Self.unescaped(exec).makeIterator()
    while let character = characters.next() {
      switch character {
      case "\"":
        isQuoted.toggle()
        hasWord = true
      case "\\" where isQuoted:
        if let next = characters.next() { word.append(next) }
      case "%":
        // `%%` is an escaped percent sign. The other field codes have no value here, so they are removed.
        if characters.next() == "%" {
          word.append("%")
          hasWord = true
        }
      case " " where !isQuoted, "\t" where !isQuoted:
        if hasWord { words.append(word) }
        word = ""
        hasWord = false
      default:
        word.append(character)
        hasWord = true
      }
    }
    if hasWord { words.append(word) }
    return words
  }

  private static func unescaped(_ text: String) -> String {
    var result = ""
    var characters = text.makeIterator()
    while let character = characters.next() {
      guard character == "\\", let next = characters.next() else {
        result.append(character)
        continue
      }
      switch next {
      case "s": result.append(" ")
      case "n": result.append("\n")
      case "t": result.append("\t")
      case "r": result.append("\r")
      case "\\": result.append("\\")
      default: result += "\\\(next)"
      }
    }
    return result
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    var text = self
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
