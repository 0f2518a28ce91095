public import System

/// A stream between two loops: attach it exactly once, or let it go, which closes it.
public final class DetachedStream: Sendable {
  init() {}

  /// Puts the stream on `loop`, the calling thread's; bytes that had come wait for the handler.
  ///
  /// `streamOpened` is not called again.
  public func attach(to loop: EventLoop, handler: any StreamHandler) -> ByteStream {
    ByteStream(loop: loop)
  }
}
