import WebPush

/// A browser's connection on its way to the home of its device.
struct AutopushArrival: Sendable {
  /// The state of the connection, after `hello`.
  let server: AutopushServer
  /// The parts of the handshake that decide whether the browser may enroll.
  let opening: AutopushOpening
  /// The identifier that the browser presented, or that it was given.
  let uaid: AutopushUserAgentID
  /// The place of the connection among the unauthenticated ones; nil in a simulated network.
  let unproven: UnprovenArrival?
}
