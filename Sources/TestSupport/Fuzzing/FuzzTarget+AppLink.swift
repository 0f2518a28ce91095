import BelfryWire
import AppWire

extension FuzzTarget {
  /// Checks that slicing the input does not change the frames, and that a valid message is unchanged after it is
  /// written and parsed again.
  static func runAppLink(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    let whole = frames(body, slice: .max)
    precondition(whole == frames(body, slice: Int(first) + 1))
    for frame in whole { readMessage(frame) }
    // Parse the body as the JSON of a single frame as well, because random bytes rarely contain matching lengths.
    if case .object(let object)? = try? JSONValue(parsing: body) { readMessage(AppFrame(object)) }
    _ = try? NotificationRequest(decoding: body)
    _ = try? DeliveredNotification(decoding: body)
  }

  private static func frames(_ bytes: [UInt8], slice: Int) -> [AppFrame] {
    var decoder = AppFrameDecoder(limit: 1 << 16)
    var frames: [AppFrame] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      decoder.append(rest.prefix(slice))
      rest = rest.dropFirst(slice)
      do {
        while let frame = try decoder.next() { frames.append(frame) }
      } catch {
        return frames
      }
    }
    return frames
  }

  private static func readMessage(_ frame: AppFrame) {
    _ = try? AppReply(frame)
    guard let message = try? AppMessage(frame), case .request(let type, _, _) = message else {
      return
    }
    if let request = try? AppRequest(type: type, frame) {
      let again = request.frame
      guard case .string(let name)? = again.object["type"] else {
        preconditionFailure("a request's frame has no type")
      }
      precondition((try? AppRequest(type: name, again)) == request)
    }
    if let event = try? AppEvent(type: type, frame) {
      let again = event.frame
      guard case .string(let name)? = again.object["type"] else {
        preconditionFailure("an event's frame has no type")
      }
      precondition((try? AppEvent(type: name, again)) == event)
    }
  }
}
