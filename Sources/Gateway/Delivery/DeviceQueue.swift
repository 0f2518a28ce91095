import BelfryWire
import Storage

/// What one device has before it, in memory: the one owner of the lists, in one of which each entry is.
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
  /// Made when something has to wait, so that an idle device takes little memory.
  private var unsent: Unsent?
  /// The sequences of what its sessions left unacknowledged: it may have those, and they are sent first,
  /// while it still knows them by their unique ids.
  private(set) var possiblyReceived: Set<UInt64> = []

  private final class Unsent {
    var waiting = UnsentEntries(.waiting)
    var held = UnsentEntries(.held)
  }

  var inFlightCount: Int { inFlight.count }
  var waitingCount: Int { unsent?.waiting.count ?? 0 }
  var heldCount: Int { unsent?.held.count ?? 0 }
  /// Whether nothing keeps the device's state in memory while it is away.
  var isForgettable: Bool { uncommitted.isEmpty && possiblyReceived.isEmpty }

  private mutating func makeUnsent() -> Unsent {
    if let unsent { return unsent }
    let new = Unsent()
    unsent = new
    return new
  }

  // MARK: Putting in

  /// To be sent when the window or the load allows.
  mutating func wait(_ entry: DeliveryEntry) { makeUnsent().waiting.insert(entry) }

  /// Kept back until the device's power or the app's rate allows.
  mutating func hold(_ entry: DeliveryEntry) { makeUnsent().held.insert(entry) }

  /// In the store alone as soon as it is committed.
  mutating func leaveToStore(_ entry: DeliveryEntry) {
    entry.move(from: .none, to: .uncommitted)
    uncommitted.insert(entry)
  }

  mutating func leaveToStore(contentsOf entries: [DeliveryEntry]) {
    for entry in entries { entry.move(from: .none, to: .uncommitted) }
    uncommitted.insert(contentsOf: entries)
  }

  /// Sent: it takes up the window until the device acknowledges it.
  mutating func send(_ entry: DeliveryEntry) {
    entry.move(from: .none, to: .inFlight)
    inFlight.append(entry)
  }

  // MARK: Taking out

  /// The next one to be sent.
  mutating func popWaiting() -> DeliveryEntry? {
    guard let unsent, !unsent.waiting.isEmpty else { return nil }
    return unsent.waiting.popFirst()
  }

  /// Takes what the device acknowledged from what is in flight; `nil` for what is not.
  mutating func acknowledge(_ sequence: UInt64) -> DeliveryEntry? {
    guard let index = inFlight.firstIndex(where: { $0.sequence == sequence }) else { return nil }
    let entry = inFlight.remove(at: index)
    entry.move(from: .inFlight, to: .none)
    possiblyReceived.remove(sequence)
    return entry
  }

  /// The row of one that was left to the store is safe there, or will never be: memory lets go of it.
  mutating func removeUncommitted(_ entry: DeliveryEntry) {
    uncommitted.remove(entry)
    entry.move(from: .uncommitted, to: .none)
  }

  /// Takes out those not yet sent that a newer one replaces: the one of its collapse id and, of those
  /// that came while the device was away or that its power keeps back, the oldest beyond those kept.
  mutating func removeReplaced(by newer: DeliveryEntry) -> [DeliveryEntry] {
    guard let unsent else { return [] }
    var replaced: [DeliveryEntry] = []
    let keep = newer.notification.keep
    unsent.waiting.removeReplaced(
      by: newer, keeping: newer.isForConnected ? .max : keep, into: &replaced)
    unsent.held.removeReplaced(by: newer, keeping: keep, into: &replaced)
    return replaced
  }

  /// Takes out the kept message of a channel that has not been sent.
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

  /// Takes out those waiting that match, in order.
  mutating func removeWaiting(where matches: (DeliveryEntry) -> Bool) -> [DeliveryEntry] {
    unsent?.waiting.removeAll(where: matches) ?? []
  }

  /// Moves those held that match to those waiting; whether there were any.
  mutating func releaseHeld(where isDue: (DeliveryEntry) -> Bool) -> Bool {
    guard let unsent, !unsent.held.isEmpty else { return false }
    let due = unsent.held.removeAll(where: isDue)
    for entry in due { entry.markAsWaited() }
    unsent.waiting.insert(contentsOf: due)
    return !due.isEmpty
  }

  /// Everything that is not in flight and matches leaves, and is returned with what matches in flight,
  /// which takes up the window until the device has acknowledged it; in order of acceptance.
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

  /// What is merged with the rows of a load: all that waits and those left to the store whose key
  /// matches, in order of acceptance. What is stored and does not match is the store's alone.
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

  /// Whether an entry with this sequence is held.
  mutating func isHeld(_ sequence: UInt64) -> Bool {
    guard let unsent, !unsent.held.isEmpty else { return false }
    return unsent.held.entry(order: sequence) != nil
      || unsent.held.entry(order: sequence | 1 << 63) != nil
  }

  /// Of what the device may have, what is still to be delivered; the rest is not sent again.
  mutating func keepPossiblyReceived(in rows: [StoredNotification]) {
    guard !possiblyReceived.isEmpty else { return }
    var pending = Set(rows.map(\.sequence))
    if let unsent {
      for entry in unsent.waiting.entries + unsent.held.entries { pending.insert(entry.sequence) }
    }
    possiblyReceived.formIntersection(pending)
  }

  /// The session is over: nothing is in flight, waiting or held any more. All of that is returned, in
  /// this order; those that wait for a commit are to be left to the store again.
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

  /// The device is revoked: it gets nothing again.
  mutating func forgetPossiblyReceived() { possiblyReceived.removeAll() }

  // MARK: Looking

  /// What the session has to deal with under a sequence.
  mutating func entry(_ sequence: UInt64) -> DeliveryEntry? {
    inFlight.first { $0.sequence == sequence } ?? unsentEntry(order: sequence | 1 << 63)
      ?? unsentEntry(order: sequence)
  }

  private mutating func unsentEntry(order: UInt64) -> DeliveryEntry? {
    unsent?.waiting.entry(order: order) ?? unsent?.held.entry(order: order)
      ?? uncommitted.entry(order: order)
  }

  /// Whether a kept broadcast has been sent or is about to be.
  func isOnItsWay(_ broadcast: Broadcast) -> Bool {
    inFlight.contains { $0.broadcast === broadcast }
      || unsent?.waiting.message(of: broadcast.channel)?.broadcast === broadcast
      || unsent?.held.message(of: broadcast.channel)?.broadcast === broadcast
  }

  /// Whether the device may have got this before, and should get it first.
  func mayHaveReceived(_ entry: DeliveryEntry) -> Bool {
    entry.state == .keptByChannel || possiblyReceived.contains(entry.sequence)
  }

  /// An entry's commit failed: it replaces none in memory and is replaced by none.
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
    var visits: Int {
      uncommitted.visits + (unsent.map { $0.waiting.visits + $0.held.visits } ?? 0)
    }
  #endif

  /// Asserts what holds between events.
  func checkInvariants(window: Int, isConnected: Bool) {
    assert(inFlight.count <= window, "\(inFlight.count) are in flight, in a window of \(window)")
    assert(isConnected || inFlight.isEmpty && waitingCount + heldCount == 0, "sent to nobody")
    for entry in inFlight {
      assert(entry.place == .inFlight, "#\(entry.sequence) is \(entry.place), and in flight")
      assert(
        !entry.isTransient || entry.isAnswered, "#\(entry.sequence) was sent once, not answered")
    }
    assert(Set(inFlight.map(\.sequence)).count == inFlight.count, "sent twice on one session")
    unsent?.waiting.checkInvariants()
    unsent?.held.checkInvariants()
    assert(unsent?.held.entries.contains { $0.isForConnected } != true, "held for a connected device")
    uncommitted.checkInvariants(.uncommitted)
    for entry in uncommitted.entries {
      assert(!entry.isTransient, "#\(entry.sequence) waits for a commit that it is no part of")
      assert(entry.broadcast == nil, "a broadcast's copy waits for a commit")
    }
  }
}

extension DeliveryEntry.State {
  /// Whether it is known to be on disk, or to have been there.
  var isOnDisk: Bool {
    switch self {
    case .stored, .rowLost: true
    default: false
    }
  }
}
