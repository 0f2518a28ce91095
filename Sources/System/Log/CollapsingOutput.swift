import CLinux
import Glibc
import Synchronization

/// A log output that collapses repeated lines; can be used from any thread.
final class CollapsingOutput: Sendable {
  private struct State {
    var lines = RepeatedLines()
    /// True if a thread is waiting to write the summaries.
    var hasThread = false
  }

  private let state = Mutex(State())
  private let output: @Sendable (LogRecord) -> Void

  /// The outputs in this process whose counts are written when the process exits.
  private static let all = Mutex<[CollapsingOutput]>([])
  private static let flushesAtExit: Bool = atexit { CollapsingOutput.flushAll() } == 0

  init(_ output: @escaping @Sendable (LogRecord) -> Void) { self.output = output }

  /// Registers this output so that its counts are written when the program exits.
  func flushAtExit() -> CollapsingOutput {
    _ = Self.flushesAtExit
    Self.all.withLock { $0.append(self) }
    return self
  }

  func write(_ record: LogRecord) {
    let now = SystemClock.monotonicNanoseconds
    let (lines, startsThread) = state.withLock { state in
      let lines = state.lines.take(record, nanoseconds: now)
      let starts = !state.hasThread && state.lines.nextEnd != nil
      if starts { state.hasThread = true }
      return (lines, starts)
    }
    lines.forEach(output)
    guard startsThread else { return }
    let start = ThreadStart(name: "log-repeats") { [self] in writeSummaries() }
    do throws(SystemFailure) {
      pthread_detach(try start.launch())
    } catch {
      // The next line, or the exit of the program, writes the counts.
      state.withLock { $0.hasThread = false }
    }
  }

  /// Writes all counts immediately.
  func flush() { state.withLock { $0.lines.drain() }.forEach(output) }

  private static func flushAll() {
    for output in all.withLock({ $0 }) { output.flush() }
  }

  /// Writes the summaries as they become due; a separate thread runs this method while repetitions are counted.
  private func writeSummaries() {
    while let end = state.withLock({ state in
      let end = state.lines.nextEnd
      if end == nil { state.hasThread = false }
      return end
    }) {
      // Wait at most the shortest interval, because a line that begins to repeat in the meantime can be due sooner.
      let wait = min(
        max(end - SystemClock.monotonicNanoseconds, 0), Limits.logRepeatNanosecondsMin)
      var time = timespec(tv_sec: 0, tv_nsec: 0)
      time.tv_sec = Int(wait / 1_000_000_000)
      time.tv_nsec = Int(wait % 1_000_000_000)
      unsafe nanosleep(&time, nil)
      let now = SystemClock.monotonicNanoseconds
      state.withLock { $0.lines.due(nanoseconds: now) }.forEach(output)
    }
  }
}
