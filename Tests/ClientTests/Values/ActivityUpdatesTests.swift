import Testing

@testable import ActivityKit

@Suite(.timeLimit(.minutes(1))) struct ActivityUpdatesTests {
  private func values(of source: ValueStreams<Int>) async -> [Int] {
    var values: [Int] = []
    for await value in ActivityUpdates(source: source) { values.append(value) }
    return values
  }

  @Test func `a sequence that is read after the end has the last value, and ends`() async {
    let source = ValueStreams(1)
    source.send(2)
    source.finish()
    #expect(await values(of: source) == [2])
    #expect(await values(of: source) == [2])
  }

  @Test func `a sequence of events that is read after the end is empty`() async {
    let source = ValueStreams<Int>(replays: false)
    source.send(1)
    source.finish()
    #expect(await values(of: source) == [])
  }
}
