public import BelfryWire
public import Storage
public import System

/// The latest events of notifications on one loop: a ring buffer of fixed size, mapped from a file in the
/// gateway's folder, so that it outlives a restart and can be read while the gateway is stopped.
///
/// Confined to its loop. It is not synced: it outlives the process but not a loss of power, which is enough
/// for a log, since the store holds the notifications themselves.
///
/// The file consists of 8-byte words in the machine's byte order: a magic number, the capacity, the number of
/// lines ever written, 5 reserved words, then 8 words per line: milliseconds since 1970; device; app, kind,
/// state and letter case; the two halves of `apns-id`; the two of `apns-unique-id`; and the line's number
/// from 1, which is 0 in an unused line.
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

  private let words: MappedWords
  private let capacity: Int
  private var appended: UInt64 = 0

  /// Creates an empty log in memory with room for `capacity` lines.
  public init(capacity: Int) throws(SystemFailure) {
    self.capacity = max(1, capacity)
    words = try MappedWords(count: (self.capacity + 1) * Self.lineWords)
  }

  /// Opens the log file at `path`, or creates it; a file of another format is overwritten.
  public init(file path: String, capacity: Int) throws(SystemFailure) {
    self.capacity = max(1, capacity)
    words = try MappedWords(file: path, count: (self.capacity + 1) * Self.lineWords)
    guard words[0] == Self.mark, words[1] == UInt64(self.capacity) else {
      // A new file consists of zeros.
      if words[0] != 0 { for index in 0..<words.count { words[index] = 0 } }
      words[0] = Self.mark
      words[1] = UInt64(self.capacity)
      return
    }
    appended = min(words[2], .max / 2)
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
    words[2] = appended
  }

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
