import BelfryWire
import Transport

/// What is scripted for one provider connection (`belfry fault`): decides, the connection does it.
///
/// Idle, it costs a request one look at whether there is a script.
struct ProviderFaults {
  /// What is to be done to the connection, besides what a request is answered.
  struct Outcome {
    var changesStreams = false
    var changesWindow = false
    var goesAway = false
    var closes = false
    var delayMilliseconds: UInt32 = 0
  }

  /// The scripted number of streams, where it is not the usual one.
  private(set) var streams: UInt32?
  /// The scripted window in bytes, where it is not the usual one.
  private(set) var window: UInt32?
  /// Streams after this one came too late for the GOAWAY.
  var lastStreamID = Int32.max
  /// There is, or was at the last request, a script.
  private(set) var isActive = false
  private var requests: UInt32 = 0
  private var timestampMilliseconds: Int64?

  /// A connection opens: what its first SETTINGS say, and what else is to be done at once.
  mutating func opening(_ script: FaultScript?, _ settings: inout HTTP2Settings) -> Outcome? {
    guard let script else { return nil }
    isActive = true
    let nothing: [UInt8] = []
    let effects = script.effects(token: nothing.span, topic: nothing.span)
    streams = effects.streams
    window = effects.window
    if let streams { settings.initialConcurrentStreams = streams }
    if let window { settings.initialWindowBytes = min(window, UInt32(Int32.max)) }
    return Outcome(goesAway: effects.goAwayAfter == 0)
  }

  /// Counts a complete request; whether something is scripted, or was until now.
  mutating func countRequest(under script: FaultScript?) -> Bool {
    requests &+= 1
    return script != nil || isActive
  }

  /// What is to be done to the connection with this request, which was counted.
  mutating func judging(_ script: FaultScript?, _ request: borrowing PushRequest) -> Outcome {
    isActive = script != nil
    let effects =
      script?.effects(token: request.token.span, topic: request.topic.span) ?? .init()
    let outcome = Outcome(
      changesStreams: effects.streams != streams, changesWindow: effects.window != window,
      goesAway: effects.goAwayAfter.map { requests >= $0 } ?? false, closes: effects.closes,
      delayMilliseconds: effects.delayMilliseconds)
    streams = effects.streams
    window = effects.window
    return outcome
  }

  /// The scripted answer; its time is to be fetched with ``takeTimestamp(_:)``.
  mutating func answer(
    _ script: FaultScript?, _ request: borrowing PushRequest, to app: App, at now: Int64,
    random: inout some RandomNumberGenerator
  ) -> Rejection? {
    guard isActive, let script else { return nil }
    let implied = app.bundleID
    let answer =
      request.topic.isEmpty
      ? script.answer(token: request.token.span, topic: implied.span, at: now, random: &random)
      : script.answer(
        token: request.token.span, topic: request.topic.span, at: now, random: &random)
    timestampMilliseconds = answer?.timestampMilliseconds
    return answer?.rejection
  }

  /// The time that goes with the answer that was just scripted.
  mutating func takeTimestamp(_ rejection: Rejection) -> Int64? {
    guard isActive, rejection.status == 410 else { return nil }
    return timestampMilliseconds.take()
  }
}
