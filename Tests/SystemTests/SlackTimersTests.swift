import Testing

@testable import System

/// A target that records timers in firing order.
private final class Journal: TimerTarget {
  var fired: [UInt64] = []
  func timerFired(tag: UInt64) { fired.append(tag) }
}

@Suite(.timeLimit(.minutes(60))) struct SlackTimersTests {
  typealias Window = (due: Int64, latest: Int64)

  private let journal = Journal()

  /// Returns the number of times that a process wakes up if it always sleeps until the next wake-up.
  ///
  /// Every timer must fire within its window.
  private func wakeUps(_ windows: [Window]) -> Int {
    var timers = SlackTimers()
    for (index, window) in windows.enumerated() {
      _ = timers.insert(due: window.due, latest: window.latest, journal, tag: UInt64(index))
    }
    var count = 0
    var fired = 0
    while let tick = timers.nextWakeup {
      count += 1
      let before = fired
      while let timer = timers.popDue(at: tick) {
        #expect(windows[Int(timer.tag)].due <= tick && tick <= windows[Int(timer.tag)].latest)
        fired += 1
      }
      #expect(fired > before)
      guard fired > before else { break }
    }
    #expect(fired == windows.count)
    return count
  }

  /// Returns the smallest number of wake-ups with which every window contains at least one; tries all choices.
  private func fewest(_ windows: [Window]) -> Int {
    let moments = windows.map(\.latest)
    return (0..<(1 << moments.count)).lazy.filter { choice in
      windows.allSatisfy { window in
        moments.indices.contains { index in
          choice & 1 << index != 0 && window.due <= moments[index]
            && moments[index] <= window.latest
        }
      }
    }.map(\.nonzeroBitCount).min() ?? 0
  }

  @Test func `deadlines with slack share as few wake-ups as can be`() {
    #expect(wakeUps([]) == 0)
    #expect(wakeUps([(10, 20), (12, 15), (15, 40)]) == 1)
    #expect(wakeUps([(10, 20), (21, 30), (25, 60), (5, 90)]) == 2)
    // Without slack, each timer needs its own wake-up.
    #expect(wakeUps((1...50).map { (due: $0, latest: $0) }) == 50)
    // With a timer every second for ten minutes and a slack of one minute, one wake-up per minute is sufficient.
    #expect(wakeUps((0..<600).map { (due: $0, latest: $0 + 59) }) == 10)
  }

  @Test func `no other choice of wake-ups is smaller`() {
    var generator = SystemRandom.Generator()
    for _ in 0..<200 {
      let windows = (0..<Int.random(in: 1...7, using: &generator)).map { _ -> Window in
        let due = Int64.random(in: 1...30, using: &generator)
        return (due, due + Int64.random(in: 0...10, using: &generator))
      }
      #expect(wakeUps(windows) == fewest(windows), "\(windows)")
    }
  }

  @Test func `a loop that is awake anyway fires them along, another one in time`() throws {
    let loop = try EventLoop()
    let second: Int64 = 1_000_000_000
    loop.schedule(afterNanoseconds: 1_000_000, slackNanoseconds: 60 * second, journal, tag: 1)
    loop.schedule(afterNanoseconds: 2_000_000, slackNanoseconds: 30 * second, journal, tag: 2)
    let gone = loop.schedule(afterNanoseconds: 0, slackNanoseconds: second, journal, tag: 3)
    loop.schedule(afterNanoseconds: 5_000 * second, slackNanoseconds: second, journal, tag: 4)
    loop.cancel(gone)
    loop.schedule(afterNanoseconds: 20_000_000, journal, tag: 5)
    var turns = 0
    while journal.fired.count < 3 {
      loop.turn(mayBlock: true)
      turns += 1
    }
    #expect(journal.fired == [5, 1, 2])
    // Without other events, the loop wakes up at the end of the slack.
    loop.schedule(afterNanoseconds: 0, slackNanoseconds: 20_000_000, journal, tag: 6)
    while journal.fired.count < 4 {
      loop.turn(mayBlock: true)
      turns += 1
    }
    #expect(journal.fired.last == 6)
    #expect(turns <= 4)
  }
}
