import Testing

@testable import Gateway

/// Tests of the lifecycle of a provider connection, expressed as events and actions.
@Suite struct ProviderLifecycleTests {
  private typealias Event = ProviderLifecycle.Event
  private typealias Action = ProviderLifecycle.Action

  /// Returns the actions for a sequence of events.
  private func actions(of events: [Event]) -> [Action] {
    var lifecycle = ProviderLifecycle()
    return events.map { lifecycle.handle($0) }
  }

  private func turn(_ openRequests: Int, codecIsFinished: Bool = false) -> [Event] {
    [
      .turnEnded(openRequests: openRequests),
      .outputWritten(openRequests: openRequests, codecIsFinished: codecIsFinished),
    ]
  }

  @Test func `A leaving connection sends one GOAWAY and closes after its last answer`() {
    #expect(
      actions(of: [.leave, .leave] + turn(2) + turn(0))
        == [.sendGoAway(lastStreamID: nil), .none, .none, .none, .none, .close])
  }

  @Test func `A client that has finished sending gets its answers, without a GOAWAY`() {
    #expect(actions(of: [.inputEnded] + turn(1) + turn(0)) == [.none, .none, .none, .none, .close])
    #expect(
      actions(of: [.inputEnded, .leave] + turn(1)) == [
        .none, .sendGoAway(lastStreamID: nil), .none, .none,
      ])
  }

  @Test func `An expelled connection closes although requests are open, and only once`() {
    #expect(
      actions(of: [.expel, .expel, .leave] + turn(3))
        == [.sendGoAway(lastStreamID: nil), .none, .none, .none, .close])
    #expect(
      actions(of: [.leave, .expel]) == [
        .sendGoAway(lastStreamID: nil), .sendGoAway(lastStreamID: nil),
      ])
  }

  @Test func `A scripted GOAWAY follows the last answer, and nothing else sends one before`() {
    #expect(
      actions(of: [.scriptedGoAway(lastStreamID: 5), .leave] + turn(1) + turn(0))
        == [.none, .none, .none, .none, .sendGoAway(lastStreamID: 5), .close])
    #expect(
      actions(of: [.leave, .scriptedGoAway(lastStreamID: 5)] + turn(0))
        == [.sendGoAway(lastStreamID: nil), .none, .none, .close])
  }

  @Test func `A scripted close discards the output at the end of the turn`() {
    #expect(
      actions(of: [.scriptedClose, .leave, .expel, .turnEnded(openRequests: 1)])
        == [.none, .none, .none, .abort])
  }

  @Test func `A connection closes after the output of a codec that failed or has finished`() {
    #expect(actions(of: [.codecFailed, .leave] + turn(1)) == [.none, .none, .none, .close])
    #expect(actions(of: turn(1, codecIsFinished: true)) == [.none, .close])
    #expect(actions(of: turn(1) + turn(0)) == [.none, .none, .none, .none])
  }

  @Test func `A client that does not read is cut off immediately`() {
    #expect(actions(of: [.leave, .unresponsive]) == [.sendGoAway(lastStreamID: nil), .abort])
  }

  @Test func `Input is read until the connection closes, and decided until it is aborted`() {
    var lifecycle = ProviderLifecycle()
    #expect(lifecycle.readsInput && lifecycle.decidesRequests && !lifecycle.isLeaving)
    _ = lifecycle.handle(.inputEnded)
    #expect(lifecycle.readsInput && !lifecycle.isLeaving)
    _ = lifecycle.handle(.leave)
    #expect(lifecycle.readsInput && lifecycle.isLeaving)
    _ = lifecycle.handle(.expel)
    #expect(!lifecycle.readsInput && lifecycle.decidesRequests)
    _ = lifecycle.handle(.scriptedClose)
    #expect(!lifecycle.decidesRequests)
  }
}
