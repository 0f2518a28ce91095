import Testing

@testable import Console
@testable import GatewayConsole

/// Tests of when a virtual phone queries its agent.
@Suite struct PhoneRefreshTests {
  private enum Event {
    case changed
    case ended(isComplete: Bool)
  }

  /// Returns, for each event, true if a refresh begins.
  private func refreshes(after events: [Event]) -> [Bool] {
    var refresh = PhoneRefresh()
    return events.map { event in
      switch event {
      case .changed: refresh.changed()
      case .ended(let isComplete): refresh.ended(isComplete: isComplete)
      }
    }
  }

  @Test func `Only one refresh runs at a time, and a change during it is followed by another`() {
    let complete = Event.ended(isComplete: true)
    #expect(
      refreshes(after: [.changed, .changed, .changed, complete, complete, .changed])
        == [true, false, false, true, false, true])
  }

  @Test func `A failed refresh is repeated, a limited number of times in succession`() {
    let failed = Event.ended(isComplete: false)
    let attempts = Limits.phoneRefreshFailuresMax
    let all = [.changed] + Array(repeating: failed, count: attempts)
    let expected = Array(repeating: true, count: attempts) + [false]
    #expect(refreshes(after: all) == expected)
    #expect(refreshes(after: all + [.changed, failed]) == expected + [true, false])
    // A complete refresh resets the count.
    #expect(
      refreshes(after: all + [.changed, .ended(isComplete: true), .changed, failed])
        == expected + [true, false, true, true])
  }
}
