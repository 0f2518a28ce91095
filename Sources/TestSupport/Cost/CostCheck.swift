/// Measures subjects at growing sizes and compares the cost of a byte.
public struct CostCheck: Sendable {
  /// The result for one subject.
  public struct Row: Sendable {
    /// The subject.
    public let name: String
    /// Bytes of the smallest and of the largest input.
    public let bytes: (small: Int, large: Int)
    /// Nanoseconds for a byte of each.
    public let cost: (small: Double, large: Double)
    /// The highest cost of a byte at any size, in those of the smallest.
    public let ratio: Double
    /// The size at which it was the highest.
    public let worstBytes: Int

    /// Whether the cost grows as it may.
    public var isGood: Bool { ratio <= CostCheck.ratioMax }
  }

  /// The cost of a byte at the limit, in those at 4 KB, at most.
  public static let ratioMax = 3.0
  /// Bytes at which the cost of a byte is known to be right.
  static let smallBytes = 4_096

  /// Bytes beyond which nothing is measured; nil: up to each interface's limit.
  private let bound: Int?
  private let sampleNanoseconds: Int64

  /// A check up to the limits, or up to a bound.
  public init(bound: Int? = nil, sampleNanoseconds: Int64 = 4_000_000) {
    self.bound = bound
    self.sampleNanoseconds = sampleNanoseconds
  }

  /// Measures one subject.
  ///
  /// It stops at the size at which the cost is too high: what is quadratic need not run at the limit.
  public func row(_ subject: CostSubject) -> Row {
    let limit = min(subject.limit, bound ?? .max)
    // An interface with a small limit is measured from a sixteenth of it.
    let small = min(Self.smallBytes, limit / 16)
    var base = cost(subject, small)
    var last = base
    var ratio = 1.0
    var worst = small
    var size = small
    while size < limit {
      size = min(limit, size * 4)
      last = cost(subject, size)
      // The machine may have been busy: what is too slow is slow again.
      for _ in 0..<3 where last / base > Self.ratioMax {
        base = max(base, cost(subject, small))
        last = min(last, cost(subject, size))
      }
      if last / base > ratio {
        ratio = last / base
        worst = size
      }
      if ratio > Self.ratioMax { break }
    }
    return Row(
      name: subject.name, bytes: (small, size), cost: (base, last), ratio: ratio, worstBytes: worst)
  }

  /// Nanoseconds for each byte of an input of so many.
  private func cost(_ subject: CostSubject, _ bytes: Int) -> Double {
    let run = subject.prepare(bytes)
    return CostMeter.nanoseconds(sample: sampleNanoseconds, samples: 3, run) / Double(bytes)
  }
}
