import BelfryWire

/// The number of a client's connection; connections are numbered in the order in which they are opened.
struct ConnectionNumber: Hashable, Comparable {
  let value: UInt64

  static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}

/// The connections over which a client sends requests.
///
/// A connection is opened when requests wait and no open connection has capacity. It is kept for hours, drained after
/// GOAWAY, and reopened with exponential backoff. A draining connection is no longer part of the pool, but its owner
/// keeps it until the outstanding responses arrive.
struct ConnectionPool {
  /// An open connection.
  private struct Open {
    let number: ConnectionNumber
    /// The number of concurrent requests that the service's SETTINGS allow.
    var limit: Int
    var unanswered = 0
    /// True if the service has accepted or answered a request on the connection.
    ///
    /// A connection that is closed without having served a request counts as failed.
    var hasServed = false
    /// True if the connection has not been needed for any request yet.
    ///
    /// The closing of an unused connection does not count as a failure.
    var isUnused = true
    let failuresBefore: Int

    var room: Int { limit - unanswered }

    /// Returns true if this connection uses a smaller share of its limit than `other`.
    ///
    /// A new connection can send only one request until the service has answered it. If the pool compared free slots,
    /// it would always choose an old connection with capacity for hundreds of requests, and the new connection would
    /// never send its first request.
    func isFreer(than other: Open) -> Bool {
      let (mine, others) = (unanswered * other.limit, other.unanswered * limit)
      return mine == others ? room > other.room : mine < others
    }
  }

  /// A connection that is being opened.
  private struct Connecting {
    let number: ConnectionNumber
    let failuresBefore: Int
  }

  private let size: Int
  /// The number of consecutive failures after which the waiting requests fail.
  private let failuresMax: Int
  private var open: [Open] = []
  private var connecting: [Connecting] = []
  /// The number of consecutive failures.
  ///
  /// Failures of connections that were opened at the same time count as a single failure.
  private var failures = 0
  /// The time at which the backoff before the next connection expires, in monotonic nanoseconds.
  private var pausedUntil: Int64?
  private var isClosed = false
  private var nextNumber: UInt64 = 1

  /// Creates a pool for up to `size` simultaneous connections, without any connections yet.
  init(size: Int, failuresMax: Int = Limits.connectFailuresMax) {
    self.failuresMax = max(1, failuresMax)
    precondition(size > 0, "a pool allows at least one connection")
    self.size = size
  }

  /// True if at least one connection accepts requests.
  var hasOpen: Bool { !open.isEmpty }

  /// True if connections are open, and the service allows no requests on any of them.
  var allowsNoRequests: Bool { hasOpen && open.allSatisfy { $0.limit == 0 } }

  /// True if a connection is being opened.
  var isConnecting: Bool { !connecting.isEmpty }

  /// The open connections and their numbers of unanswered requests, for checks.
  var openConnections: [(number: ConnectionNumber, unanswered: Int)] {
    open.map { ($0.number, $0.unanswered) }
  }

  /// The action for waiting requests.
  enum WaitingAction: Equatable {
    /// Open this connection.
    case connect(ConnectionNumber)
    /// Send the first waiting request on this connection, where the request now counts as unanswered.
    case send(ConnectionNumber)
    /// Do nothing until an event occurs.
    case wait
    /// Do nothing until this time, in monotonic nanoseconds.
    case waitUntil(Int64)
  }

  /// Returns the action for the given number of waiting requests, which must be at least one.
  mutating func requestWaits(_ waiting: Int, now: Int64) -> WaitingAction {
    assert(waiting > 0, "at least one request is waiting")
    guard !isClosed else { return .wait }
    var roomiest: Int?
    for index in open.indices where open[index].room > 0 {
      if let best = roomiest, !open[index].isFreer(than: open[best]) { continue }
      roomiest = index
    }
    if let roomiest {
      open[roomiest].unanswered += 1
      open[roomiest].isUnused = false
      return .send(open[roomiest].number)
    }
    for index in open.indices { open[index].isUnused = false }
    // Each connection that is being opened will serve one request. Open another connection only for the remaining
    // requests.
    guard open.count + connecting.count < size, connecting.count < waiting else { return .wait }
    if let pausedUntil, now < pausedUntil { return .waitUntil(pausedUntil) }
    return .connect(begin())
  }

  /// Opens a connection in advance, before any request waits.
  ///
  /// Returns nil if there are enough connections or a pause is in effect.
  mutating func connect(now: Int64) -> ConnectionNumber? {
    guard !isClosed, open.count + connecting.count < size else { return nil }
    if let pausedUntil, now < pausedUntil { return nil }
    return begin()
  }

  private mutating func begin() -> ConnectionNumber {
    let number = ConnectionNumber(value: nextNumber)
    nextNumber += 1
    connecting.append(Connecting(number: number, failuresBefore: failures))
    return number
  }

  /// Handles the service's first SETTINGS, which allow `limit` concurrent requests.
  ///
  /// Returns false if the connection is no longer needed and should be closed.
  mutating func opened(_ number: ConnectionNumber, limit: Int) -> Bool {
    guard !isClosed, let index = connecting.firstIndex(where: { $0.number == number }) else {
      return false
    }
    let made = connecting.remove(at: index)
    open.append(
      Open(number: number, limit: Self.bounded(limit), failuresBefore: made.failuresBefore))
    return true
  }

  /// Handles a new limit on concurrent requests for a connection.
  mutating func limited(_ number: ConnectionNumber, to limit: Int) {
    guard let index = index(of: number) else { return }
    open[index].limit = Self.bounded(limit)
  }

  /// Handles the completion of a request on this connection, with or without a response.
  mutating func finished(on number: ConnectionNumber, answered: Bool) {
    guard let index = index(of: number) else { return }
    assert(open[index].unanswered > 0, "only a request that was sent can end")
    open[index].unanswered -= 1
    if answered { noteServed(index) }
  }

  /// Records that the service has accepted requests on a connection but has not answered them yet.
  mutating func served(on number: ConnectionNumber) {
    guard let index = index(of: number) else { return }
    assert(open[index].unanswered > 0, "an accepted request is still unanswered")
    noteServed(index)
  }

  /// Resets the backoff when a connection serves its first request.
  ///
  /// Later failures of other connections begin a new backoff.
  private mutating func noteServed(_ index: Int) {
    guard !open[index].hasServed else { return }
    open[index].hasServed = true
    failures = 0
    pausedUntil = nil
  }

  /// The action after a connection is closed.
  enum EndAction: Equatable {
    /// Open another connection when a request waits.
    case reconnect
    /// Fail the waiting requests, because too many consecutive connections have failed and no other connection is open.
    case failWaiting
  }

  /// Handles a connection that accepts no further requests, because GOAWAY arrived or the client stopped using the
  /// connection.
  mutating func left(_ number: ConnectionNumber, now: Int64, jitter: UInt64) -> EndAction {
    guard let index = index(of: number) else { return .reconnect }
    let left = open.remove(at: index)
    // The loss of a connection does not count as a failure if the connection has served a request or was never needed.
    guard !left.hasServed, !left.isUnused else { return .reconnect }
    return failed(after: left.failuresBefore, now: now, jitter: jitter)
  }

  /// Stops using a connection because of the client's own decision, which does not count as a failure of the service.
  mutating func leave(_ number: ConnectionNumber) { open.removeAll { $0.number == number } }

  /// Handles a closed connection, including one that was never established.
  mutating func ended(_ number: ConnectionNumber, now: Int64, jitter: UInt64) -> EndAction {
    guard let index = connecting.firstIndex(where: { $0.number == number }) else {
      return left(number, now: now, jitter: jitter)
    }
    let ended = connecting.remove(at: index)
    return failed(after: ended.failuresBefore, now: now, jitter: jitter)
  }

  private mutating func failed(after before: Int, now: Int64, jitter: UInt64) -> EndAction {
    guard !isClosed else { return .reconnect }
    // If several connections failed at the same time, the first failure has already begun the pause.
    if before + 1 > failures || pausedUntil == nil {
      failures = max(failures, before + 1)
      let backoff = Backoff(
        firstNanoseconds: Limits.reconnectPauseNanoseconds,
        longestNanoseconds: Limits.reconnectPauseNanosecondsMax)
      let pause = backoff.nanoseconds(afterFailures: failures, random: jitter)
      let (until, overflow) = now.addingReportingOverflow(pause)
      pausedUntil = overflow ? .max : until
    }
    assert(failures > 0, "a pause follows at least one failure")
    let isAlone = open.isEmpty && connecting.isEmpty
    return isAlone && failures >= failuresMax ? .failWaiting : .reconnect
  }

  /// Permanently removes all connections.
  mutating func close() {
    isClosed = true
    open = []
    connecting = []
  }

  /// Asserts the invariants that hold between events.
  func checkInvariants() {
    precondition(
      open.count + connecting.count <= size, "the number of connections is within the pool's size")
    precondition(!isClosed || open.isEmpty && connecting.isEmpty, "a closed pool is empty")
    let numbers = open.map(\.number) + connecting.map(\.number)
    precondition(Set(numbers).count == numbers.count, "connection numbers are unique")
    for connection in open {
      precondition(connection.unanswered >= 0, "the number of unanswered requests is not negative")
      precondition(
        !connection.isUnused || connection.unanswered == 0,
        "an unused connection has no unanswered requests")
    }
  }

  private func index(of number: ConnectionNumber) -> Int? {
    open.firstIndex { $0.number == number }
  }

  private static func bounded(_ limit: Int) -> Int {
    min(max(limit, 0), Limits.concurrentRequestsMax)
  }
}
