/// Server-sent events, as defined in the HTML standard.
public enum EventStream {
  /// The content type of an event stream.
  public static let type = "text/event-stream; charset=utf-8"

  /// A comment line and an empty line, which are written to detect a client that has disconnected.
  public static let heartbeat: [UInt8] = [0x3A, 0x0A, 0x0A]

  /// Returns true if the client requests events.
  public static func isWanted(by request: HTTP1Request) -> Bool {
    request.field("accept")?.hasPrefix("text/event-stream") ?? false
  }

  /// Appends an event; `data` must not contain a line break.
  public static func append(_ data: [UInt8], to bytes: inout [UInt8]) {
    assert(!data.contains(0x0A), "the data of an event contains no line break")
    bytes += Array("data: ".utf8)
    bytes += data
    bytes += [0x0A, 0x0A]
  }
}
