/// The format of a log line.
enum LogLine {
  static func format(
    unixMilliseconds: Int64, level: Log.Level, subsystem: String, message: String,
    fields: KeyValuePairs<String, String>
  ) -> String {
    var line = Timestamp.rfc3339(unixMilliseconds: unixMilliseconds)
    line += " \(level.name) \(subsystem): "
    append(clean(message), to: &line)
    for (key, value) in fields {
      line += " \(key)="
      append(quoted(value), to: &line)
    }
    guard line.utf8.count > Limits.logLineBytes else { return line }
    return String(decoding: line.utf8.prefix(Limits.logLineBytes), as: UTF8.self) + "…"
  }

  private static func append(_ text: String, to line: inout String) { line += text }

  /// Control characters would let a peer's text forge lines.
  private static func clean(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { isControl($0) }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        result += escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func quoted(_ text: String) -> String {
    let plain = text.unicodeScalars.allSatisfy { scalar in
      !isControl(scalar) && scalar != " " && scalar != "\"" && scalar != "="
    }
    if plain, !text.isEmpty { return text }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        result += "\\"
        result.unicodeScalars.append(scalar)
      case _ where isControl(scalar): result += escape(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
      || scalar.value == 0x2028 || scalar.value == 0x2029
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(scalar.value, radix: 16))}"
    }
  }
}
