import Foundation
import Testing

@testable import System

@Suite struct AlarmTimerTests {
  /// Returns the clock and the flags of each of this process's timers, as reported by the kernel.
  private func timers() throws -> [String] {
    let folder = "/proc/self/fdinfo"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
      guard let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) else {
        return nil
      }
      let lines = text.split(separator: "\n").filter {
        $0.hasPrefix("clockid:") || $0.hasPrefix("settime flags:")
      }
      return lines.count == 2 ? lines.joined(separator: " ") : nil
    }
  }

  @Test func `a wall timer detects clock changes, and an elapsed timer counts sleep`() throws {
    let loop = try EventLoop()
    let wall = try AlarmTimer(.wall, on: loop) { _ in }
    let elapsed = try AlarmTimer(.elapsed, on: loop) { _ in }
    wall.set(4_000_000_000_000)
    elapsed.set(4_000_000_000_000)
    // TFD_TIMER_ABSTIME is 1, and TFD_TIMER_CANCEL_ON_SET is 2. CLOCK_REALTIME is 0, and CLOCK_BOOTTIME is 7.
    let found = try timers()
    #expect(found.contains("clockid: 0 settime flags: 03"))
    #expect(found.contains("clockid: 7 settime flags: 01"))
    // Even without a due time, the timer still detects changes of the clock.
    elapsed.close()
    wall.set(nil)
    #expect(try timers().contains("clockid: 0 settime flags: 03"))
    wall.close()
  }

  @Test func `a moment that has passed is due at once, a later one replaces it`() throws {
    let loop = try EventLoop()
    for clock in [AlarmTimer.Clock.wall, .elapsed] {
      var events: [AlarmTimer.Event] = []
      let timer = try AlarmTimer(clock, on: loop) { events.append($0) }
      timer.set(4_000_000_000_000)
      timer.set(1)
      while events.isEmpty { loop.turn(mayBlock: true) }
      #expect(events == [.due])
      timer.close()
    }
  }
}
