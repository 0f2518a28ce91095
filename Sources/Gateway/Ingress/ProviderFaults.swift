import PushWire
import Transport

/// The scripted answers and faults (`belfry fault`) for one provider connection.
///
/// If there is no script, each request costs only one check.
struct ProviderFaults {
  /// The action to take on the connection, apart from the answer to the request.
  struct Outcome {
    var changesStreams = false
    var changesWindow = false
    var goesAway = false
    var closes = false
    var delayMilliseconds: UInt32 = 0
  }

  /// The scripted number of streams, if it differs from the usual one.
  private(set) var streams: UInt32?
  /// The scripted window in bytes, if it differs from the usual one.
  private(set) var window: UInt32?
  /// The last stream that the scripted GOAWAY admits.
  var lastStreamID = Int32.max
  /// True if any answer on this connection was delayed.
  private(set) var hasDelays = false
  /// True if there was a script at the last request.
  private(set) var isActive = false
  private var requests: UInt32 = 0
  private var timestampMilliseconds: Int64?

  /// Adjusts the first SETTINGS of a connection; returns any other action to take immediately.
  mutating func opening(_ script: FaultScript?, _ settings: inout HTTP2Settings) -> Outcome? {
    guard let script else { return nil }
    isActive = true
    let nothing: [UInt8] = []
    let effects = script.effects(token: nothing.span, topic: nothing.span, .opening)
    streams = effects.streams
    window = effects.window
    if let streams { settings.initialConcurrentStreams = streams }
    if let window { settings.initialWindowBytes = min(window, UInt32(Int32.max)) }
    return Outcome(goesAway: effects.goesAway)
  }

  /// Counts a complete request; returns true if there is a script, or if there was one at the previous request.
  mutating func countRequest(under script: FaultScript?) -> Bool {
    requests &+= 1
    return script != nil || isActive
  }

  /// Returns the action to take on the connection after this request, which ``countRequest(under:)`` has already
  /// counted.
  mutating func judging(
    _ script: FaultScript?, _ request: borrowing PushRequest, isLeaving: Bool
  ) -> Outcome {
    isActive = script != nil
    let occasion = FaultScript.Occasion.request(requests, hasSentGoAway: isLeaving)
    let effects =
      script?.effects(token: request.token.span, topic: request.topic.span, occasion) ?? .init()
    if effects.delayMilliseconds > 0 { hasDelays = true }
    let outcome = Outcome(
      changesStreams: effects.streams != streams, changesWindow: effects.window != window,
      goesAway: effects.goesAway, closes: effects.closes,
      delayMilliseconds: effects.delayMilliseconds)
    streams = effects.streams
    window = effects.window
    return outcome
  }

  /// Returns the scripted answer to a request; call ``takeTimestamp(_:)`` to get the answer's timestamp.
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

  /// Returns the timestamp of the last scripted answer, and clears it; nil if the answer isn't a 410 response.
  mutating func takeTimestamp(_ rejection: Rejection) -> Int64? {
    guard isActive, rejection.status == 410 else { return nil }
    return timestampMilliseconds.take()
  }
}
