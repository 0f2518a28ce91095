internal import Console
internal import BelfryWire
internal import System

/// An archive of the plotted metrics of the last seven days, in a file of a fixed size that survives a restart.
///
/// There are three tiers: one hour in steps of 10 seconds, one day in steps of a minute, and seven days in steps of ten
/// minutes. The rates and percentiles of a step are computed from all values in that step; a percentile is never an
/// average of other percentiles.
///
/// The archive is confined to one thread.
///
/// The file consists of 8-byte words in the machine's byte order. It begins with a magic number and 15 reserved words.
/// Each step follows as 16 words: the step's end in milliseconds since 1970, and one floating-point number per
/// ``Column``.
final class MetricArchive {
  /// The values of a step.
  enum Column: String, CaseIterable {
    case accepted, refused, delivered, stored, discarded, devices, providers, waiting
    case deliveryP50, deliveryP90, deliveryP99, commitP50, commitP90, commitP99
  }

  /// A resolution, and the number of steps that the archive retains at that resolution.
  struct Tier: Equatable {
    let stepMilliseconds: Int64
    let count: Int
    var spanMilliseconds: Int64 { stepMilliseconds * Int64(count) }
  }

  /// The cumulative metrics at one point in time.
  struct Reading: Sendable {
    let atMilliseconds: Int64
    var counters: [Column: Double] = [:]
    var gauges: [Column: Double] = [:]
    var delivery: QuantileCounts.Snapshot?
    var commit: QuantileCounts.Snapshot?
  }

  static let tiers = [
    Tier(stepMilliseconds: 10_000, count: 360), Tier(stepMilliseconds: 60_000, count: 1_440),
    Tier(stepMilliseconds: 600_000, count: 1_008),
  ]
  static let stepWords = 16
  /// The size of the file, in words; the file takes up 360 kB.
  static let words = (tiers.reduce(0) { $0 + $1.count } + 1) * stepWords

  private static let mark: UInt64 = 0x4245_4C4D_4554_3031
  private let memory: WordBuffer
  private let file: RandomAccessFile?
  /// The reading at the beginning of the current step of each tier.
  private var earlier: [Reading?]

  /// Opens or creates the archive at `path`; if `path` is nil, the archive exists only in memory.
  ///
  /// A file with a different size or format is overwritten.
  init(file path: String?) throws(SystemFailure) {
    assert(Column.allCases.count < Self.stepWords, "a step has room for every column")
    memory = try WordBuffer(count: Self.words)
    earlier = Self.tiers.map { _ in nil }
    guard let path else {
      file = nil
      return
    }
    let file = try RandomAccessFile(path)
    self.file = file
    let size = Self.words * MemoryLayout<UInt64>.size
    if try file.byteCount() == size {
      try memory.read(from: file)
      if memory[0] == Self.mark { return }
      for index in 0..<Self.words { memory[index] = 0 }
    }
    try file.clear(byteCount: size)
    memory[0] = Self.mark
    try memory.write(0..<Self.stepWords, to: file)
  }

  /// Adds a reading, and completes the steps that end with this reading.
  ///
  /// If the disk is full or failing, a step that could not be written is missing after a restart.
  func add(_ reading: Reading) {
    for (index, tier) in Self.tiers.enumerated() {
      guard let before = earlier[index] else {
        earlier[index] = reading
        continue
      }
      let (now, then) = (reading.atMilliseconds, before.atMilliseconds)
      guard now > then else {
        // The clock was set back, so the current step begins again at this reading.
        earlier[index] = reading
        continue
      }
      guard now / tier.stepMilliseconds != then / tier.stepMilliseconds else { continue }
      write(values(from: before, to: reading), at: now, tier: index)
      earlier[index] = reading
    }
  }

  private func values(from before: Reading, to now: Reading) -> [Column: Double] {
    let seconds = Double(now.atMilliseconds - before.atMilliseconds) / 1_000
    var values = now.gauges
    for (column, total) in now.counters {
      guard let earlier = before.counters[column] else { continue }
      values[column] = max(0, total - earlier) / seconds
    }
    func add(
      _ columns: [(Column, Double)], _ snapshot: QuantileCounts.Snapshot?,
      _ earlier: QuantileCounts.Snapshot?, scale: Double
    ) {
      for (column, share) in columns {
        values[column] = snapshot?.percentile(share, since: earlier).map { Double($0) * scale }
      }
    }
    add(
      [(.deliveryP50, 0.5), (.deliveryP90, 0.9), (.deliveryP99, 0.99)], now.delivery,
      before.delivery, scale: 1)
    add(
      [(.commitP50, 0.5), (.commitP90, 0.9), (.commitP99, 0.99)], now.commit, before.commit,
      scale: 1e-6)
    return values
  }

  private func write(_ values: [Column: Double], at milliseconds: Int64, tier: Int) {
    let step = Int(milliseconds / Self.tiers[tier].stepMilliseconds) % Self.tiers[tier].count
    let base = place(ofStep: step, inTier: tier)
    memory[base] = UInt64(bitPattern: milliseconds)
    for (index, column) in Column.allCases.enumerated() {
      memory[base + 1 + index] = (values[column] ?? .nan).bitPattern
    }
    guard let file else { return }
    try? memory.write(base..<(base + Self.stepWords), to: file)
  }

  private func place(ofStep step: Int, inTier tier: Int) -> Int {
    let before = Self.tiers[..<tier].reduce(0) { $0 + $1.count }
    assert(step >= 0 && step < Self.tiers[tier].count, "the step is within its tier")
    return (1 + before + step) * Self.stepWords
  }

  /// Returns the steps of the last `milliseconds` before `now`, oldest first, from the finest tier that covers this
  /// period.
  ///
  /// The members are `stepSeconds`, `at` (the times in milliseconds since 1970), and `series` (a list of values per
  /// column). A missing value is null.
  func json(lastMilliseconds milliseconds: Int64, before now: Int64) -> JSONObject {
    let index =
      Self.tiers.firstIndex { $0.spanMilliseconds >= milliseconds } ?? Self.tiers.count - 1
    let tier = Self.tiers[index]
    let steps = (0..<tier.count).map { place(ofStep: $0, inTier: index) }
      .map { (at: Int64(bitPattern: memory[$0]), place: $0) }
      .filter { $0.at > now - milliseconds && $0.at <= now }
      .sorted { $0.at < $1.at }
    let series = Column.allCases.enumerated().map { number, column in
      (
        column.rawValue,
        JSONValue.array(
          steps.map { step in
            let value = Double(bitPattern: memory[step.place + 1 + number])
            return value.isFinite ? .double((value * 1_000).rounded() / 1_000) : .null
          })
      )
    }
    return [
      "stepSeconds": .integer(tier.stepMilliseconds / 1_000),
      "at": .array(steps.map { .integer($0.at) }),
      "series": .object(JSONObject(series)),
    ]
  }
}
