public import BelfryWire
public import Storage
public import System

/// The latest events of notifications on one loop: a ring buffer of fixed size, of which a file in the
/// gateway's folder has a copy, so that it outlives a restart and can be read while the gateway is stopped.
///
/// Confined to its loop, which calls `flush()` at the end of each turn. The file is not synced: it outlives
/// the process but not a loss of power, which is enough for a log, since the store holds the notifications
/// themselves. It is not mapped either: a program that cuts it takes lines from it, and nothing from the gateway.
///
/// The file consists of 8-byte words in the machine's byte order: a magic number, the capacity, 6 reserved
/// words, then 8 words per line: milliseconds since 1970; device; app, kind, state and letter case; the two
/// halves of `apns-id`; the two of `apns-unique-id`; and the line's number from 1, which is 0 in an unused line.
public final class DeliveryLog {
  /// One line.
  public struct Entry: Equatable, Sendable {
    /// When, in milliseconds since 1970.
    public let atMilliseconds: Int64
    /// What.
    public let state: DeliveryState
    /// To which token.
    public let key: NotificationKey
    /// `apns-id`.
    public let id: NotificationID
    /// `apns-unique-id`.
    public let uniqueID: NotificationID
  }

  /// Lines that the log of each loop keeps.
  public static let linesPerLoop = Limits.deliveryLogLines

  private static let mark: UInt64 = 0x4245_4C4C_4F47_3031
  private static let lineWords = 8

  private let words: WordBuffer
  private let file: RandomAccessFile?
  private let capacity: Int
  private var appended: UInt64 = 0
  /// The lines that the file has.
  private var written: UInt64 = 0

  /// Creates an empty log in memory with room for `capacity` lines.
  public init(capacity: Int) throws(SystemFailure) {
    self.capacity = max(1, capacity)
    words = try WordBuffer(count: (self.capacity + 1) * Self.lineWords)
    file = nil
  }

  /// Opens the log file at `path`, or creates it; a file of another size or format is overwritten.
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

  /// The lines of the log file at `path`, which is left as it is; none where it is of another format.
  public init(reading path: String, capacity: Int) throws(SystemFailure) {
    self.capacity = max(1, capacity)
    words = try WordBuffer(count: (self.capacity + 1) * Self.lineWords)
    file = nil
    let file = try RandomAccessFile(reading: path)
    if try isWhole(file) { try words.read(from: file) }
    countLines()
  }

  /// Whether a file has this log's size and mark.
  private func isWhole(_ file: RandomAccessFile) throws(SystemFailure) -> Bool {
    guard try file.byteCount() == words.count * MemoryLayout<UInt64>.size else { return false }
    let header = try WordBuffer(count: 2)
    try header.read(from: file)
    return header[0] == Self.mark && header[1] == UInt64(capacity)
  }

  /// Finds the number of the last line; a line that says a number of another place is none.
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

  /// Appends a line, replacing the oldest when the log is full.
  func append(_ entry: Entry) {
    let base = place(ofSlot: Int(appended % UInt64(capacity)))
    let small =
      UInt64(entry.key.app) << 32 | UInt64(entry.key.kind) << 16
      | UInt64(entry.state.rawValue) << 8 | (entry.id.isLowercase ? 2 : 0)
      | (entry.uniqueID.isLowercase ? 1 : 0)
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
  /// Lines that a full or failing disk does not take are missing in the file: pushes matter more.
  func flush() {
    guard let file, written < appended else { return }
    let start = max(written, appended - min(appended, UInt64(capacity)))
    let first = Int(start % UInt64(capacity))
    let count = Int(appended - start)
    assert(count <= capacity, "\(count) lines for a log of \(capacity)")
    let end = min(first + count, capacity)
    try? words.write(place(ofSlot: first)..<place(ofSlot: end), to: file)
    let wrapped = first + count - end
    if wrapped > 0 { try? words.write(place(ofSlot: 0)..<place(ofSlot: wrapped), to: file) }
    written = appended
  }

  deinit { flush() }

  /// The lines that `matches` picks, oldest first.
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
        high: words[base + 5], low: words[base + 6], isLowercase: small & 1 != 0))
  }
}

extension DeliveryLog.Entry {
  /// A line about a notification.
  init(_ state: DeliveryState, of one: AcceptedNotification, atMilliseconds: Int64) {
    self.init(
      atMilliseconds: atMilliseconds, state: state, key: one.key, id: one.id,
      uniqueID: one.uniqueID)
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
