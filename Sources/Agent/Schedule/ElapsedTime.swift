import Scheduling

/// Elapsed time that continues across restarts of the machine; the kernel's own elapsed time begins when the kernel
/// starts.
///
/// Within one run of the kernel, elapsed time is the kernel's clock plus an offset. After a restart, the wall clock
/// determines how long the machine was off; if the wall clock was set back, that time counts as zero.
struct ElapsedTime: Equatable {
  /// The run of the kernel that the offset belongs to.
  let boot: String
  /// Milliseconds to add to the kernel's clock.
  let offset: Int64
  /// The wall clock's lead over elapsed time when the state was stored.
  private(set) var lead: Int64
  /// The elapsed time when the state was stored.
  private(set) var last: Int64

  /// Creates the time, continuing from the stored state; `kept` is nil at the first start.
  init(kept: ElapsedTime?, boot: String, kernel: Int64, wall: Int64) {
    self.boot = boot
    if let kept, kept.boot == boot {
      offset = kept.offset
    } else if let kept {
      offset = max(wall - kept.lead, kept.last) - kernel
    } else {
      offset = 0
    }
    last = kernel + offset
    lead = wall - last
  }

  /// Updates the state, and returns true if the state must be written.
  mutating func note(_ moment: ScheduleMoment) -> Bool {
    let lead = moment.wall - moment.elapsed
    // Small corrections to a synchronized clock are harmless, and so is the loss of a minute in a power failure.
    guard abs(lead - self.lead) > 1_000 || moment.elapsed - last > 60_000 else { return false }
    self.lead = lead
    last = moment.elapsed
    return true
  }

  /// The stored form.
  var record: [UInt8] { Array("elapsed \(boot) \(offset) \(lead) \(last)".utf8) }

  /// Parses the stored form; nil for anything else.
  init?(record: [UInt8]) {
    let words = String(decoding: record, as: UTF8.self).split(separator: " ")
    guard words.count == 5, words[0] == "elapsed", let offset = Int64(words[2]),
      let lead = Int64(words[3]), let last = Int64(words[4]),
      [offset, lead, last].allSatisfy({ $0.magnitude < 1 << 60 })
    else { return nil }
    boot = String(words[1])
    self.offset = offset
    self.lead = lead
    self.last = last
  }
}
