import BelfryWire

/// A count of the bytes that the agent holds for connections of apps and commands: unread output and incomplete frames.
///
/// Each connection has its own limit. The limits here apply to all connections of one app, and to all connections
/// together.
package struct HeldBytes {
  /// The owner of a connection; the connection's bytes count toward the owner's limit.
  enum Owner: Hashable {
    case app(AppID)
    /// A command, or a process that has not sent its greeting.
    case process(Int32)
  }

  /// The maximum numbers of bytes.
  package struct Bounds {
    /// The maximum for one owner's connections.
    var perOwner = Limits.heldBytesPerApp
    /// The maximum for all connections.
    var total = Limits.heldBytes

    package init(perOwner: Int = Limits.heldBytesPerApp, total: Int = Limits.heldBytes) {
      assert(perOwner > 0 && perOwner <= total, "one owner's share is part of the total")
      self.perOwner = perOwner
      self.total = total
    }
  }

  /// A limit that is exceeded.
  enum Excess: Equatable {
    case owner(Owner)
    case total
  }

  private struct Entry {
    var owner: Owner
    var bytes = 0
  }

  private var entries: [ConnectionID: Entry] = [:]
  private var byOwner: [Owner: Int] = [:]
  private(set) var total = 0
  let bounds: Bounds

  init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

  mutating func add(_ connection: ConnectionID, of owner: Owner) {
    assert(entries[connection] == nil, "a connection is added only once")
    entries[connection] = Entry(owner: owner)
  }

  /// Counts a connection's bytes toward its app once the app is known.
  mutating func move(_ connection: ConnectionID, to owner: Owner) {
    guard let bytes = entries[connection]?.bytes else { return }
    set(connection, 0)
    entries[connection]?.owner = owner
    set(connection, bytes)
  }

  /// Sets the number of bytes that a connection holds now.
  mutating func set(_ connection: ConnectionID, _ bytes: Int) {
    guard let entry = entries[connection], entry.bytes != bytes else { return }
    entries[connection]?.bytes = bytes
    total += bytes - entry.bytes
    let sum = byOwner[entry.owner, default: 0] + bytes - entry.bytes
    byOwner[entry.owner] = sum > 0 ? sum : nil
  }

  mutating func remove(_ connection: ConnectionID) {
    set(connection, 0)
    entries[connection] = nil
  }

  /// Returns the limit that is exceeded by the connection's owner or by all connections together; nil if no limit is
  /// exceeded.
  func excess(for connection: ConnectionID) -> Excess? {
    if let owner = entries[connection]?.owner,
      byOwner[owner, default: 0] > bounds.perOwner
    {
      return .owner(owner)
    }
    return total > bounds.total ? .total : nil
  }

  /// Returns the connections whose bytes count toward a limit.
  func holders(of excess: Excess) -> [ConnectionID] {
    entries.filter { _, entry in
      guard entry.bytes > 0 else { return false }
      return if case .owner(let owner) = excess { entry.owner == owner } else { true }
    }.map(\.key)
  }

  /// Returns the connection that holds the most bytes that count toward a limit; if several hold the same number,
  /// returns the oldest of them.
  func worst(of excess: Excess) -> (connection: ConnectionID, bytes: Int)? {
    holders(of: excess).map { ($0, entries[$0]?.bytes ?? 0) }
      .max { ($0.1, $1.0.number) < ($1.1, $0.0.number) }
  }

  /// Traps in debug builds if the sums contradict the entries.
  func checkInvariants() {
    assert(entries.values.allSatisfy { $0.bytes >= 0 }, "an entry's byte count is never negative")
    assert(
      total == entries.values.reduce(0) { $0 + $1.bytes }, "the total is the sum of all entries")
    assert(total == byOwner.values.reduce(0, +), "the total is the sum of the counts by owner")
  }
}
