/// A long answer, written piece by piece from any thread.
public final class HTTP1BodyStream: Sendable {
  /// A stream that nobody reads yet.
  public init() {}

  /// Adds a piece; false when the client is gone or reads too slowly, so that writing can stop.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool { false }

  /// The answer is whole.
  public func finish() {}
}
