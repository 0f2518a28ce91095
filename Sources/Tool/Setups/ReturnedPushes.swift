import Agent
import BelfryWire
import Glibc
import System

/// The record of the pushes that `belfry device received` has returned in a run, by their positions in the file.
struct ReturnedPushes {
  /// A search for positions in ascending order.
  struct Cursor {
    fileprivate let ranges: [Range<Int>]
    private var index = 0

    fileprivate init(_ ranges: [Range<Int>]) { self.ranges = ranges }

    /// Returns true if the push at this position was returned; the positions in successive calls must be in ascending
    /// order.
    mutating func contains(_ offset: Int) -> Bool {
      while index < ranges.count, ranges[index].upperBound <= offset { index += 1 }
      return index < ranges.count && ranges[index].contains(offset)
    }
  }

  private let path: String
  /// The name of the run, which makes the marks of other runs invalid.
  private let run: String
  /// The ranges of returned pushes, in ascending order; no two ranges overlap or are adjacent.
  private var ranges: [Range<Int>] = []

  /// Reads the record for a file that has `bytes` bytes, or creates a new record.
  ///
  /// If the file has since been emptied, the record is discarded.
  init(_ file: String, bytes: Int) throws(SystemFailure) {
    path = ReceivedFile.recordFile(of: file)
    if FileSystem.exists(path) {
      let text = try FileSystem.readRegularFile(path, limit: Self.fileBytesMax)
      let record = (try? JSONValue(parsing: text))?.objectValue
      let ranges = Self.ranges(record?["returned"]?.arrayValue ?? [])
      if let run = record?["run"]?.stringValue, (ranges.last?.upperBound ?? 0) <= bytes {
        self.run = run
        self.ranges = ranges
        return
      }
    }
    run = Hexadecimal.encode(SystemRandom.bytes(4))
  }

  /// The maximum size of the record, in bytes: enough for a million pushes if every second push was returned.
  private static let fileBytesMax = 32 << 20

  private static func ranges(_ pairs: [JSONValue]) -> [Range<Int>] {
    pairs.compactMap { pair in
      guard let ends = pair.arrayValue?.compactMap(\.integerValue), ends.count == 2,
        ends[0] < ends[1]
      else { return nil }
      return Int(ends[0])..<Int(ends[1])
    }
  }

  /// The position of the first push that might not have been returned.
  var firstOffset: Int { ranges.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0 }

  var cursor: Cursor { Cursor(ranges) }

  /// Adds the ranges of pushes that have now been returned.
  mutating func add(_ taken: [Range<Int>]) {
    var merged: [Range<Int>] = []
    for range in (ranges + taken).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, last.upperBound >= range.lowerBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    ranges = merged
  }

  /// Returns the mark for a position.
  func mark(at offset: Int) -> String { "\(run)-\(offset)" }

  /// Returns the position that a mark represents; nil for a mark from another run.
  func offset(of mark: String) -> Int? {
    let parts = mark.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == run, let offset = Int(parts[1]), offset >= 0 else {
      return nil
    }
    return offset
  }

  /// Replaces the file, so that if the process is killed, the file contains either the old or the new record.
  ///
  /// The record needn't survive a power failure, so the method doesn't wait for the disk.
  func write() throws(SystemFailure) {
    let object: JSONValue = [
      "run": .string(run),
      "returned": .array(
        ranges.map { [.integer(Int64($0.lowerBound)), .integer(Int64($0.upperBound))] }),
    ]
    let bytes = object.bytes + [0x0A]
    let unfinished = path + ".new"
    let descriptor = unsafe open(
      unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .call(name: "open", errno: errno, subject: unfinished) }
    let written = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    let number = errno
    close(descriptor)
    guard written == bytes.count else {
      throw .call(name: "write", errno: written < 0 ? number : ENOSPC, subject: unfinished)
    }
    guard unsafe rename(unfinished, path) == 0 else {
      throw .call(name: "rename", errno: errno, subject: unfinished)
    }
  }
}
