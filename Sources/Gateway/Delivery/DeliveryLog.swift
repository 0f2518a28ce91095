public import BelfryWire
public import Storage
public import System

/// The latest notification events on one loop: a fixed-size ring buffer, with a copy in a file in the gateway's folder,
/// so that it persists across restarts and can be read while the gateway is stopped.
///
/// Confined to its loop, which calls `flush()` at the end of each turn. The file isn't synced: it survives a crash of
/// the process but not a power failure, which is enough for a log, because the store holds the notifications
/// themselves. It isn't memory-mapped either, so a program that truncates it removes lines but can't crash the gateway.
///
/// The file consists of 8-byte words in the machine's byte order: a magic number, the capacity, 6 reserved words, then
/// 8 words per line: milliseconds since 1970; device; app, kind, state, push type, and letter case; the two halves of
/// `apns-id`; the two of `apns-unique-id`; and the line's number from 1, which is 0 in an unused line. A push type of 0
/// is unknown.
public final class DeliveryLog {
  /// A line of the log.
  public struct Entry: Equatable, Sendable {
    /// The time, in milliseconds since 1970.
    public let atMilliseconds: Int64
    /// The event that occurred.
    public let state: DeliveryState
    /// The token that the event concerns.
    public let key: NotificationKey
    /// The notification's `apns-id`, which its provider chose or the gateway generated.
    public let id: NotificationID
    /// The notification's `apns-unique-id`, which the gateway generated.
    public let uniqueID: NotificationID
    /// The push type; nil if it is unknown, as in lines that earlier releases wrote.
    public var pushType: PushType?
  }

  /// The number of lines that each loop's log keeps.
  public static let linesPerLoop = Limits.deliveryLogLines

  private static let mark: UInt64 = 0x4245_4C4C_4F47_3031
  private static let lineWords = 8

  private let words: WordBuffer
  private let file: RandomAccessFile?
  private let capacity: Int
  private var appended: UInt64 = 0
  /// The number of the last line that was written to the file.
  private var written: UInt64 = 0

  /// Creates an empty log in memory with room for `capacity` lines.
  public init(capacity: Int) throws(SystemFailure) {
    self.capacity = max(1, capacity)
    words = try WordBuffer(count: (self.capacity + 1) * Self.lineWords)
    file = nil
  }

  /// Opens or creates the log file at `path`; a file of another size or format is overwritten.
  public init(file path: String, capacity: Int) throws(SystemFailure) {
    self.capacity = max(1, capacity)
    words = try WordBuffer(count: (self.capacity + 1) * Self.lineWords)
    let file = try RandomAccessFile(path)
    self.file = file
    if try isWhole(file) {
      try words.read(from: file)
    } else {
      try file.clear(byteCount: words.count * MemoryLayout<UInt64>.size)
      words[0] = Self.mark
      words[1] = UInt64(self.capacity)
      try words.write(0..<Self.lineWords, to: file)
    }
    countLines()
  }

  /// Reads the log file at `path` without changing it.
  ///
  /// The log is empty if the file has another format.
  public init(reading path: String, capacity: Int) throws(SystemFailure) {
    self.capacity = max(1, capacity)
    words = try WordBuffer(count: (self.capacity + 1) * Self.lineWords)
    file = nil
    let file = try RandomAccessFile(reading: path)
    if try isWhole(file) { try words.read(from: file) }
    countLines()
  }

  /// Returns true if a file has this log's size and magic number.
  private func isWhole(_ file: RandomAccessFile) throws(SystemFailure) -> Bool {
    guard try file.byteCount() == words.count * MemoryLayout<UInt64>.size else { return false }
    let header = try WordBuffer(count: 2)
    try header.read(from: file)
    return header[0] == Self.mark && header[1] == UInt64(capacity)
  }

  /// Finds the number of the last line.
  ///
  /// A slot whose number belongs to another slot is ignored.
  private func countLines() {
    for slot in 0..<capacity {
      let number = words[place(ofSlot: slot) + 7]
      guard number > 0, number <= .max / 2, (number - 1) % UInt64(capacity) == UInt64(slot) else {
        continue
      }
      appended = max(appended, number)
    }
    written = appended
  }

  /// Appends a line, replacing the oldest if the log is full.
  func append(_ entry: Entry) {
    let base = place(ofSlot: Int(appended % UInt64(capacity)))
    let small =
      UInt64(entry.key.app) << 32 | UInt64(entry.key.kind) << 16
      | UInt64(entry.state.rawValue) << 8 | UInt64(entry.pushType?.rawValue ?? 0) << 2
      | (entry.id.isLowercase ? 2 : 0) | (entry.uniqueID.isLowercase ? 1 : 0)
    appended += 1
    words[base] = UInt64(bitPattern: entry.atMilliseconds)
    words[base + 1] = entry.key.device
    words[base + 2] = small
    words[base + 3] = entry.id.high
    words[base + 4] = entry.id.low
    words[base + 5] = entry.uniqueID.high
    words[base + 6] = entry.uniqueID.low
    words[base + 7] = appended
  }

  /// Writes the new lines to the file.
  ///
  /// Lines that a full or failing disk doesn't accept are missing from the file, because pushes take priority.
  func flush() {
    guard let file, written < appended else { return }
    let start = max(written, appended - min(appended, UInt64(capacity)))
    let first = Int(start % UInt64(capacity))
    let count = Int(appended - start)
    assert(count <= capacity, "a log of \(capacity) lines has room for \(count)")
    let end = min(first + count, capacity)
    try? words.write(place(ofSlot: first)..<place(ofSlot: end), to: file)
    let wrapped = first + count - end
    if wrapped > 0 { try? words.write(place(ofSlot: 0)..<place(ofSlot: wrapped), to: file) }
    written = appended
  }

  deinit { flush() }

  /// Returns the lines for which `matches` returns true, oldest first.
  public func lines(where matches: (Entry) -> Bool) -> [Entry] {
    var lines: [Entry] = []
    let kept = min(appended, UInt64(capacity))
    for number in (appended - kept)..<appended {
      let slot = Int(number % UInt64(capacity))
      guard words[place(ofSlot: slot) + 7] == number + 1, let entry = entry(inSlot: slot),
        matches(entry)
      else { continue }
      lines.append(entry)
    }
    return lines
  }

  private func place(ofSlot slot: Int) -> Int { (slot + 1) * Self.lineWords }

  private func entry(inSlot slot: Int) -> Entry? {
    let base = place(ofSlot: slot)
    let small = words[base + 2]
    guard let state = DeliveryState(rawValue: UInt8(truncatingIfNeeded: small >> 8)) else {
      return nil
    }
    return Entry(
      atMilliseconds: Int64(bitPattern: words[base]), state: state,
      key: NotificationKey(
        device: words[base + 1], app: UInt32(truncatingIfNeeded: small >> 32),
        kind: UInt8(truncatingIfNeeded: small >> 16)),
      id: NotificationID(
        high: words[base + 3], low: words[base + 4], isLowercase: small & 2 != 0),
      uniqueID: NotificationID(
        high: words[base + 5], low: words[base + 6], isLowercase: small & 1 != 0),
      pushType: PushType(rawValue: UInt8(truncatingIfNeeded: small) >> 2))
  }
}

extension DeliveryLog.Entry {
  /// Creates a line about a notification.
  init(_ state: DeliveryState, of one: Submission, atMilliseconds: Int64) {
    self.init(
      atMilliseconds: atMilliseconds, state: state, key: one.key, id: one.id,
      uniqueID: one.uniqueID, pushType: one.pushType)
  }
}

extension DroppedNotification.Reason {
  /// The state that the log records.
  package var state: DeliveryState {
    switch self {
    case .replaced: .replaced
    case .expired: .discardedExpired
    case .unregistered: .discardedUnregisteredFromStorage
    }
  }
}
