public import Transport

/// A receiver of a server session's events, with one method for each kind of event.
public protocol HTTP2RequestHandler: AnyObject {
  func requestBegan(_ streamID: Int32)
  func requestField(_ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
  func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer)
  func requestEnded(_ streamID: Int32)
  func requestReset(_ streamID: Int32, errorCode: UInt32)
}

/// A receiver of a client session's events, with one method for each kind of event.
public protocol HTTP2ResponseHandler: AnyObject {
  func responseField(_ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
  func responseBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer)
  func responseEnded(_ streamID: Int32)
  func responseFailed(_ streamID: Int32, reason: HTTP2RequestFailure)
  func connectionWentAway(lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer)
  func concurrentStreamsChanged(_ count: UInt32)
  func pingAcknowledged()
}

/// The state of a session; `closing` means that the connection must be closed once the output has been written.
public enum HTTP2SessionStatus: Sendable, Equatable {
  case open
  case closing
}

extension HTTP2ServerSession {
  /// Passes to the handler the events that were caused by answering requests and by sending output.
  public func receive(_ handler: some HTTP2RequestHandler) {
    receive(UnsafeRawBufferPointer(start: nil, count: 0), handler)
  }

  /// Parses a client's bytes and passes the resulting events to the handler.
  @discardableResult
  public func receive(
    _ bytes: UnsafeRawBufferPointer, _ handler: some HTTP2RequestHandler
  ) -> HTTP2SessionStatus {
    var rest = bytes
    while let event = next(&rest) {
      switch event {
      case .began(let streamID): handler.requestBegan(streamID)
      case .field(let streamID, let name, let value):
        handler.requestField(streamID, name: name, value: value)
      case .body(let streamID, let bytes): handler.requestBody(streamID, bytes: bytes)
      case .ended(let streamID): handler.requestEnded(streamID)
      case .reset(let streamID, let code): handler.requestReset(streamID, errorCode: code)
      }
    }
    return isFinished ? .closing : .open
  }
}

extension HTTP2ClientSession {
  /// Passes to the handler the events that were caused by sending output.
  public func receive(_ handler: some HTTP2ResponseHandler) {
    receive(UnsafeRawBufferPointer(start: nil, count: 0), handler)
  }

  /// Parses a server's bytes and passes the resulting events to the handler.
  @discardableResult
  public func receive(
    _ bytes: UnsafeRawBufferPointer, _ handler: some HTTP2ResponseHandler
  ) -> HTTP2SessionStatus {
    var rest = bytes
    while let event = next(&rest) {
      switch event {
      case .field(let streamID, let name, let value):
        handler.responseField(streamID, name: name, value: value)
      case .body(let streamID, let bytes): handler.responseBody(streamID, bytes: bytes)
      case .ended(let streamID): handler.responseEnded(streamID)
      case .failed(let streamID, let reason): handler.responseFailed(streamID, reason: reason)
      case .wentAway(let last, let code, let debugData):
        handler.connectionWentAway(lastStreamID: last, errorCode: code, debugData: debugData)
      case .concurrentStreamsChanged(let count): handler.concurrentStreamsChanged(count)
      case .pingAcknowledged: handler.pingAcknowledged()
      }
    }
    return isFinished ? .closing : .open
  }
}
