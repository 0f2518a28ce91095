public import BelfryWire

/// The scripted answers as a loop applies them; a value without I/O.
///
/// Effects of different kinds combine, for example a delay with a reason. Among effects of the same kind, the first
/// rule that applies wins.
public struct FaultScript {
  /// An answer in place of the regular one.
  public struct Answer: Equatable, Sendable {
    /// The reason of the answer.
    public let rejection: Rejection
    /// The timestamp of a 410 response, in milliseconds since 1970; nil for other reasons.
    public let timestampMilliseconds: Int64?
  }

  /// The effects on a connection and a request, regardless of whether the request is valid.
  public struct Effects: Equatable, Sendable {
    /// The number of requests on the connection after which to send GOAWAY.
    public var goAwayAfter: UInt32?
    /// The limit for concurrent streams that is advertised.
    public var streams: UInt32?
    /// The flow-control window of each stream, in bytes.
    public var window: UInt32?
    /// The delay of the answer, in milliseconds.
    public var delayMilliseconds: UInt32 = 0
    /// True if the connection is closed without an answer.
    public var closes = false
  }

  private let rules: [FaultRule]

  /// Creates a script from rules; among rules of the same kind, the first one wins.
  public init(_ rules: [FaultRule]) { self.rules = rules }

  /// Returns the effects on a request to `token` and `topic`; both are empty for a connection as a whole.
  public func effects(token: Span<UInt8>, topic: Span<UInt8>) -> Effects {
    var effects = Effects()
    for rule in rules.reversed() where rule.applies(token: token, topic: topic) {
      switch rule.effect {
      case .answer: continue
      case .goAway(let requests): effects.goAwayAfter = requests
      case .streams(let count): effects.streams = count
      case .window(let bytes): effects.window = bytes
      case .delay(let milliseconds): effects.delayMilliseconds = milliseconds
      case .close: effects.closes = true
      }
    }
    return effects
  }

  /// Returns the scripted answer to a request that is valid except perhaps for its token; `nil` for the regular answer.
  ///
  /// `now` is the current time in milliseconds since 1970, used as the timestamp if the rule has none.
  public func answer(
    token: Span<UInt8>, topic: Span<UInt8>, at now: Int64,
    random: inout some RandomNumberGenerator
  ) -> Answer? {
    for rule in rules {
      guard case .answer(let rejection, let timestamp, let share) = rule.effect,
        rule.applies(token: token, topic: topic),
        share >= 1 || Double.random(in: 0..<1, using: &random) < share
      else { continue }
      return Answer(
        rejection: rejection,
        timestampMilliseconds: rejection.status == 410 ? timestamp ?? now : nil)
    }
    return nil
  }
}
