import BelfryWire

/// The calls that wait for one app, which receives them one after another.
///
/// A round attempts each call once. After a round, the calls that failed wait for the next round, which starts with a
/// new call, when the app's name appears on the bus, or when the agent restarts.
struct AppChannel: Sendable {
  enum Content: Hashable, Sendable {
    /// The endpoint of the registration with this token.
    case endpoint(token: UTF8Text)
    /// The message with this number.
    case message(UInt64)
    /// The end of a registration, of which the app is informed only once.
    case farewell(token: UTF8Text, UnifiedPushVersion, mayStart: Bool)
  }

  struct Entry: Hashable, Sendable {
    let number: UInt64
    let content: Content
  }

  private(set) var entries: [Entry] = []
  /// The call whose result is awaited.
  private(set) var current: (call: UInt64, entry: Entry)?
  private var isRoundOpen = false
  private var attempted: Set<UInt64> = []
  /// True if another round follows the current one, because a reason for a round occurred during a call.
  private var isRoundDue = false

  /// True if nothing waits for the app.
  var isEmpty: Bool { entries.isEmpty && current == nil }

  mutating func append(_ entry: Entry) {
    assert(entries.last.map { $0.number < entry.number } ?? true, "numbers increase")
    entries.append(entry)
  }

  mutating func remove(_ content: Content) {
    entries.removeAll { $0.content == content && $0.number != current?.entry.number }
  }

  mutating func remove(number: UInt64) { entries.removeAll { $0.number == number } }

  /// Removes and returns the entries for which `isMoved` returns true.
  mutating func take(_ isMoved: (Content) -> Bool) -> [Entry] {
    let taken = entries.filter { isMoved($0.content) }
    entries.removeAll { isMoved($0.content) }
    return taken
  }

  /// Starts a round, or another round after the current one.
  mutating func startRound() {
    guard isRoundOpen else {
      isRoundOpen = true
      return
    }
    if current != nil { isRoundDue = true }
  }

  /// Returns the next entry of the round, or closes the round and returns nil.
  mutating func next() -> Entry? {
    guard isRoundOpen, current == nil else { return nil }
    if let entry = entries.first(where: { !attempted.contains($0.number) }) { return entry }
    closeRound(mayFollow: false)
    return nil
  }

  mutating func begin(_ entry: Entry, call: UInt64) {
    assert(current == nil, "an app receives one call at a time")
    current = (call, entry)
    attempted.insert(entry.number)
  }

  /// Ends the current call, and returns its entry; nil if the result belongs to another call.
  mutating func finish(call: UInt64) -> Entry? {
    guard let current, current.call == call else { return nil }
    self.current = nil
    return current.entry
  }

  /// Ends the round, because the app cannot be reached; a round that is due follows.
  mutating func closeRound(mayFollow: Bool = true) {
    attempted = []
    isRoundOpen = mayFollow && isRoundDue
    isRoundDue = false
  }

  /// Forgets the current call and the round.
  mutating func stop() {
    current = nil
    closeRound(mayFollow: false)
  }

  func checkInvariants() {
    assert(Set(entries.map(\.number)).count == entries.count, "each entry has its own number")
    assert(isRoundOpen || current == nil, "calls belong to a round")
    assert(isRoundOpen || attempted.isEmpty, "attempts belong to a round")
  }
}
