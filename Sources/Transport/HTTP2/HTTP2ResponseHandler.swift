/// The receiver of a client's responses; called from within `receive`, pointers valid during the call.
public protocol HTTP2ResponseHandler: AnyObject {
  /// One header field, ":status" first.
  func responseField(_ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

  /// A piece of the body.
  func responseBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer)

  /// The response is whole.
  func responseEnded(_ streamID: Int32)

  /// There will be no (whole) response.
  func responseFailed(_ streamID: Int32, reason: HTTP2RequestFailure)

  /// GOAWAY: streams above `lastStreamID` were not processed and end with `.unprocessed`.
  func connectionWentAway(lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer)

  /// The server's SETTINGS allow so many streams at once; the first one comes before any answer.
  func concurrentStreamsChanged(_ count: UInt32)

  /// The peer answered a `ping`.
  func pingAcknowledged()
}

/// Why a request has no response.
public enum HTTP2RequestFailure: Sendable, Equatable {
  /// The server reset the stream.
  case reset(errorCode: UInt32)
  /// The server did not process it (REFUSED_STREAM, or above GOAWAY's last stream): try again.
  case unprocessed
  /// The connection ended or the server broke the protocol: it may have been processed.
  case connectionLost
}
