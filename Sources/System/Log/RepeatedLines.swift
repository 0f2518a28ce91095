/// A filter that collapses repeated log lines: the first line is written immediately, repetitions are counted, and
/// after an interval a single line reports the count.
///
/// Lines are considered the same if they are equal except for the time and a peer's port. The interval is initially one
/// second, and doubles up to one minute while the line repeats. Operators therefore notice repetitions quickly, and the
/// log of a day-long flood stays small. A different line is always written, after the counts of its subsystem that were
/// not written yet: a count that followed a line about a later state would suggest that the repeated line still applies.
struct RepeatedLines {
  private struct Entry {
    /// The time at which a line was last written, in monotonic nanoseconds.
    var writtenAt: Int64
    /// The duration, in nanoseconds from `writtenAt`, during which repetitions are counted.
    var interval: Int64
    /// The number of lines counted since `writtenAt`, and the last counted line.
    var count = 0
    var last: LogRecord

    var end: Int64 { writtenAt + interval }
  }

  private var entries: [[UInt8]: Entry] = [:]
  private let capacity: Int

  /// Creates a filter that remembers `capacity` distinct lines.
  init(capacity: Int = Limits.logLinesRemembered) {
    precondition(capacity > 0, "at least one line is remembered")
    self.capacity = capacity
  }

  /// The next time at which `due` returns lines; nil if no repetitions are being counted.
  var nextEnd: Int64? {
    entries.values.lazy.filter { $0.count > 0 }.map(\.end).min()
  }

  /// Adds a line, and returns the lines to write immediately.
  mutating func take(_ record: LogRecord, nanoseconds now: Int64) -> [LogRecord] {
    var lines = due(nanoseconds: now)
    let identity = record.identity
    if var entry = entries[identity] {
      entry.count += 1
      entry.last = record.cut
      entries[identity] = entry
    } else {
      lines += summaries(of: record.subsystem, nanoseconds: now)
      if entries.count >= capacity { lines += evict() }
      lines.sort { $0.unixMilliseconds < $1.unixMilliseconds }
      entries[identity] = Entry(
        writtenAt: now, interval: Limits.logRepeatNanosecondsMin, last: record.cut)
      lines.append(record)
    }
    checkInvariants()
    return lines
  }

  /// Returns the summaries of the repetitions whose interval has expired.
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

  /// Returns the summaries of a subsystem's counted repetitions, whose next summaries are due after the same interval as
  /// before.
  private mutating func summaries(of subsystem: String, nanoseconds now: Int64) -> [LogRecord] {
    var lines: [LogRecord] = []
    for (identity, entry) in entries where entry.count > 0 && entry.last.subsystem == subsystem {
      lines.append(entry.last.repeated(entry.count))
      entries[identity] = Entry(writtenAt: now, interval: entry.interval, last: entry.last)
    }
    return lines
  }

  /// Returns all counted repetitions that have not been written yet, for use when a program exits.
  mutating func drain() -> [LogRecord] {
    let lines = entries.values.filter { $0.count > 0 }.map { $0.last.repeated($0.count) }
    entries = [:]
    return lines.sorted { $0.unixMilliseconds < $1.unixMilliseconds }
  }

  /// Removes the least recently written line.
  ///
  /// Returns the summary of the line's repetitions.
  private mutating func evict() -> [LogRecord] {
    guard let oldest = entries.min(by: { $0.value.writtenAt < $1.value.writtenAt }) else {
      return []
    }
    entries[oldest.key] = nil
    return oldest.value.count > 0 ? [oldest.value.last.repeated(oldest.value.count)] : []
  }

  /// Traps in debug builds if there are too many entries or their counts are invalid.
  func checkInvariants() {
    assert(entries.count <= capacity, "the number of remembered lines is within the capacity")
    assert(
      entries.values.allSatisfy { $0.count >= 0 && $0.interval <= Limits.logRepeatNanosecondsMax },
      "counts are not negative, and intervals are within their limit")
  }
}
