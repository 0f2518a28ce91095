/// A summary of the positions of all stored notifications, which each commit writes.
///
/// A start computes the summary again from the log. If records were lost, the difference shows whether notifications
/// that had ended have reappeared, and which ones: the positions are divided among buckets, so a few missing or
/// additional positions per bucket can be identified.
struct LiveDigest: Equatable {
  static let bucketCount = 128
  /// The bytes of a bucket: the sum and the count.
  private static let bucketBytes = 12

  private(set) var sums = [UInt64](repeating: 0, count: bucketCount)
  private(set) var counts = [UInt32](repeating: 0, count: bucketCount)

  init() {}

  /// Returns a value that identifies a position in a sum (SplitMix64).
  @inline(__always)
  static func hash(_ position: UInt64) -> UInt64 {
    var value = position &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  @inline(__always)
  static func bucket(_ position: UInt64) -> Int {
    Int(hash(position) >> 57) & (bucketCount - 1)
  }

  @inline(__always)
  mutating func add(_ position: UInt64) {
    let bucket = Self.bucket(position)
    sums[bucket] &+= Self.hash(position)
    counts[bucket] &+= 1
  }

  @inline(__always)
  mutating func remove(_ position: UInt64) {
    let bucket = Self.bucket(position)
    sums[bucket] &-= Self.hash(position)
    counts[bucket] &-= 1
  }

  /// Appends the summary to `bytes`.
  func append(to bytes: inout [UInt8]) {
    for sum in sums { bytes.appendLittleEndian(sum) }
    for count in counts { bytes.appendLittleEndian(count) }
  }

  /// Reads a summary; nil if the bytes have another length, as in a store without a commit.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.bucketCount * Self.bucketBytes else { return nil }
    (sums, counts) = RecordBytes.read(bytes) { record in
      (
        (0..<Self.bucketCount).map { record.number($0 * 8, as: UInt64.self) },
        (0..<Self.bucketCount).map {
          record.number(Self.bucketCount * 8 + $0 * 4, as: UInt32.self)
        }
      )
    }
  }

  // MARK: Differences

  /// The positions that explain a difference between two summaries.
  struct Explanation: Equatable {
    /// The positions that are present although they had ended.
    var revived: [UInt64] = []
    /// The buckets that contain positions that had ended, which could not be identified.
    var unexplained: Set<Int> = []
  }

  /// The largest number of candidates in a bucket among which three positions are searched.
  private static let candidatesOfThreeMax = 400

  /// Explains how `found`, which the log contains, differs from this summary.
  ///
  /// `present` are the positions that the log contains, and `lost` are positions whose records could not be read.
  func explain(_ found: LiveDigest, present: [UInt64], lost: [UInt64]) -> Explanation {
    let different = Set(
      (0..<Self.bucketCount).filter { sums[$0] != found.sums[$0] || counts[$0] != found.counts[$0] }
    )
    var explanation = Explanation()
    guard !different.isEmpty else { return explanation }
    var candidates: [Int: [Candidate]] = [:]
    for position in present where different.contains(Self.bucket(position)) {
      candidates[Self.bucket(position), default: []].append(
        Candidate(position: position, isPresent: true))
    }
    for position in lost where different.contains(Self.bucket(position)) {
      candidates[Self.bucket(position), default: []].append(
        Candidate(position: position, isPresent: false))
    }
    for bucket in different.sorted() {
      let surplus = Int(found.counts[bucket]) - Int(counts[bucket])
      let chosen = Self.search(
        candidates[bucket] ?? [], sum: found.sums[bucket] &- sums[bucket], surplus: surplus)
      if let chosen {
        explanation.revived += chosen.filter(\.isPresent).map(\.position)
      } else if surplus >= 0 {
        // At least one position had ended, even if as many others were lost.
        explanation.unexplained.insert(bucket)
      }
    }
    explanation.revived.sort()
    return explanation
  }

  /// A position that might explain a difference: a record that had ended, or one that was lost.
  private struct Candidate {
    let position: UInt64
    let isPresent: Bool
    var value: UInt64 {
      isPresent ? LiveDigest.hash(position) : 0 &- LiveDigest.hash(position)
    }
  }

  /// Returns at most three candidates whose values have this sum.
  private static func search(
    _ candidates: [Candidate], sum: UInt64, surplus: Int
  ) -> [Candidate]? {
    func matches(_ chosen: [Candidate]) -> Bool {
      chosen.reduce(0) { $0 + ($1.isPresent ? 1 : -1) } == surplus
    }
    var byValue: [UInt64: Int] = [:]
    for (index, candidate) in candidates.enumerated() { byValue[candidate.value] = index }
    if let one = byValue[sum], matches([candidates[one]]) { return [candidates[one]] }
    for (index, first) in candidates.enumerated() {
      guard let other = byValue[sum &- first.value], other > index else { continue }
      let pair = [first, candidates[other]]
      if matches(pair) { return pair }
    }
    guard candidates.count <= candidatesOfThreeMax else { return nil }
    for (index, first) in candidates.enumerated() {
      for (next, second) in candidates.enumerated().dropFirst(index + 1) {
        guard let third = byValue[sum &- first.value &- second.value], third > next else {
          continue
        }
        let three = [first, second, candidates[third]]
        if matches(three) { return three }
      }
    }
    return nil
  }
}
