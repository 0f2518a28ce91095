/// The text of a log line.
enum LogLine {
  static func text(_ record: LogRecord) -> String {
    var line = Timestamp.rfc3339(unixMilliseconds: record.unixMilliseconds)
    line += " \(record.level.name) "
    line += text(of: record.subsystem, record.message, record.fields)
    guard line.utf8.count > Limits.logLineBytes else { return line }
    return String(decoding: line.utf8.prefix(Limits.logLineBytes), as: UTF8.self) + "…"
  }

  /// Returns the part of a text line that follows the time and level.
  static func text(
    of subsystem: String, _ message: String, _ fields: [(key: String, value: String)]
  ) -> String {
    var line = "\(subsystem): \(clean(message))"
    for (key, value) in fields { line += " \(key)=\(quoted(value))" }
    return line
  }

  static func logfmt(_ record: LogRecord) -> String {
    let (message, fields) = record.bounded
    var line = "time=\(Timestamp.rfc3339(unixMilliseconds: record.unixMilliseconds))"
    line += " level=\(record.level.name) subsystem=\(quoted(record.subsystem))"
    line += " message=\(quoted(message))"
    for (key, value) in fields { line += " \(key)=\(quoted(value))" }
    return line
  }

  static func json(_ record: LogRecord) -> String {
    let (message, fields) = record.bounded
    let at = Timestamp.rfc3339(unixMilliseconds: record.unixMilliseconds)
    var line = "{\"at\":\"\(at)\",\"level\":\"\(record.level.name)\""
    let members = [("subsystem", record.subsystem), ("message", message)]
    for (key, value) in members + fields { line += ",\(jsonString(key)):\(jsonString(value))" }
    return line + "}"
  }

  private static func jsonString(_ text: String) -> String {
    inQuotes(text) { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  /// Returns the text as a quoted string, with control characters replaced by `escape`.
  private static func inQuotes(
    _ text: String, escape: (Unicode.Scalar) -> String
  ) -> String {
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

  /// Replaces control characters, because text from a peer could use them to forge lines.
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
    return plain && !text.isEmpty ? text : inQuotes(text, escape: escape)
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
