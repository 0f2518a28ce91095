public import BelfryWire
public import Storage
public import System

/// The last things that happened to notifications on one loop: a ring of fixed size, in a file of the
/// gateway's folder, so that it is there after a restart and on a stopped gateway.
///
/// Confined to its loop and off the commit path: it outlives the process, and is lost with the
/// machine's power, as a log of what was promised elsewhere may be.
///
/// The file holds words of 8 bytes in the machine's order: a mark, the capacity, how many lines
/// there ever were, 5 words of nothing, then 8 words a line: milliseconds since 1970, device, app and kind and state and letter case, the
/// two halves of `apns-id`, those of `apns-unique-id`, and the line's number from 1, which is 0 where
/// no line is yet.
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

  private static let mark: UInt64 = 0x4245_4C4C_4F47_3031
  private static let lineWords = 8

  private let words: MappedWords
  private let capacity: Int
  private var appended: UInt64 = 0

  /// An empty log in memory that keeps that many lines.
  public init(capacity: Int) throws(SystemFailure) {
    self.capacity = max(1, capacity)
    words = try MappedWords(count: (self.capacity + 1) * Self.lineWords)
  }

  /// The log in the file at `path`, which is made where there is none; a file of another form is
  /// begun anew.
  public init(file path: String, capacity: Int) throws(SystemFailure) {
    self.capacity = max(1, capacity)
    words = try MappedWords(file: path, count: (self.capacity + 1) * Self.lineWords)
    guard words[0] == Self.mark, words[1] == UInt64(self.capacity) else {
      // In a new file all is 0 as it is.
      if words[0] != 0 { for index in 0..<words.count { words[index] = 0 } }
      words[0] = Self.mark
      words[1] = UInt64(self.capacity)
      return
    }
    appended = min(words[2], .max / 2)
  }

  /// Adds a line, over the oldest where the log is full.
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
  /// The state that the log shows.
  package var state: DeliveryState {
    switch self {
    case .replaced: .replaced
    case .expired: .discardedExpired
    case .unregistered: .discardedUnregisteredFromStorage
    }
  }
}
