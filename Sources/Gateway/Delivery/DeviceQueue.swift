import PushWire
import Storage

/// One device's undelivered entries that are in memory, each in exactly one list.
///
/// ```
/// new ─┬─ uncommitted (away, loading, or too many)
///      ├─ held (power, background rate) ─┐
///      └─ waiting ◄──────────────────────┘
///            └─ inFlight ─ acknowledged
/// ```
struct DeviceQueue {
  /// The entries in flight, in the order in which they were sent; there are at most as many as the window allows.
  private var inFlight: [DeliveryEntry] = []
  private var uncommitted = EntryList()
  /// The entries that wait or are held; allocated only when needed, so that an idle device uses little memory.
  private var unsent: Unsent?
  /// The sequence numbers of the notifications that earlier sessions sent and the device didn't acknowledge.
  ///
  /// The device might have received these notifications, so they are sent first, while the device still remembers their
  /// unique IDs.
  private(set) var possiblyReceived: Set<UInt64> = []

  private final class Unsent {
    var waiting = UnsentEntries(.waiting)
    var held = UnsentEntries(.held)
  }

  var inFlightCount: Int { inFlight.count }
  var waitingCount: Int { unsent?.waiting.count ?? 0 }
  var heldCount: Int { unsent?.held.count ?? 0 }
  /// True if the device's state can be freed while the device is offline.
  var isForgettable: Bool { uncommitted.isEmpty && possiblyReceived.isEmpty }

  private mutating func makeUnsent() -> Unsent {
    if let unsent { return unsent }
    let new = Unsent()
    unsent = new
    return new
  }

  // MARK: Insertion

  /// Queues an entry until the window has room and no load is in progress.
  mutating func wait(_ entry: DeliveryEntry) { makeUnsent().waiting.insert(entry) }

  /// Holds an entry until the device's power state or the app's rate allows sending it.
  mutating func hold(_ entry: DeliveryEntry) { makeUnsent().held.insert(entry) }

  /// Keeps an entry in memory only until its row is committed.
  mutating func leaveToStore(_ entry: DeliveryEntry) {
    entry.move(from: .none, to: .uncommitted)
    uncommitted.insert(entry)
  }

  mutating func leaveToStore(contentsOf entries: [DeliveryEntry]) {
    for entry in entries { entry.move(from: .none, to: .uncommitted) }
    uncommitted.insert(contentsOf: entries)
  }

  /// Marks an entry as sent; the entry occupies the window until the device acknowledges it.
  mutating func send(_ entry: DeliveryEntry) {
    entry.move(from: .none, to: .inFlight)
    inFlight.append(entry)
  }

  // MARK: Removal

  /// Removes and returns the next entry to send.
  mutating func popWaiting() -> DeliveryEntry? {
    guard let unsent, !unsent.waiting.isEmpty else { return nil }
    return unsent.waiting.popFirst()
  }

  /// The number of waiting attempt-once entries that haven't been answered yet.
  var unansweredCount: Int { unsent?.waiting.unansweredCount ?? 0 }

  /// The oldest waiting attempt-once entry that hasn't been answered yet.
  var firstUnanswered: DeliveryEntry? { unsent?.waiting.firstUnanswered }

  /// Removes a waiting entry.
  mutating func removeWaiting(_ entry: DeliveryEntry) {
    guard let unsent else { return assertionFailure("#\(entry.sequence) is not waiting") }
    unsent.waiting.remove(entry)
  }

  /// Removes and returns the acknowledged entry; `nil` if no entry with this number is in flight.
  mutating func acknowledge(_ sequence: UInt64) -> DeliveryEntry? {
    guard let index = inFlight.firstIndex(where: { $0.sequence == sequence }) else { return nil }
    let entry = inFlight.remove(at: index)
    entry.move(from: .inFlight, to: .none)
    possiblyReceived.remove(sequence)
    return entry
  }

  /// Removes an entry whose row is committed or never will be.
  mutating func removeUncommitted(_ entry: DeliveryEntry) {
    uncommitted.remove(entry)
    entry.move(from: .uncommitted, to: .none)
  }

  /// Removes matching uncommitted entries and returns them in order.
  private mutating func removeUncommitted(
    where matches: (DeliveryEntry) -> Bool
  ) -> [DeliveryEntry] {
    let removed = uncommitted.removeAll(where: matches)
    for entry in removed { entry.move(from: .uncommitted, to: .none) }
    return removed
  }

  /// Removes and returns the unsent entries that a newer entry replaces: the entry with the same collapse ID and, for
  /// an app that keeps only one notification, the older entry.
  ///
  /// For an app that keeps several notifications, the store decides which rows to drop: newer entries can still be
  /// refused until their commits finish.
  mutating func removeReplaced(by newer: DeliveryEntry) -> [DeliveryEntry] {
    guard let unsent else { return [] }
    var replaced: [DeliveryEntry] = []
    let replacesOlder = newer.notification.keep == 1
    unsent.waiting.removeReplaced(
      by: newer, andOlder: replacesOlder && !newer.isExemptFromKeep, into: &replaced)
    unsent.held.removeReplaced(by: newer, andOlder: replacesOlder, into: &replaced)
    return replaced
  }

  /// Removes an unsent entry whose row the store dropped in favor of newer rows; returns true if the entry was removed.
  mutating func removeDropped(_ entry: DeliveryEntry) -> Bool {
    guard let unsent, !entry.isExemptFromKeep else { return false }
    switch entry.position {
    case .waiting: unsent.waiting.remove(entry)
    // Keep the entry: the row that replaced its row belongs to the other kind (alert or background push). A newer entry
    // of the same kind would already have replaced this entry in memory.
    case .held where entry.notification.keep == 1: return false
    case .held: unsent.held.remove(entry)
    case .none, .inFlight, .uncommitted: return false
    }
    return true
  }

  /// Removes a channel's stored message from the queue if it hasn't been sent.
  mutating func removeUnsentMessage(of channel: ChannelID) -> DeliveryEntry? {
    guard let unsent else { return nil }
    assert(
      unsent.waiting.message(of: channel) == nil || unsent.held.message(of: channel) == nil,
      "a channel has at most one unsent message")
    if let entry = unsent.waiting.message(of: channel) {
      unsent.waiting.remove(entry)
      return entry
    }
    guard let entry = unsent.held.message(of: channel) else { return nil }
    unsent.held.remove(entry)
    return entry
  }

  /// Records that the waiting entries had to wait, so that the log reports them as delivered from storage.
  mutating func markWaitingAsWaited() {
    for entry in unsent?.waiting.entries ?? [] { entry.markAsWaited() }
  }

  /// Removes matching waiting entries and returns them in order.
  mutating func removeWaiting(where matches: (DeliveryEntry) -> Bool) -> [DeliveryEntry] {
    unsent?.waiting.removeAll(where: matches) ?? []
  }

  /// Moves held entries that are due to the waiting list.
  mutating func releaseHeld(where isDue: (DeliveryEntry) -> Bool) {
    guard let unsent, !unsent.held.isEmpty else { return }
    let due = unsent.held.removeAll(where: isDue)
    for entry in due { entry.markAsWaited() }
    unsent.waiting.insert(contentsOf: due)
  }

  /// Removes the matching entries, except those in flight, and returns all matching entries in order of acceptance.
  ///
  /// Entries in flight stay, because they occupy the window until the device acknowledges them.
  mutating func discard(where matches: (DeliveryEntry) -> Bool) -> [DeliveryEntry] {
    var discarded = inFlight.filter { !$0.isEnded && matches($0) }
    discarded += unsent?.waiting.removeAll(where: matches) ?? []
    discarded += unsent?.held.removeAll(where: matches) ?? []
    discarded += removeUncommitted(where: matches)
    discarded.sort { $0.sequence < $1.sequence }
    return discarded
  }

  // MARK: Sessions

  /// Removes all waiting entries, and the uncommitted entries whose key matches; returns them in order of acceptance,
  /// so that they can be merged with the rows of a load.
  ///
  /// This method also removes uncommitted entries whose key doesn't match if they are already on disk; such entries
  /// aren't returned, and remain only in the store.
  mutating func removeForLoad(where isWanted: (NotificationKey) -> Bool) -> [DeliveryEntry] {
    assert(inFlight.isEmpty, "nothing is in flight during a load")
    var pending = unsent?.waiting.removeAll { _ in true } ?? []
    pending += removeUncommitted { isWanted($0.key) || $0.state.isOnDisk }
      .filter { isWanted($0.key) }
    pending.sort { $0.sequence < $1.sequence }
    return pending
  }

  /// Returns the rows that the held entries and the entries in `pending` have replaced; the store might still have
  /// these rows.
  func replacedRows(by pending: [DeliveryEntry]) -> Set<UInt64> {
    var rows: Set<UInt64> = []
    for entry in pending { rows.formUnion(entry.replacedRows) }
    for entry in unsent?.held.entries ?? [] { rows.formUnion(entry.replacedRows) }
    return rows
  }

  /// Returns true if an entry with this sequence number is held.
  mutating func isHeld(_ sequence: UInt64) -> Bool {
    guard let unsent, !unsent.held.isEmpty else { return false }
    return unsent.held.entry(order: sequence) != nil
      || unsent.held.entry(order: sequence | 1 << 63) != nil
  }

  /// Removes possibly received entries whose notifications are no longer waiting for delivery.
  mutating func keepPossiblyReceived(in rows: [StoredNotification]) {
    guard !possiblyReceived.isEmpty else { return }
    var pending = Set(rows.map(\.sequence))
    if let unsent {
      for entry in unsent.waiting.entries + unsent.held.entries { pending.insert(entry.sequence) }
    }
    possiblyReceived.formIntersection(pending)
  }

  /// Ends the session: removes and returns the entries that are in flight, waiting, or held, and the uncommitted
  /// entries that are already on disk.
  ///
  /// The caller must return the entries that wait for a commit with `leaveToStore(_:)`.
  mutating func endSession() -> [DeliveryEntry] {
    var entries = inFlight
    inFlight.removeAll()
    for entry in entries {
      entry.move(from: .inFlight, to: .none)
      switch entry.state {
      case .staged, .committing, .stored: possiblyReceived.insert(entry.sequence)
      default: break
      }
    }
    if let unsent {
      entries += unsent.waiting.removeAll { _ in true }
      entries += unsent.held.removeAll { _ in true }
    }
    unsent = nil
    entries += removeUncommitted { $0.state.isOnDisk }
    return entries
  }

  /// Clears the possibly received entries of a revoked device.
  mutating func forgetPossiblyReceived() { possiblyReceived.removeAll() }

  // MARK: Look-up

  /// Returns the session's entry with this sequence number.
  mutating func entry(_ sequence: UInt64) -> DeliveryEntry? {
    inFlight.first { $0.sequence == sequence } ?? unsentEntry(order: sequence | 1 << 63)
      ?? unsentEntry(order: sequence)
  }

  /// Returns the entry in flight with this key and unique ID.
  func sentEntry(_ key: NotificationKey, uniqueID: NotificationID) -> DeliveryEntry? {
    inFlight.first { !$0.isEnded && $0.key == key && $0.uniqueID == uniqueID }
  }

  private mutating func unsentEntry(order: UInt64) -> DeliveryEntry? {
    unsent?.waiting.entry(order: order) ?? unsent?.held.entry(order: order)
      ?? uncommitted.entry(order: order)
  }

  /// Returns true if a stored broadcast is in flight or queued.
  func isOnItsWay(_ broadcast: Broadcast) -> Bool {
    inFlight.contains { $0.broadcast === broadcast }
      || unsent?.waiting.message(of: broadcast.channel)?.broadcast === broadcast
      || unsent?.held.message(of: broadcast.channel)?.broadcast === broadcast
  }

  /// Returns true if the device might already have received the entry; such an entry must be sent first.
  func mayHaveReceived(_ entry: DeliveryEntry) -> Bool {
    entry.state == .keptByChannel || possiblyReceived.contains(entry.sequence)
  }

  /// Removes an entry that waits or is held.
  mutating func removeUnsent(_ entry: DeliveryEntry) {
    switch entry.position {
    case .waiting: unsent?.waiting.remove(entry)
    case .held: unsent?.held.remove(entry)
    case .none, .inFlight, .uncommitted: assertionFailure("#\(entry.sequence) is not unsent")
    }
  }

  // MARK: Invariants

  #if DEBUG
    /// The rows that the entries in memory replaced.
    var allReplacedRows: Set<UInt64> {
      replacedRows(by: inFlight + (unsent?.waiting.entries ?? []) + uncommitted.entries)
    }

    var examined: Int {
      uncommitted.examined + (unsent.map { $0.waiting.examined + $0.held.examined } ?? 0)
    }
  #endif

  /// Asserts the invariants that hold between events; skips lists with more than `entriesMax` entries.
  func checkInvariants(window: Int, presence: DeviceDelivery.Presence, entriesMax: Int) {
    assert(
      inFlight.count <= window,
      "entries in flight are within the window: \(inFlight.count) of \(window)")
    assert(
      presence != .offline || inFlight.isEmpty && waitingCount + heldCount == 0,
      "an offline device has no entries in flight, waiting, or held")
    for entry in inFlight {
      assert(
        entry.position == .inFlight,
        "#\(entry.sequence) is expected to be in flight, but is \(entry.position)")
      assert(
        !entry.isTransient || entry.isAnswered,
        "attempt-once #\(entry.sequence) was answered when it was sent")
    }
    assert(Set(inFlight.map(\.sequence)).count == inFlight.count, "no entry is in flight twice")
    if waitingCount <= entriesMax { unsent?.waiting.checkInvariants() }
    if heldCount <= entriesMax { unsent?.held.checkInvariants() }
    guard uncommitted.count <= entriesMax else { return }
    uncommitted.checkInvariants(.uncommitted)
    for entry in uncommitted.entries {
      assert(!entry.isTransient, "uncommitted #\(entry.sequence) is not an attempt-once entry")
      assert(entry.broadcast == nil, "a copy of a broadcast is not committed")
      // During a load, an entry can reach the disk too late for the load to read its row, so it stays in memory.
      assert(
        !entry.state.isOnDisk || presence.session != nil && !presence.isLive,
        "#\(entry.sequence) is not on disk while it is uncommitted")
    }
  }
}

extension DeliveryEntry.State {
  /// True if the entry's row is or was on disk.
  var isOnDisk: Bool {
    switch self {
    case .stored, .rowLost: true
    default: false
    }
  }
}
