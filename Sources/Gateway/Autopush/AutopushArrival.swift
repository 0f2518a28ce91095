import WebPush

/// A browser's connection on its way to the home of its device.
struct AutopushArrival: Sendable {
  /// The state of the connection, after `hello`.
  let server: AutopushServer
  /// The enrollment code from the path of the browser's request.
  let code: [UInt8]
  /// The identifier that the browser presented, or that it was given.
  let uaid: AutopushUserAgentID
}
