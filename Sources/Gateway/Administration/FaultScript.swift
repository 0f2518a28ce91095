public import PushWire

/// The scripted answers as a loop applies them; this type performs no I/O.
///
/// Effects of different kinds (for example, a delay and a reason) combine. Among effects of the same kind, the first
/// rule that applies wins. Only winning rules count as used.
public struct FaultScript {
  /// An answer that replaces the regular one.
  public struct Answer: Equatable, Sendable {
    /// The reason in the answer.
    public let rejection: Rejection
    /// The timestamp of a 410 response, in milliseconds since 1970; nil for other reasons.
    public let timestampMilliseconds: Int64?
  }

  /// The effects on a connection and a request, regardless of whether the request is valid.
  public struct Effects: Equatable, Sendable {
    /// True if GOAWAY is sent after this request.
    public var goesAway = false
    /// The limit on concurrent streams that the gateway advertises.
    public var streams: UInt32?
    /// The flow-control window of each stream, in bytes.
    public var window: UInt32?
    /// The delay of the answer, in milliseconds.
    public var delayMilliseconds: UInt32 = 0
    /// True if the connection is closed without an answer.
    public var closes = false
  }

  /// The point in a connection's life at which effects apply.
  public enum Occasion: Sendable {
    /// The opening of a connection: the stream limit and the window apply, but don't count as used, because there is no
    /// request yet.
    case opening
    /// A request: its number on the connection, starting at 1, and whether the connection has already sent GOAWAY.
    case request(UInt32, hasSentGoAway: Bool)
  }

  private let faults: [ScriptedFault]
  private let onUse: @Sendable (ScriptedFault) -> Void

  /// Creates a script; among rules of the same kind, the first one wins.
  ///
  /// The script calls `onUse` each time a rule with a limit is used.
  public init(
    _ faults: [ScriptedFault], onUse: @escaping @Sendable (ScriptedFault) -> Void = { _ in }
  ) {
    self.faults = faults
    self.onUse = onUse
  }

  /// Returns the effects on a request to `token` with `topic`; both are empty for the connection as a whole.
  public func effects(
    token: Span<UInt8>, topic: Span<UInt8>, _ occasion: Occasion
  ) -> Effects {
    var effects = Effects()
    var isDecided = DecidedKinds()
    for fault in faults where fault.rule.applies(token: token, topic: topic) {
      apply(fault, occasion, &effects, &isDecided)
    }
    return effects
  }

  /// The kinds of effects that are already decided, because a rule for them was found.
  private struct DecidedKinds {
    var goAway = false
    var streams = false
    var window = false
    var delay = false
  }

  private func apply(
    _ fault: ScriptedFault, _ occasion: Occasion, _ effects: inout Effects,
    _ isDecided: inout DecidedKinds
  ) {
    switch fault.rule.effect {
    case .answer: break
    case .goAway(let requests):
      guard !isDecided.goAway, fault.remaining != 0 else { return }
      isDecided.goAway = true
      let isDue =
        switch occasion {
        case .opening: requests == 0
        case .request(let number, let hasSentGoAway): number >= requests && !hasSentGoAway
        }
      if isDue { effects.goesAway = use(fault) }
    case .streams(let count):
      guard !isDecided.streams, isUsable(fault, occasion) else { return }
      isDecided.streams = true
      effects.streams = count
    case .window(let bytes):
      guard !isDecided.window, isUsable(fault, occasion) else { return }
      isDecided.window = true
      effects.window = bytes
    case .delay(let milliseconds):
      guard !isDecided.delay, isUsable(fault, occasion) else { return }
      isDecided.delay = true
      effects.delayMilliseconds = milliseconds
    case .close:
      guard !effects.closes, isUsable(fault, occasion) else { return }
      effects.closes = true
    }
  }

  private func isUsable(_ fault: ScriptedFault, _ occasion: Occasion) -> Bool {
    if case .opening = occasion { fault.remaining != 0 } else { use(fault) }
  }

  private func use(_ fault: ScriptedFault) -> Bool {
    guard fault.use() else { return false }
    if fault.rule.times != nil { onUse(fault) }
    return true
  }

  /// Returns the scripted answer to a request that is valid except perhaps for its token; `nil` for the regular answer.
  ///
  /// `now` is the current time in milliseconds since 1970, used as the timestamp if the rule has none.
  public func answer(
    token: Span<UInt8>, topic: Span<UInt8>, at now: Int64,
    random: inout some RandomNumberGenerator
  ) -> Answer? {
    for fault in faults {
      guard case .answer(let rejection, let timestamp, let share) = fault.rule.effect,
        fault.rule.applies(token: token, topic: topic),
        share >= 1 || Double.random(in: 0..<1, using: &random) < share, use(fault)
      else { continue }
      return Answer(
        rejection: rejection,
        timestampMilliseconds: rejection.status == 410 ? timestamp ?? now : nil)
    }
    return nil
  }
}
