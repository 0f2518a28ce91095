/// A count of app and command connections by process and by user, which determines whether a new connection is allowed.
package struct AppConnectionCensus {
  /// The maximum numbers of connections.
  package struct Bounds {
    /// The maximum for all connections.
    let total: Int
    /// The maximum per process.
    let perProcess: Int
    /// The maximum per user.
    ///
    /// The limit reserves some connections for the other user that can connect: root, or the agent's own user.
    let perUser: Int

    /// Creates the limits for a process that can have the given number of descriptors open.
    ///
    /// Half of the descriptors are for connections. The rest are for the disk, the buses, the gateway, child processes,
    /// and connections that are closing.
    package init(descriptors: Int = .max) {
      total = min(Limits.connections, max(descriptors / 2, Limits.connectionsMin))
      perProcess = min(Limits.connectionsPerProcess, total / 2)
      perUser = total - total / 16
      assert(
        perProcess > 0 && perUser > perProcess,
        "a single process cannot use up all of its user's connections")
    }
  }

  /// The limit that prevents another connection.
  enum Refusal: Equatable {
    case process, user, total
  }

  let bounds: Bounds
  private var byProcess: [Int32: Int] = [:]
  private var byUser: [UInt32: Int] = [:]
  private(set) var count = 0

  init(_ bounds: Bounds) { self.bounds = bounds }

  /// Returns the limit that prevents another connection from a process of the user, or nil if the connection is
  /// allowed.
  func refusal(process: Int32, user: UInt32) -> Refusal? {
    if byProcess[process, default: 0] >= bounds.perProcess { return .process }
    if byUser[user, default: 0] >= bounds.perUser { return .user }
    return count >= bounds.total ? .total : nil
  }

  mutating func add(process: Int32, user: UInt32) {
    assert(
      refusal(process: process, user: user) == nil, "only connections within the limits are counted"
    )
    byProcess[process, default: 0] += 1
    byUser[user, default: 0] += 1
    count += 1
  }

  mutating func remove(process: Int32, user: UInt32) {
    Self.subtract(&byProcess, process)
    Self.subtract(&byUser, user)
    count -= 1
    checkInvariants()
  }

  private static func subtract<Key>(_ counts: inout [Key: Int], _ key: Key) {
    let count = counts[key] ?? 0
    assert(count > 0, "a closed connection was counted when it opened")
    counts[key] = count > 1 ? count - 1 : nil
  }

  /// Traps in debug builds if the counts are inconsistent.
  func checkInvariants() {
    assert(byProcess.values.reduce(0, +) == count, "each connection has a process")
    assert(byUser.values.reduce(0, +) == count, "each connection has a user")
  }
}
