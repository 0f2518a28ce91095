/// A client's HTTP/2 connection by nghttp2, without its socket.
public final class HTTP2ClientSession {
  /// A session that calls `handler`, which it does not keep alive.
  public init(handler: any HTTP2ResponseHandler) {}

  /// Begins a request; pseudo fields first.
  ///
  /// Nil when the connection takes no more now (`availableStreams` is 0) or at all (`isGoingAway`).
  public func request(fields: [(name: String, value: String)], body: [UInt8]) -> Int32? { nil }

  /// Takes bytes of the peer.
  public func receive(_ bytes: UnsafeRawBufferPointer) -> HTTP2SessionStatus { .closing }

  /// Hands over all frames that may be sent now.
  public func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {}

  /// Queues a PING.
  public func ping() {}

  /// Gives up a request.
  public func cancel(_ streamID: Int32) {}

  /// Queues a GOAWAY without error.
  public func goAway() {}

  /// Requests that may be begun now under the server's limit; 0 before its first SETTINGS.
  public var availableStreams: Int { 0 }

  /// Requests without their whole answer.
  public var openStreams: Int { 0 }

  /// True after GOAWAY of either side: no new request.
  public var isGoingAway: Bool { true }
}
