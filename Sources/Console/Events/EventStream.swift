internal import BelfryWire
internal import Transport

/// Server-sent events: a JSON object each (the HTML standard's).
enum EventStream {
  static let type = "text/event-stream; charset=utf-8"

  /// Whether the client asks for events.
  static func isWanted(by request: HTTP1Request) -> Bool {
    request.field("accept")?.hasPrefix("text/event-stream") ?? false
  }

  /// The objects as events; JSON has no line break of its own.
  static func bytes(of objects: [JSONObject]) -> [UInt8] {
    var bytes: [UInt8] = []
    for object in objects {
      bytes += Array("data: ".utf8)
      object.append(to: &bytes)
      bytes += [0x0A, 0x0A]
    }
    return bytes
  }
}
