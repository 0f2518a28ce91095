import BelfryWire

/// A reader of received pushes, which uses every part of a push that it can read.
enum PushReading {
  /// Returns the push and its parsed payload, and logs values that cannot be used.
  ///
  /// JSON permits numbers of any size (RFC 8259 section 6), so the gateway accepts them, but no number type of the
  /// agent or of an app can represent them. Such numbers are removed from the push's payload, and the rest is
  /// delivered.
  static func read(
    _ push: ReceivedPush, _ context: inout AgentContext
  ) -> (push: ReceivedPush, payload: PushPayload) {
    var push = push
    var payload = PushPayload(push.payload)
    if payload == nil {
      do throws(JSONFailure) {
        let (value, omitted) = try JSONValue.omittingNumbersOutOfRange(in: push.payload)
        push.payload = value.bytes
        payload = PushPayload(push.payload)
        context.emit(
          .log(
            .pushValuesIgnored(
              push.app, keys: omitted, why: "a number is out of the range of a Double"))
        )
      } catch {
        context.emit(.log(.pushUnreadable(push.app, why: "\(error)")))
      }
    }
    if payload?.isBadgeUnusable == true {
      context.emit(
        .log(
          .pushValuesIgnored(
            push.app, keys: ["badge"], why: "a badge must be a whole number of at least 0")))
    }
    return (push, payload ?? PushPayload())
  }
}
