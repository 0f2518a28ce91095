/// What one call of a log says.
struct LogRecord {
  let unixMilliseconds: Int64
  let level: Log.Level
  /// The part of the program that speaks.
  let subsystem: String
  let message: String
  let fields: KeyValuePairs<String, String>

  /// Message and fields with no more than `Limits.logLineBytes` bytes of text in all, for forms that a cut would
  /// break.
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
}
