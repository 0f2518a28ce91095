/// The content of a log call.
struct LogRecord: Sendable {
  let unixMilliseconds: Int64
  let level: Log.Level
  /// The part of the program that logs.
  let subsystem: String
  private(set) var message: String
  private(set) var fields: [(key: String, value: String)]

  init(
    unixMilliseconds: Int64, level: Log.Level, subsystem: String, message: String,
    fields: KeyValuePairs<String, String>
  ) {
    self.unixMilliseconds = unixMilliseconds
    self.level = level
    self.subsystem = subsystem
    self.message = message
    self.fields = fields.map { ($0.key, $0.value) }
  }

  /// Returns a copy of the record with the number of lines that it replaces.
  func repeated(_ count: Int) -> LogRecord {
    var record = self
    record.fields.append((key: "repeated", value: "\(count)"))
    return record
  }

  /// A copy of the record whose strings are truncated to their limit, for storage.
  var cut: LogRecord {
    var record = self
    (record.message, record.fields) = bounded
    return record
  }

  /// The message and fields with at most `Limits.logLineBytes` bytes of text in total, for formats in which a truncated
  /// line would be invalid.
  var bounded: (message: String, fields: [(key: String, value: String)]) {
    var left = Limits.logLineBytes
    func cut(_ text: String) -> String {
      let bytes = text.utf8.count
      defer { left = max(0, left - bytes) }
      if bytes <= left { return text }
      return String(decoding: text.utf8.prefix(left), as: UTF8.self) + "…"
    }
    return (cut(message), fields.map { ($0.key, cut($0.value)) })
  }

  /// A byte sequence that is equal for two records if they count as the same line: all written data except the time and
  /// a peer's port.
  ///
  /// The value is an array of bytes, not a `String`, because Swift normalizes strings to compare them, and text from a
  /// peer could make the normalization expensive.
  var identity: [UInt8] {
    let (message, fields) = bounded
    var bytes = [level.rawValue]
    for text in [subsystem, message] { Self.append(text.utf8, to: &bytes) }
    for (key, value) in fields {
      Self.append(key.utf8, to: &bytes)
      Self.append(key == "peer" ? Self.withoutPort(value.utf8[...]) : value.utf8[...], to: &bytes)
    }
    return bytes
  }

  /// Appends a string and its length, so that no two lists of strings have the same bytes.
  private static func append(_ text: some Collection<UInt8>, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: text.count >> shift))
    }
    bytes += text
  }

  /// Returns an address in the format of `SocketAddress` up to its last colon, because a client uses a different port
  /// for each connection.
  private static func withoutPort(_ address: Substring.UTF8View) -> Substring.UTF8View {
    guard let colon = address.lastIndex(of: UInt8(ascii: ":")) else { return address }
    return address[..<colon]
  }
}
