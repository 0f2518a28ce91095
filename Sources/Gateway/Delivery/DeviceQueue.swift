import BelfryWire
import Storage

/// The undelivered entries of one device that are in memory, each in exactly one of its lists.
///
/// ```
/// new ─┬─ uncommitted (away, loading, or too many)
///      ├─ held (power, background rate) ─┐
///      └─ waiting ◄──────────────────────┘
///            └─ inFlight ─ acknowledged
/// ```
struct DeviceQueue {
  /// In order of sending; at most a window's entries.
  private var inFlight: [DeliveryEntry] = []
  private var uncommitted = EntryList()
  /// Created when an entry has to wait, so that an idle device takes little memory.
  private var unsent: Unsent?
  /// Sequence numbers that earlier sessions left unacknowledged.
  ///
  /// The device may have received them, so they are sent first, while it still remembers their unique ids.
  private(set) var possiblyReceived: Set<UInt64> = []

  private final class Unsent {
    var waiting = UnsentEntries(.waiting)
    var held = UnsentEntries(.held)
  }

  var inFlightCount: Int { inFlight.count }
  var waitingCount: Int { unsent?.waiting.count ?? 0 }
  var heldCount: Int { unsent?.held.count ?? 0 }
  /// Whether the state of the device may be freed while it is away.
  var isForgettable: Bool { uncommitted.isEmpty && possiblyReceived.isEmpty }

  private mutating func makeUnsent() -> Unsent {
    if let unsent { return unsent }
    let new = Unsent()
    unsent = new
    return new
  }

  // MARK: Insertion

  /// Queues an entry until the window or the load allows sending it.
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

  /// Marks an entry as sent: it takes up the window until the device acknowledges it.
  mutating func send(_ entry: DeliveryEntry) {
    entry.move(from: .none, to: .inFlight)
    inFlight.append(entry)
  }

  // MARK: Removal

  /// Removes and returns the next entry to be sent.
  mutating func popWaiting() -> DeliveryEntry? {
    guard let unsent, !unsent.waiting.isEmpty else { return nil }
    return unsent.waiting.popFirst()
  }

  /// Waiting entries that are tried once and not answered yet.
  var unansweredCount: Int { unsent?.waiting.unansweredCount ?? 0 }

  /// The oldest of the waiting entries that are tried once and not answered yet.
  var firstUnanswered: DeliveryEntry? { unsent?.waiting.firstUnanswered }

  /// Removes a waiting entry.
  mutating func removeWaiting(_ entry: DeliveryEntry) {
    guard let unsent else { return assertionFailure("#\(entry.sequence) does not wait") }
    unsent.waiting.remove(entry)
  }

  /// Removes and returns the acknowledged entry; `nil` when none with this number is in flight.
  mutating func acknowledge(_ sequence: UInt64) -> DeliveryEntry? {
    guard let index = inFlight.firstIndex(where: { $0.sequence == sequence }) else { return nil }
    let entry = inFlight.remove(at: index)
    entry.move(from: .inFlight, to: .none)
    possiblyReceived.remove(sequence)
    return entry
  }

  /// Removes an entry whose row is committed, or never will be.
  mutating func removeUncommitted(_ entry: DeliveryEntry) {
    uncommitted.remove(entry)
    entry.move(from: .uncommitted, to: .none)
  }

  /// Removes the unsent entries that a newer one replaces: the one with its collapse id, and for an app that
  /// keeps one alone, the older one.
  ///
  /// Of an app that keeps several the store says which rows are too many: until then the newer ones in between
  /// may still be refused.
  mutating func removeReplaced(by newer: DeliveryEntry) -> [DeliveryEntry] {
    guard let unsent else { return [] }
    var replaced: [DeliveryEntry] = []
    let replacesOlder = newer.notification.keep == 1
    unsent.waiting.removeReplaced(
      by: newer, andOlder: replacesOlder && !newer.isExemptFromKeep, into: &replaced)
    unsent.held.removeReplaced(by: newer, andOlder: replacesOlder, into: &replaced)
    return replaced
  }

  /// Removes an unsent entry whose row the store dropped since it has enough newer ones; returns whether it was
  /// one that gives way.
  mutating func removeDropped(_ entry: DeliveryEntry) -> Bool {
    guard let unsent, !entry.isExemptFromKeep else { return false }
    switch entry.place {
    case .waiting: unsent.waiting.remove(entry)
    // Its own kind has replaced it in memory already: what replaced its row was of the other kind.
    case .held where entry.notification.keep == 1: return false
    case .held: unsent.held.remove(entry)
    case .none, .inFlight, .uncommitted: return false
    }
    return true
  }

  /// Removes the kept message of a channel if it has not been sent.
  mutating func removeUnsentMessage(of channel: ChannelID) -> DeliveryEntry? {
    guard let unsent else { return nil }
    assert(
      unsent.waiting.message(of: channel) == nil || unsent.held.message(of: channel) == nil,
      "a channel's message waits twice")
    if let entry = unsent.waiting.message(of: channel) {
      unsent.waiting.remove(entry)
      return entry
    }
    guard let entry = unsent.held.message(of: channel) else { return nil }
    unsent.held.remove(entry)
    return entry
  }

  /// Marks what waits as delivered from storage once it is sent.
  mutating func markWaitingAsWaited() {
    for entry in unsent?.waiting.entries ?? [] { entry.markAsWaited() }
  }

  /// Removes matching entries that wait to be sent, in order.
  mutating func removeWaiting(where matches: (DeliveryEntry) -> Bool) -> [DeliveryEntry] {
    unsent?.waiting.removeAll(where: matches) ?? []
  }

  /// Moves held entries that are due to those waiting, and returns whether there were any.
  mutating func releaseHeld(where isDue: (DeliveryEntry) -> Bool) -> Bool {
    guard let unsent, !unsent.held.isEmpty else { return false }
    let due = unsent.held.removeAll(where: isDue)
    for entry in due { entry.markAsWaited() }
    unsent.waiting.insert(contentsOf: due)
    return !due.isEmpty
  }

  /// Removes every matching entry that is not in flight, and returns all matching ones in order of acceptance.
  ///
  /// Those in flight stay: they take up the window until the device acknowledges them.
  mutating func discard(where matches: (DeliveryEntry) -> Bool) -> [DeliveryEntry] {
    var discarded = inFlight.filter { !$0.isEnded && matches($0) }
    discarded += unsent?.waiting.removeAll(where: matches) ?? []
    discarded += unsent?.held.removeAll(where: matches) ?? []
    for entry in uncommitted.removeAll(where: matches) {
      entry.move(from: .uncommitted, to: .none)
      discarded.append(entry)
    }
    discarded.sort { $0.sequence < $1.sequence }
    return discarded
  }

  // MARK: Sessions

  /// Removes the entries that are merged with the rows of a load, in order of acceptance: those waiting, and
  /// the uncommitted ones whose key matches.
  ///
  /// Stored entries that do not match stay in the store only.
  mutating func removeForLoad(where isWanted: (NotificationKey) -> Bool) -> [DeliveryEntry] {
    assert(inFlight.isEmpty, "a load while something is in flight")
    var pending = unsent?.waiting.removeAll { _ in true } ?? []
    for entry in uncommitted.removeAll(where: { isWanted($0.key) || $0.state.isOnDisk }) {
      entry.move(from: .uncommitted, to: .none)
      if isWanted(entry.key) { pending.append(entry) }
    }
    pending.sort { $0.sequence < $1.sequence }
    return pending
  }

  /// Rows that held entries and those of `pending` have replaced, which the store may still have.
  func replacedRows(by pending: [DeliveryEntry]) -> Set<UInt64> {
    var rows: Set<UInt64> = []
    for entry in pending { rows.formUnion(entry.replacedRows) }
    for entry in unsent?.held.entries ?? [] { rows.formUnion(entry.replacedRows) }
    return rows
  }

  /// Whether an entry with this sequence is held.
  mutating func isHeld(_ sequence: UInt64) -> Bool {
    guard let unsent, !unsent.held.isEmpty else { return false }
    return unsent.held.entry(order: sequence) != nil
      || unsent.held.entry(order: sequence | 1 << 63) != nil
  }

  /// Limits what the device may have received to the rows that are still undelivered.
  mutating func keepPossiblyReceived(in rows: [StoredNotification]) {
    guard !possiblyReceived.isEmpty else { return }
    var pending = Set(rows.map(\.sequence))
    if let unsent {
      for entry in unsent.waiting.entries + unsent.held.entries { pending.insert(entry.sequence) }
    }
    possiblyReceived.formIntersection(pending)
  }

  /// Ends the session: removes all entries in flight, waiting, held and stored, in this order.
  ///
  /// Those that wait for a commit have to be returned with `leaveToStore(_:)`.
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
    for entry in uncommitted.removeAll(where: { $0.state.isOnDisk }) {
      entry.move(from: .uncommitted, to: .none)
      entries.append(entry)
    }
    return entries
  }

  /// Forgets what a revoked device may have received.
  mutating func forgetPossiblyReceived() { possiblyReceived.removeAll() }

  // MARK: Look-up

  /// The session's entry with this sequence number.
  mutating func entry(_ sequence: UInt64) -> DeliveryEntry? {
    inFlight.first { $0.sequence == sequence } ?? unsentEntry(order: sequence | 1 << 63)
      ?? unsentEntry(order: sequence)
  }

  private mutating func unsentEntry(order: UInt64) -> DeliveryEntry? {
    unsent?.waiting.entry(order: order) ?? unsent?.held.entry(order: order)
      ?? uncommitted.entry(order: order)
  }

  /// Whether a kept broadcast is in flight or queued.
  func isOnItsWay(_ broadcast: Broadcast) -> Bool {
    inFlight.contains { $0.broadcast === broadcast }
      || unsent?.waiting.message(of: broadcast.channel)?.broadcast === broadcast
      || unsent?.held.message(of: broadcast.channel)?.broadcast === broadcast
  }

  /// Whether the device may have received the entry before, so that it is sent first.
  func mayHaveReceived(_ entry: DeliveryEntry) -> Bool {
    entry.state == .keptByChannel || possiblyReceived.contains(entry.sequence)
  }

  /// Excludes an entry whose commit failed from replacement by others and of others.
  mutating func forgetRow(of entry: DeliveryEntry) {
    switch entry.place {
    case .waiting: unsent?.waiting.forgetRow(of: entry)
    case .held: unsent?.held.forgetRow(of: entry)
    case .uncommitted: removeUncommitted(entry)
    case .none, .inFlight: break
    }
  }

  // MARK: Invariants

  #if DEBUG
    /// Rows that entries in memory replaced.
    var allReplacedRows: Set<UInt64> {
      replacedRows(by: inFlight + (unsent?.waiting.entries ?? []) + uncommitted.entries)
    }

    var examined: Int {
      uncommitted.examined + (unsent.map { $0.waiting.examined + $0.held.examined } ?? 0)
    }
  #endif

  /// Asserts what holds between events; looks into no list with more than `entriesMax` entries.
  func checkInvariants(window: Int, presence: DeviceDelivery.Presence, entriesMax: Int) {
    assert(inFlight.count <= window, "\(inFlight.count) are in flight, in a window of \(window)")
    assert(
      presence != .offline || inFlight.isEmpty && waitingCount + heldCount == 0, "sent to nobody")
    for entry in inFlight {
      assert(entry.place == .inFlight, "#\(entry.sequence) is \(entry.place), and in flight")
      assert(
        !entry.isTransient || entry.isAnswered, "#\(entry.sequence) was sent once, not answered")
    }
    assert(Set(inFlight.map(\.sequence)).count == inFlight.count, "sent twice on one session")
    if waitingCount <= entriesMax { unsent?.waiting.checkInvariants() }
    if heldCount <= entriesMax { unsent?.held.checkInvariants() }
    guard uncommitted.count <= entriesMax else { return }
    uncommitted.checkInvariants(.uncommitted)
    for entry in uncommitted.entries {
      assert(!entry.isTransient, "#\(entry.sequence) waits for a commit without being staged")
      assert(entry.broadcast == nil, "a broadcast's copy waits for a commit")
      // While the store is read, what is on disk by now may be missing in the rows that come.
      assert(
        !entry.state.isOnDisk || presence.session != nil && !presence.isLive,
        "#\(entry.sequence) is on disk, and waits for it")
    }
  }
}

extension DeliveryEntry.State {
  /// Whether its row is on disk, or was.
  var isOnDisk: Bool {
    switch self {
    case .stored, .rowLost: true
    default: false
    }
  }
}
