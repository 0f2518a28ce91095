import PushWire
import Storage

/// Waiting or held entries, in order, with indexes for finding the entries that a newer entry replaces.
struct UnsentEntries {
  private struct CollapseKey: Hashable {
    let key: NotificationKey
    let collapseID: [UInt8]
  }

  /// The key of the notifications that replace one another if an app keeps only one notification per token.
  ///
  /// Entries held for a connected device in a power-saving state are an exception: an alert and a background push don't
  /// replace each other, because the device isn't offline.
  private struct KeepKey: Hashable {
    let key: NotificationKey
    let isBackground: Bool
  }

  let position: DeliveryEntry.QueuePosition
  private var list = EntryList()
  /// The entries that count toward their app's `keep`, by token.
  private var byKey: [KeepKey: EntryList] = [:]
  /// The newest entry with each collapse ID.
  private var byCollapseID: [CollapseKey: DeliveryEntry] = [:]
  /// The entries whose providers aren't answered until the entries are sent to the device.
  private var unanswered = EntryList()
  /// The only stored message of each channel.
  private var byChannel: [ChannelID: DeliveryEntry] = [:]

  init(_ position: DeliveryEntry.QueuePosition) { self.position = position }

  var count: Int { list.count }
  var isEmpty: Bool { list.isEmpty }
  var entries: [DeliveryEntry] { list.entries }

  mutating func entry(order: UInt64) -> DeliveryEntry? { list.entry(order: order) }

  /// The number of attempt-once entries that haven't been answered yet.
  var unansweredCount: Int { unanswered.count }

  /// The oldest attempt-once entry that hasn't been answered yet.
  var firstUnanswered: DeliveryEntry? { unanswered.first }

  /// Returns the stored message of a channel.
  func message(of channel: ChannelID) -> DeliveryEntry? { byChannel[channel] }

  private func keepKey(_ entry: DeliveryEntry) -> KeepKey {
    KeepKey(key: entry.key, isBackground: position == .held && entry.pushType == .background)
  }

  // MARK: Insertion and removal

  mutating func insert(_ entry: DeliveryEntry) {
    entry.move(from: .none, to: position)
    list.insert(entry)
    index(entry)
  }

  mutating func insert(contentsOf entries: [DeliveryEntry]) {
    for entry in entries {
      entry.move(from: .none, to: position)
      index(entry)
    }
    list.insert(contentsOf: entries)
  }

  mutating func remove(_ entry: DeliveryEntry) {
    list.remove(entry)
    release(entry)
  }

  mutating func popFirst() -> DeliveryEntry? {
    guard let entry = list.popFirst() else { return nil }
    release(entry)
    return entry
  }

  mutating func removeAll(where matches: (DeliveryEntry) -> Bool) -> [DeliveryEntry] {
    let removed = list.removeAll(where: matches)
    for entry in removed { release(entry) }
    return removed
  }

  private mutating func release(_ entry: DeliveryEntry) {
    unindex(entry)
    entry.move(from: position, to: .none)
  }

  // MARK: Replacement

  /// Removes the entry that has the newer entry's collapse ID and, if `andOlder` is true, the older entries with the
  /// same key.
  mutating func removeReplaced(
    by newer: DeliveryEntry, andOlder: Bool, into replaced: inout [DeliveryEntry]
  ) {
    guard !isEmpty else { return }
    if !newer.collapseID.isEmpty,
      let older = byCollapseID[CollapseKey(key: newer.key, collapseID: newer.collapseID)],
      older.sequence < newer.sequence
    {
      remove(older)
      replaced.append(older)
    }
    guard andOlder else { return }
    while let oldest = byKey[keepKey(newer)]?.first, oldest.sequence < newer.sequence {
      remove(oldest)
      replaced.append(oldest)
    }
  }

  private mutating func index(_ entry: DeliveryEntry) {
    assert(!entry.isEnded, "#\(entry.sequence) has not ended before it becomes \(position)")
    if entry.state == .keptByChannel {
      if let broadcast = entry.broadcast { byChannel[broadcast.channel] = entry }
      return
    }
    guard !entry.isTransient else {
      if !entry.isAnswered { unanswered.insert(entry) }
      return
    }
    if entry.countsAgainstKeep { byKey[keepKey(entry), default: EntryList()].insert(entry) }
    if !entry.collapseID.isEmpty {
      byCollapseID[CollapseKey(key: entry.key, collapseID: entry.collapseID)] = entry
    }
  }

  private mutating func unindex(_ entry: DeliveryEntry) {
    if entry.state == .keptByChannel {
      if let broadcast = entry.broadcast { byChannel[broadcast.channel] = nil }
      return
    }
    guard !entry.isTransient else {
      if !entry.isAnswered { unanswered.remove(entry) }
      return
    }
    if entry.countsAgainstKeep {
      byKey[keepKey(entry)]?.remove(entry)
      if byKey[keepKey(entry)]?.isEmpty == true { byKey[keepKey(entry)] = nil }
    }
    guard !entry.collapseID.isEmpty else { return }
    let key = CollapseKey(key: entry.key, collapseID: entry.collapseID)
    if byCollapseID[key] === entry { byCollapseID[key] = nil }
  }

  // MARK: Invariants

  #if DEBUG
    var examined: Int {
      list.examined + unanswered.examined + byKey.values.reduce(0) { $0 + $1.examined }
    }
  #endif

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    list.checkInvariants(position)
    let entries = list.entries
    assert(
      position == .waiting || !entries.contains { $0.isExemptFromKeep },
      "a held entry is not exempt from the limit")
    let counted = entries.filter { $0.countsAgainstKeep }
    assert(
      byKey.values.reduce(0) { $0 + $1.count } == counted.count,
      "the index by key contains every counted entry")
    for list in byKey.values {
      list.checkInvariants(position)
      assert(!list.isEmpty, "an empty list is removed from the index")
      assert(
        list.entries.allSatisfy { $0.countsAgainstKeep },
        "the index contains only entries that count toward the limit")
    }
    unanswered.checkInvariants(position)
    assert(
      entries.count { !$0.isAnswered && $0.isTransient } == unanswered.count,
      "every unanswered entry is listed")
    for (key, entry) in byCollapseID {
      assert(
        entry.position == position && !entry.isTransient,
        "a collapse ID leads to an entry of this list")
      assert(
        key.key == entry.key && key.collapseID == entry.collapseID,
        "an entry is indexed under its own collapse ID")
    }
    for (channel, entry) in byChannel {
      assert(entry.position == position, "a channel leads to an entry of this list")
      assert(entry.broadcast?.channel == channel, "an entry is indexed under its own channel")
    }
    assert(
      entries.count { $0.state == .keptByChannel } == byChannel.count,
      "only a channel's newest message is kept")
  }
}
