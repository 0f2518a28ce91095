public import BelfryWire

/// The scripted answers as a loop applies them; a value without I/O.
///
/// Effects of different kinds combine, for example a delay with a reason; of each kind the first rule that
/// applies wins.
public struct FaultScript {
  /// An answer in place of the regular one.
  public struct Answer: Equatable, Sendable {
    /// The reason.
    public let rejection: Rejection
    /// Since when, in milliseconds since 1970; goes with 410 alone.
    public let timestampMilliseconds: Int64?
  }

  /// Effects on a connection and a request, whether or not the request is valid.
  public struct Effects: Equatable, Sendable {
    /// GOAWAY once the connection has had so many requests.
    public var goAwayAfter: UInt32?
    /// Concurrent streams that are announced.
    public var streams: UInt32?
    /// Bytes of each stream's flow-control window.
    public var window: UInt32?
    /// Milliseconds by which the answer is delayed.
    public var delayMilliseconds: UInt32 = 0
    /// The connection ends without an answer.
    public var closes = false
  }

  private let rules: [FaultRule]

  /// A script of these rules, the first of each kind first.
  public init(_ rules: [FaultRule]) { self.rules = rules }

  /// Returns the effects on a request to `token` and `topic`, both empty for a connection as a whole.
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

  /// Returns the scripted answer to a request that is valid except perhaps for its token; `nil` for the regular
  /// one.
  ///
  /// `at` is now, in milliseconds since 1970: the timestamp when the rule has none.
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
