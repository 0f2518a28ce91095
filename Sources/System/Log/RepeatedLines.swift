/// Collapses log lines that repeat: the first is written at once, those that follow are counted, and one line tells
/// their number after a while.
///
/// A line is the same where everything but the time and a peer's port is. The while is a second at first and doubles
/// up to a minute for as long as the line repeats, so that a person sees repetitions soon and a flood of a day stays
/// small. A different line is always written.
struct RepeatedLines {
  private struct Entry {
    /// When a line was written last, in monotonic nanoseconds.
    var writtenAt: Int64
    /// Nanoseconds from then in which repetitions are counted.
    var interval: Int64
    /// The lines counted since, and the last of them.
    var count = 0
    var last: LogRecord

    var end: Int64 { writtenAt + interval }
  }

  private var entries: [[UInt8]: Entry] = [:]
  private let capacity: Int

  /// A machine that remembers `capacity` different lines.
  init(capacity: Int = Limits.logLinesRemembered) {
    precondition(capacity > 0, "nothing to collapse with")
    self.capacity = capacity
  }

  /// The next time at which `due` has something to write; nil where no repetition is counted.
  var nextEnd: Int64? {
    entries.values.lazy.filter { $0.count > 0 }.map(\.end).min()
  }

  /// Takes a line, and returns what is to be written now.
  mutating func take(_ record: LogRecord, nanoseconds now: Int64) -> [LogRecord] {
    var lines = due(nanoseconds: now)
    let identity = record.identity
    if var entry = entries[identity] {
      entry.count += 1
      entry.last = record.cut
      entries[identity] = entry
    } else {
      if entries.count >= capacity { lines += evict() }
      entries[identity] = Entry(
        writtenAt: now, interval: Limits.logRepeatNanosecondsMin, last: record.cut)
      lines.append(record)
    }
    checkInvariants()
    return lines
  }

  /// The summaries of the repetitions whose time is over.
  mutating func due(nanoseconds now: Int64) -> [LogRecord] {
    var lines: [LogRecord] = []
    for (identity, entry) in entries where entry.end <= now {
      guard entry.count > 0 else {
        entries[identity] = nil
        continue
      }
      lines.append(entry.last.repeated(entry.count))
      entries[identity] = Entry(
        writtenAt: now, interval: min(entry.interval * 2, Limits.logRepeatNanosecondsMax),
        last: entry.last)
    }
    return lines.sorted { $0.unixMilliseconds < $1.unixMilliseconds }
  }

  /// Every repetition that was counted and not written, at the end of a program.
  mutating func drain() -> [LogRecord] {
    let lines = entries.values.filter { $0.count > 0 }.map { $0.last.repeated($0.count) }
    entries = [:]
    return lines.sorted { $0.unixMilliseconds < $1.unixMilliseconds }
  }

  /// Forgets the line that was written the longest ago; returns the summary of its repetitions.
  private mutating func evict() -> [LogRecord] {
    guard let oldest = entries.min(by: { $0.value.writtenAt < $1.value.writtenAt }) else {
      return []
    }
    entries[oldest.key] = nil
    return oldest.value.count > 0 ? [oldest.value.last.repeated(oldest.value.count)] : []
  }

  /// Traps in debug builds when the entries are more than there may be, or count nothing sensible.
  func checkInvariants() {
    assert(entries.count <= capacity, "no more lines are remembered than have room")
    assert(
      entries.values.allSatisfy { $0.count >= 0 && $0.interval <= Limits.logRepeatNanosecondsMax },
      "a count is never negative, and an interval has a bound")
  }
}
