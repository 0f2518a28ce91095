public import System

/// The implementations of HTTP/2 for servers.
public enum HTTP2Codec: String, Sendable, CaseIterable {
  /// The library nghttp2, which is the default and the reference for the other.
  case nghttp2
  /// Belfry's own codec, which needs less processor time.
  case belfry

  /// Returns a new session, whose SETTINGS are ready in the output; `clock` returns monotonic nanoseconds.
  public func makeServerSession(
    settings: HTTP2Settings, clock: @escaping () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) -> any HTTP2ServerSession {
    switch self {
    case .nghttp2: NGHTTP2ServerSession(settings: settings, clock: clock)
    case .belfry: BelfryServerSession(settings: settings, clock: clock)
    }
  }
}
