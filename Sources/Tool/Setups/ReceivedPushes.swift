import BelfryWire
import PushWire
import Glibc
import System

/// The pushes that the devices of a run have received, in a file with one JSON line per push.
///
/// A second file in the same folder records the pushes that `belfry device received` has returned, so that no test
/// passes because of another test's push. The lock on the first file allows only one process at a time to take pushes.
final class ReceivedPushes {
  /// The conditions that a push must meet.
  struct Filter {
    /// The push's `apns-id`; nil for any.
    var id: NotificationID?
    /// The device token to which the push was sent; nil for any.
    var token: [UInt8]?
    /// The UTF-8 bytes of the push's topic; nil for any.
    var topic: [UInt8]?

    func matches(_ line: ArraySlice<UInt8>) -> Bool {
      guard id != nil || token != nil || topic != nil else { return true }
      guard let push = (try? JSONValue(parsing: Array(line)))?.objectValue else { return false }
      if let id {
        let text = Array((push["apnsID"]?.stringValue ?? "").utf8)
        guard NotificationID(text.span) == id else { return false }
      }
      if let token {
        guard let text = push["token"]?.stringValue, Hexadecimal.decode(text) == token else {
          return false
        }
      }
      if let topic {
        // The topic in a provider's request includes the suffix of the token's kind, but the topic in the file might
        // not.
        let kind = push["type"]?.stringValue.flatMap(TokenKind.init(name:))
        let suffix = kind.map { "\($0.topicSuffix)" } ?? ""
        guard let text = push["topic"]?.stringValue,
          text.utf8.elementsEqual(topic) || (text + suffix).utf8.elementsEqual(topic)
        else { return false }
      }
      return true
    }
  }

  /// An error that the user can correct.
  enum Problem: CommandFailure, CustomStringConvertible {
    case unknownMark(String)

    var exitStatus: Int32 { 2 }

    var description: String {
      switch self {
      case .unknownMark(let text):
        "marker '\(text)' is not from this run: use one that 'belfry device received --mark' prints"
      }
    }
  }

  private let file: String
  private let descriptor: Int32
  /// The position after the last line that was examined; nil before the first line.
  private var position: Int?
  /// The size of the file when it was last examined.
  private var examinedBytes = -1
  private let filter: Filter
  private let start: String?

  /// Opens the file.
  ///
  /// If `start` is given, ``take(_:)`` returns the pushes after that mark, even if they have been returned before.
  init(_ file: String, where filter: Filter, after start: String?) throws(SystemFailure) {
    self.file = file
    self.filter = filter
    self.start = start
    descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .call(name: "open", errno: errno, subject: file) }
  }

  deinit { close(descriptor) }

  /// Returns a mark for the current end of the file; only later pushes follow the mark.
  func mark() throws -> String {
    try withLock {
      let record = try ReturnedPushes(file, bytes: byteCount())
      try record.write()
      return record.mark(at: try endOfLines())
    }
  }

  /// Returns up to `limit` lines that haven't been returned before, and records that they have now been returned.
  func take(_ limit: Int) throws -> [[UInt8]] {
    // Other processes can only take pushes, so a file of the same size contains nothing new.
    guard byteCount() != examinedBytes else { return [] }
    return try withLock {
      var record = try ReturnedPushes(file, bytes: byteCount())
      var lines: [[UInt8]] = []
      var taken: [Range<Int>] = []
      let isAfterMark = start != nil
      let from = try position ?? start.map { try offset(of: $0, record) } ?? record.firstOffset
      examinedBytes = byteCount()
      var cursor = record.cursor
      position = try forEachLine(from: from) { line, range in
        guard isAfterMark || !cursor.contains(range.lowerBound), filter.matches(line) else {
          return true
        }
        lines.append(Array(line))
        taken.append(range)
        return lines.count < limit
      }
      // The caller can request the remaining lines later.
      if lines.count == limit { examinedBytes = -1 }
      if !taken.isEmpty {
        record.add(taken)
        try record.write()
      }
      return lines
    }
  }

  /// Returns the number of matching pushes that have been returned, by this process or by another one.
  ///
  /// After a mark, returned pushes are returned again, so the number is 0.
  func returnedCount() throws -> Int {
    guard start == nil else { return 0 }
    return try withLock {
      var cursor = try ReturnedPushes(file, bytes: byteCount()).cursor
      var count = 0
      _ = try forEachLine(from: 0) { line, range in
        if cursor.contains(range.lowerBound), filter.matches(line) { count += 1 }
        return true
      }
      return count
    }
  }

  // MARK: The file

  private func withLock<Value>(_ body: () throws -> Value) throws -> Value {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else {
        throw SystemFailure.call(name: "flock", errno: errno, subject: file)
      }
    }
    defer { flock(descriptor, LOCK_UN) }
    return try body()
  }

  private func byteCount() -> Int {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Returns the position after the last complete line.
  private func endOfLines() throws -> Int {
    var end = byteCount()
    while end > 0 {
      let start = max(0, end - Self.bufferBytes)
      let bytes = try read(at: start, count: end - start)
      if let last = bytes.lastIndex(of: 0x0A) { return start + last + 1 }
      end = start
    }
    return 0
  }

  /// Returns the position that a mark from this run represents.
  private func offset(of mark: String, _ record: ReturnedPushes) throws -> Int {
    guard let offset = record.offset(of: mark), offset <= byteCount(),
      try offset == 0 || read(at: offset - 1, count: 1) == [0x0A]
    else { throw Problem.unknownMark(mark) }
    return offset
  }

  /// Calls `body` with each complete line, starting at `offset`, and with the line's range, until `body` returns false.
  ///
  /// Returns the position after the last of these lines.
  private func forEachLine(
    from offset: Int, _ body: (ArraySlice<UInt8>, Range<Int>) -> Bool
  ) throws -> Int {
    var start = offset
    var rest: [UInt8] = []
    while true {
      let bytes = try read(at: start + rest.count, count: Self.bufferBytes)
      guard !bytes.isEmpty else { return start }
      // Only the new bytes can contain the end of a line that began in an earlier block.
      var search = rest.count
      rest += bytes
      var first = 0
      while let end = rest[search...].firstIndex(of: 0x0A) {
        let range = start + first..<start + end + 1
        let goesOn = body(rest[first..<end], range)
        first = end + 1
        search = first
        if !goesOn { return range.upperBound }
      }
      rest.removeFirst(first)
      start += first
    }
  }

  private func read(at offset: Int, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
    }
    guard result >= 0 else {
      throw SystemFailure.call(name: "pread", errno: errno, subject: file)
    }
    bytes.removeLast(count - result)
    return bytes
  }

  /// The number of bytes that are read at a time.
  private static let bufferBytes = 1 << 18
}
