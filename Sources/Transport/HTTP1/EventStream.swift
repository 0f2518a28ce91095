/// Server-sent events, as the HTML standard has them.
public enum EventStream {
  /// The content type.
  public static let type = "text/event-stream; charset=utf-8"

  /// A line that says nothing: writing it finds out whether the client is still there.
  public static let heartbeat: [UInt8] = [0x3A, 0x0A, 0x0A]

  /// Whether the client asks for events.
  public static func isWanted(by request: HTTP1Request) -> Bool {
    request.field("accept")?.hasPrefix("text/event-stream") ?? false
  }

  /// Appends an event; `data` has no line break.
  public static func append(_ data: [UInt8], to bytes: inout [UInt8]) {
    assert(!data.contains(0x0A), "a line break would end the event's data")
    bytes += Array("data: ".utf8)
    bytes += data
    bytes += [0x0A, 0x0A]
  }
}
