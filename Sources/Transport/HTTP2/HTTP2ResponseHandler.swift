/// The receiver of a client's responses, which is called from within `receive`.
///
/// Pointers are valid only during the call.
public protocol HTTP2ResponseHandler: AnyObject {
  /// Called for each header field, starting with ":status".
  func responseField(_ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

  /// Called for each piece of the body.
  func responseBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer)

  /// Called when the response is complete.
  func responseEnded(_ streamID: Int32)

  /// Called if the response will never be complete.
  func responseFailed(_ streamID: Int32, reason: HTTP2RequestFailure)

  /// Called for GOAWAY: streams above `lastStreamID` weren't processed and fail with `.unprocessed`.
  func connectionWentAway(lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer)

  /// Called when the server's SETTINGS change the number of concurrent streams. The first call precedes any answer.
  func concurrentStreamsChanged(_ count: UInt32)

  /// Called when the peer has acknowledged a `ping`.
  func pingAcknowledged()
}

/// The reason that a request has no complete response.
public enum HTTP2RequestFailure: Sendable, Equatable {
  /// The server reset the stream.
  case reset(errorCode: UInt32)
  /// The server didn't process the request (REFUSED_STREAM, or a stream above the last stream in a GOAWAY), so the
  /// request can be retried.
  case unprocessed
  /// The connection closed or the server violated the protocol, so the server might have processed the request.
  case connectionLost
}
