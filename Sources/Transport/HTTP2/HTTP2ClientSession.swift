/// An event that a client session reads from its peer's bytes.
///
/// Pointers are valid until the next call of `next`.
@unsafe public enum HTTP2ResponseEvent: BitwiseCopyable {
  /// A header field, starting with ":status".
  case field(streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
  /// A piece of the body.
  case body(streamID: Int32, UnsafeRawBufferPointer)
  /// The response is complete.
  case ended(streamID: Int32)
  /// The response will never be complete.
  case failed(streamID: Int32, HTTP2RequestFailure)
  /// A GOAWAY arrived: streams above `lastStreamID` weren't processed and fail with `.unprocessed`.
  case wentAway(lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer)
  /// The server's SETTINGS changed the number of concurrent streams. The first such event precedes any answer.
  case concurrentStreamsChanged(UInt32)
  /// The peer has acknowledged a `ping`.
  case pingAcknowledged
}

/// The reason that a request has no complete response.
public enum HTTP2RequestFailure: Sendable, Equatable, BitwiseCopyable {
  /// The server reset the stream.
  case reset(errorCode: UInt32)
  /// The server didn't process the request (REFUSED_STREAM, or a stream above the last stream in a GOAWAY), so the
  /// request can be retried.
  case unprocessed
  /// The connection closed or the server violated the protocol, so the server might have processed the request.
  case connectionLost
}

/// A client's protocol codec without a socket, which converts requests into bytes, and bytes into responses.
public protocol HTTP2ClientSession: AnyObject {
  /// The number of requests that can be started now under the server's limit; 0 before the server's first SETTINGS.
  var availableStreams: Int { get }

  /// The number of requests without a complete response.
  var openStreams: Int { get }

  /// True after either side sent GOAWAY; no new request is possible.
  var isGoingAway: Bool { get }

  /// Begins a request, and returns the stream number that identifies the request in events.
  ///
  /// `fields` must begin with the pseudo-header fields. Returns nil if the connection accepts no more requests, either
  /// temporarily (`availableStreams` is 0) or permanently (`isGoingAway`).
  func request(fields: [(name: String, value: String)], body: [UInt8]) -> Int32?

  /// Returns the next event in the peer's bytes, and removes the bytes that were read from the front of `input`.
  ///
  /// Call this method until it returns nil, which means that all of `input` has been read. The memory of `input` must
  /// remain valid until then. Also call it, with an empty `input`, after `takeOutput` and `connectionEnded`, which can
  /// end requests.
  func next(_ input: inout UnsafeRawBufferPointer) -> HTTP2ResponseEvent?

  /// Passes all frames that can be sent now to `body`.
  func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void)

  /// Queues a PING; an event reports its acknowledgment.
  func ping()

  /// Cancels a request, which fails with the reason `.reset`.
  func cancel(_ streamID: Int32)

  /// Queues a GOAWAY without an error.
  ///
  /// Open requests are still answered.
  func goAway()

  /// Handles the closing of the socket, which causes every open request to fail with `.connectionLost`.
  func connectionEnded()

  /// True if no more data will be read or written.
  var isFinished: Bool { get }
}
