/// How many connections of apps and commands there are, by process and by user, and whether there may be one more.
struct AppConnectionCensus {
  /// How many there may be.
  struct Bounds {
    /// Of everybody.
    let total: Int
    /// Of one process.
    let perProcess: Int
    /// Of one user: some are left for the other one, the agent's own user or root.
    let perUser: Int

    /// The bounds for a process that may have so many descriptors open.
    ///
    /// Half of them are for connections: the others are for the disk, the buses, the gateway, children, and
    /// connections whose end is awaited.
    init(descriptors: Int = .max) {
      total = min(Limits.connections, max(descriptors / 2, Limits.connectionsMin))
      perProcess = min(Limits.connectionsPerProcess, total / 2)
      perUser = total - total / 16
      assert(perProcess > 0 && perUser > perProcess, "one process never takes all there are")
    }
  }

  /// Why there may not be one more.
  enum Refusal: Equatable {
    case process, user, total
  }

  let bounds: Bounds
  private var byProcess: [Int32: Int] = [:]
  private var byUser: [UInt32: Int] = [:]
  private(set) var count = 0

  init(_ bounds: Bounds) { self.bounds = bounds }

  /// Why a process of that user may not connect once more; nil where it may.
  func refusal(process: Int32, user: UInt32) -> Refusal? {
    if byProcess[process, default: 0] >= bounds.perProcess { return .process }
    if byUser[user, default: 0] >= bounds.perUser { return .user }
    return count >= bounds.total ? .total : nil
  }

  mutating func add(process: Int32, user: UInt32) {
    assert(refusal(process: process, user: user) == nil, "only those within the bounds are counted")
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
    assert(count > 0, "a connection that ends was counted")
    counts[key] = count > 1 ? count - 1 : nil
  }

  /// Traps in debug builds when the counts contradict each other.
  func checkInvariants() {
    assert(byProcess.values.reduce(0, +) == count, "each connection has a process")
    assert(byUser.values.reduce(0, +) == count, "each connection has a user")
  }
}
