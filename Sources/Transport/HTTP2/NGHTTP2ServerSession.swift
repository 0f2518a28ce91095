/// HTTP/2 by nghttp2.
public final class NGHTTP2ServerSession: HTTP2ServerSession {
  /// A session that calls `handler`, which it does not keep alive.
  public init(settings: HTTP2Settings, handler: any HTTP2RequestHandler) {}

  public func receive(_ bytes: UnsafeRawBufferPointer) -> HTTP2SessionStatus { .closing }
  public func respond(
    _ streamID: Int32, status: Int, fields: UnsafeBufferPointer<HTTP2FieldView>,
    body: UnsafeRawBufferPointer?
  ) {}
  public func allowConcurrentStreams(_ count: UInt32) {}
  public func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {}
  public func reset(_ streamID: Int32, errorCode: UInt32) {}
  public func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {}
  public var openStreams: Int { 0 }
  public var isFinished: Bool { true }
}
