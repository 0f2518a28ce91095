/// A check that measures handlers with growing input sizes and compares the cost per byte.
public struct CostCheck: Sendable {
  /// The result for one subject.
  public struct Row: Sendable {
    /// The name of the subject.
    public let name: String
    /// The sizes, in bytes, of the smallest and the largest input.
    public let bytes: (small: Int, large: Int)
    /// The nanoseconds per byte for the smallest and the largest input.
    public let cost: (small: Double, large: Double)
    /// The highest cost per byte at any size, relative to the cost at the smallest size.
    public let ratio: Double
    /// The size with the highest cost per byte.
    public let worstBytes: Int

    /// True if the cost is within the limit.
    public var isGood: Bool { ratio <= CostCheck.ratioMax }
  }

  /// The maximum cost per byte at any size, relative to the cost at the smallest size.
  public static let ratioMax = 3.0
  /// The size in bytes of the input whose cost per byte is the reference.
  static let smallBytes = 4_096

  /// The largest size to measure, in bytes; nil measures up to each interface's limit.
  private let bound: Int?
  private let sampleNanoseconds: Int64

  /// Creates a check that measures up to the interfaces' limits or up to a bound.
  public init(bound: Int? = nil, sampleNanoseconds: Int64 = 4_000_000) {
    self.bound = bound
    self.sampleNanoseconds = sampleNanoseconds
  }

  /// Measures one subject.
  ///
  /// The check stops at the first size at which the cost is too high, so that a handler with quadratic cost never runs
  /// at the limit.
  public func row(_ subject: CostSubject) -> Row {
    let limit = min(subject.limit, bound ?? .max)
    // For an interface with a small limit, start at one sixteenth of the limit.
    let small = min(Self.smallBytes, limit / 16)
    var base = cost(subject, small)
    var last = base
    var ratio = 1.0
    var worst = small
    var size = small
    while size < limit {
      size = min(limit, size * 4)
      last = cost(subject, size)
      // The machine might have been busy, so measure again. A slow handler stays slow.
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

  /// Returns the nanoseconds per byte for an input of this size.
  private func cost(_ subject: CostSubject, _ bytes: Int) -> Double {
    let run = subject.prepare(bytes)
    return CostMeter.nanoseconds(sample: sampleNanoseconds, samples: 3, run) / Double(bytes)
  }
}
