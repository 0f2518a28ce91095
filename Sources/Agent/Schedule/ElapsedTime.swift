import BelfryWire

/// Elapsed time that goes on across restarts of the machine: the kernel's counts from its start.
///
/// Within one run of the kernel it is the kernel's clock and an offset. After a restart the wall
/// clock says how long the machine was off; where that has gone back, no time has passed.
struct ElapsedTime: Equatable {
  /// Which run of the kernel the offset belongs to.
  let boot: String
  /// Milliseconds to be added to the kernel's clock.
  let offset: Int64
  /// The wall clock's lead over elapsed time when it was kept.
  private(set) var lead: Int64
  /// Elapsed time when it was kept.
  private(set) var last: Int64

  /// Continues from the stored state; nil at the first start.
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

  /// Updates the state, and returns whether it has to be written.
  mutating func note(_ moment: ScheduleMoment) -> Bool {
    let lead = moment.wall - moment.elapsed
    // A clock that is kept in step by small steps, and a minute lost at a power cut, do no harm.
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
